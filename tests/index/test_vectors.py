from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from skillquiver.index import vectors as vectors_module
from skillquiver.index.dense import DenseIndex
from skillquiver.index.store import Store
from skillquiver.index.vectors import library_encoder
from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder
from tests.conftest import write_plugin
from tests.libraries import counts, found, index, put, rank


class Failing(HashEncoder):
    """Fails after the first batch, as a model that runs out of memory would."""

    def __init__(self) -> None:
        super().__init__()
        self.batches = 0

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.batches += 1
        if self.batches > 1:
            raise MemoryError
        return super().encode(texts)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for i in range(5):
        put(tmp_path / "skills", f"s{i}", f"Handles case {i}.")
    return tmp_path / "skills"


def matrix(library: Path) -> DenseIndex:
    opened = DenseIndex.open(library / "dense")
    assert opened is not None
    return opened


def test_the_matrix_holds_the_encoders_vectors_of_name_and_description(tmp_path: Path, root: Path) -> None:
    index(tmp_path / "library", root)
    with Store.opened(tmp_path / "library") as store:
        texts = [f"{skill.name}. {skill.description}" for _, skill in sorted(store.all_skills())]
    np.testing.assert_array_equal(matrix(tmp_path / "library").matrix, HashEncoder().encode(texts))


def test_a_run_without_vectors_leaves_them_to_the_next(tmp_path: Path, root: Path) -> None:
    library = tmp_path / "library"
    assert counts(index(library, root, vectors=False)) == {"added": 5}
    assert DenseIndex.open(library / "dense") is None
    assert found(rank(library, "case 3"))[0] == "skills/s3"
    assert counts(index(library)) == {"unchanged": 5, "vectors": 5}


def test_an_encoder_that_fails_midway_loses_only_the_batch_in_flight(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "VECTOR_CHUNK", 2)
    library, failing = tmp_path / "library", Failing()
    with pytest.raises(MemoryError):
        index(library, root, open_encoder=lambda _: failing)
    assert counts(index(library)) == {"unchanged": 5, "vectors": 3}


def test_another_encoder_computes_every_vector_anew_and_stays_the_librarys_own(
    tmp_path: Path, root: Path
) -> None:
    library = tmp_path / "library"
    openers: dict[str, Encoder] = {"minilm": HashEncoder(64), "wide": HashEncoder(96)}
    index(library, root, open_encoder=openers.__getitem__)
    report = index(library, open_encoder=openers.__getitem__, encoder="wide")
    assert (report.vectors, report.encoder) == (5, "hash-96")
    assert matrix(library).matrix.shape == (5, 96)
    put(root, "s9", "Handles case 9.")
    assert counts(index(library, open_encoder=openers.__getitem__)) == {
        "added": 1,
        "unchanged": 5,
        "vectors": 1,
    }
    assert matrix(library).matrix.shape == (6, 96)
    with Store.opened(library) as store:
        assert library_encoder(store) == ("wide", "hash-96")


def test_a_new_release_of_an_encoder_with_other_weights_is_noticed(
    tmp_path: Path, root: Path, plugin_folder: Path, hash_plugin: str
) -> None:
    library = tmp_path / "library"
    index(library, root, encoder=hash_plugin)
    assert counts(index(library, open_encoder=lambda _: HashEncoder(32))) == {"unchanged": 5}
    write_plugin(plugin_folder, version="2.0")
    try:
        report = index(library, open_encoder=lambda _: HashEncoder(32))
    finally:
        write_plugin(plugin_folder, version="1.0")
    assert (report.vectors, report.encoder) == (5, "hash-32")
    assert matrix(library).encoder == "hash-32"


def test_damaged_vectors_on_disk_are_written_again_from_the_store(tmp_path: Path, root: Path) -> None:
    library = tmp_path / "library"
    index(library, root)
    before = matrix(library).matrix.tobytes()
    for damage in ("dense.json", "matrix-*", "rows-*"):
        (file,) = (library / "dense").glob(damage)
        file.write_bytes(b"")
        assert DenseIndex.open(library / "dense") is None
        assert counts(index(library)) == {"unchanged": 5}
        assert matrix(library).matrix.tobytes() == before


def test_a_damaged_lexical_index_is_made_anew(tmp_path: Path, root: Path) -> None:
    library = tmp_path / "library"
    index(library, root)
    before = found(rank(library, "case 3"))
    for file in (library / "lexical").glob("v*/*"):
        file.unlink()  # tantivy's threads may still map the old file; cut short under them it is a bus error
        file.write_bytes(b"")
    index(library)
    assert found(rank(library, "case 3")) == before

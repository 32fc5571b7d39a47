"""A library of format 1 is made from one of today: its tables taken away, its graph put back as one value."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from skillquiver.errors import LibraryError
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state, load_graph, put_graph
from skillquiver.index.heads import FILE_NAME, HeadStore
from skillquiver.index.schema import SCHEMA_VERSION
from skillquiver.index.store import Store
from skillquiver.serve.usecases.graphs import build_library_graph
from tests.libraries import index, put


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    put(root, "load", "Loads rows.")
    put(root, "clean", "Cleans rows.", "## Prerequisites\n\nRun the `load` skill first.")
    index(tmp_path / "library", root)
    build_library_graph(tmp_path / "library")
    return tmp_path / "library"


def graph_of(library: Path) -> SkillGraph:
    with Store.opened(library) as store:
        return load_graph(store)[0]


def age(library: Path, blob: bytes | None) -> None:
    """Turn the library into one of format 1 with ``blob`` as its graph."""
    db = sqlite3.connect(library / FILE_NAME)
    with db:
        db.execute("ALTER TABLE files DROP COLUMN hidden")
        db.execute("DROP TABLE relations")
        db.execute("DROP TABLE nodes")
        db.execute("DELETE FROM derived WHERE name='graph'")
        db.execute("DELETE FROM meta WHERE key='graph_generation'")
        if blob is not None:
            generation = db.execute("SELECT value FROM meta WHERE key='generation'").fetchone()[0]
            db.execute("INSERT INTO derived VALUES ('graph', ?, ?)", (int(generation), blob))
        db.execute("PRAGMA user_version=1")
    db.close()


def test_the_graph_of_format_1_becomes_rows_and_a_second_build_finds_nothing_new(library: Path) -> None:
    graph = graph_of(library)
    assert graph.relations
    age(library, graph.to_bytes())
    assert graph_of(library) == graph
    assert build_library_graph(library).changed is False
    with Store.opened(library) as store:
        assert graph_state(store) is GraphState.OK
        assert store.get_meta("graph_generation") == str(store.generation)
        assert store.relations.sizes() == {"nodes": 2, "relations": len(graph.relations)}


def test_a_library_of_format_1_without_a_graph_gets_its_tables(library: Path) -> None:
    age(library, None)
    with Store.opened(library) as store:
        assert graph_state(store) is GraphState.MISSING
        assert store.relations.sizes() == {"nodes": 0, "relations": 0}
        assert len(store.all_ids()) == 2


@pytest.mark.parametrize(
    "blob", [b"\xc1", msgspec.msgpack.encode({"format": 9, "skills": [], "relations": []})]
)
def test_a_graph_that_cannot_be_read_is_dropped_and_built_again(library: Path, blob: bytes) -> None:
    age(library, blob)
    with Store.opened(library) as store:
        assert graph_state(store) is GraphState.MISSING
    assert build_library_graph(library).changed is True
    assert graph_of(library).relations


def test_a_migration_that_fails_leaves_format_1(library: Path) -> None:
    age(library, None)
    db = sqlite3.connect(library / FILE_NAME)
    with db:
        db.execute("CREATE TABLE relations (something TEXT)")
    with pytest.raises(LibraryError, match="already exists"):
        Store.open(library)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    assert "nodes" not in tables
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()


def test_a_library_of_format_1_that_may_only_be_read_answers_without_a_graph(library: Path) -> None:
    age(library, graph_of(library).to_bytes())
    file = library / FILE_NAME
    before = file.read_bytes()
    store = Store.open_read_only(file)
    try:
        assert len(store.all_ids()) == 2
        assert graph_state(store) is GraphState.MISSING
        assert store.get_derived("graph facts") is not None
        assert store.relations.nodes(store.all_ids()) == {}
    finally:
        store.close()
    assert file.read_bytes() == before


def age_to_two(library: Path) -> None:
    """Turn the library into one of format 2, one of whose records cannot be read."""
    db = sqlite3.connect(library / FILE_NAME)
    with db:
        db.execute("ALTER TABLE files DROP COLUMN hidden")
        db.execute("UPDATE files SET record=x'c1' WHERE name='clean'")
        db.execute("PRAGMA user_version=2")
    db.close()


@pytest.fixture
def two(tmp_path: Path) -> Path:
    put(tmp_path / "skills", "load", "Loads rows.")
    put(tmp_path / "skills", "clean", "Cleans rows.")
    put(tmp_path / "skills", "keys", "Holds keys.", **{"disable-model-invocation": "true"})
    index(tmp_path / "library", tmp_path / "skills")
    age_to_two(tmp_path / "library")
    return tmp_path / "library"


def hidden_of(store: HeadStore) -> dict[str, bool]:
    return {head.name: head.hidden for head in store.heads([1, 2, 3]).values()}


HIDDEN = {"load": False, "clean": False, "keys": True}


def test_format_2_gets_a_column_that_says_what_is_hidden(two: Path) -> None:
    for _ in range(2):
        with HeadStore.opened(two) as store:
            assert hidden_of(store) == HIDDEN
    db = sqlite3.connect(two / FILE_NAME)
    assert db.execute("SELECT name FROM files WHERE hidden").fetchall() == [("keys",)]
    assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    db.close()


def test_format_2_that_may_only_be_read_tells_what_is_hidden_and_stays(two: Path) -> None:
    before = (two / FILE_NAME).read_bytes()
    store = HeadStore.open_read_only(two / FILE_NAME)
    try:
        assert hidden_of(store) == HIDDEN
    finally:
        store.close()
    assert (two / FILE_NAME).read_bytes() == before


def test_a_format_from_before_1_or_after_this_one_is_refused(library: Path) -> None:
    db = sqlite3.connect(library / FILE_NAME)
    for version in (-1, SCHEMA_VERSION + 1):
        db.execute(f"PRAGMA user_version={version}")
        with pytest.raises(LibraryError, match=f"format {version}"):
            Store.open(library)
    db.close()


def test_the_same_graph_is_not_written_again(library: Path) -> None:
    graph = graph_of(library)
    with Store.opened(library) as store:
        before = store.relations.everything()
        with store.transaction():
            assert put_graph(store, graph, store.generation) is False
        assert store.relations.everything() == before

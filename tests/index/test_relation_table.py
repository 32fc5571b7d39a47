from __future__ import annotations

from pathlib import Path

import pytest

from skillquiver.index.relation_table import RelationRow
from skillquiver.index.store import Store
from tests.libraries import index, put


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        put(tmp_path / "skills", name)
    index(tmp_path / "library", tmp_path / "skills")
    return tmp_path / "library"


def row(source: int, target: int, type_: str = "requires", confidence: float = 0.8) -> RelationRow:
    return RelationRow(
        source, target, type_, "derived", confidence, "say “x”\x00", "a:1", ("lexical", "need"), "h1", "h2"
    )


IDS = ["skills/a", "skills/b", "skills/c"]


def written(store: Store, ids: list[str], *rows: RelationRow) -> None:
    with store.transaction():
        store.relations.replace(ids, rows)


def test_rows_come_back_as_they_went_in(library: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1), row(2, 0, "verifies", 0.25))
        ids, rows = store.relations.everything()
    place = {node: position for position, node in enumerate(ids)}
    assert list(ids.values()) == IDS
    assert [r._replace(source=place[r.source], target=place[r.target]) for r in rows] == [
        row(0, 1),
        row(2, 0, "verifies", 0.25),
    ]


def test_both_ends_find_a_relation_and_types_are_filtered(library: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1), row(0, 2, "verifies", 0.5), row(1, 2))
        table = store.relations
        a, b, c = (table.nodes(IDS)[skill_id] for skill_id in IDS)  # type: ignore[index]
        assert sorted(table.leaving([a])) == [(a, b, "derived", 0.8), (a, c, "derived", 0.5)]
        assert sorted(table.entering([c])) == [(a, c, "derived", 0.5), (b, c, "derived", 0.8)]
        assert list(table.entering([c], ["verifies"])) == [(a, c, "derived", 0.5)]
        assert list(table.entering([c], [])) == []
        assert [(r.source, r.target, r.type) for r in table.among({a, c})] == [(a, c, "verifies")]
        assert table.among({a, c}, ["requires"]) == []


def test_a_node_is_never_given_to_another_skill(library: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1))
        before = set(store.relations.everything()[0])
        written(store, ["skills/b", "skills/c"], row(0, 1))
        ids, rows = store.relations.everything()
        assert before.isdisjoint(ids)
        assert [(ids[r.source], ids[r.target]) for r in rows] == [("skills/b", "skills/c")]
        assert store.relations.sizes() == {"nodes": 2, "relations": 1}


def test_a_skill_that_is_gone_has_no_node_and_no_id(library: Path, tmp_path: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1))
        nodes = store.relations.nodes(IDS)
    (tmp_path / "skills" / "b").rename(tmp_path / "skills" / "d")
    index(library, tmp_path / "skills")
    with Store.opened(library) as store:
        table = store.relations
        assert sorted(table.nodes([*IDS, "skills/d"])) == ["skills/a", "skills/c"]
        assert sorted(table.ids(list(nodes.values())).values()) == ["skills/a", "skills/c"]


def test_more_nodes_than_one_statement_can_name_are_found(library: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1), row(1, 2))
        nodes = list(store.relations.nodes([*(f"skills/{i}" for i in range(1200)), *IDS]).values())
        many = [*range(10_000, 11_500), *nodes]
        assert len(store.relations.among(many)) == 2
        assert len(list(store.relations.leaving(many))) == 2


def test_a_transaction_that_fails_keeps_the_old_relations(library: Path) -> None:
    with Store.opened(library) as store:
        written(store, IDS, row(0, 1))
        before = store.relations.everything()
        with pytest.raises(IndexError):
            written(store, ["skills/c"], row(0, 9))
        assert store.relations.everything() == before

from __future__ import annotations

from pathlib import Path

import pytest

from skillquiver.errors import LibraryError, LibraryMissingError
from skillquiver.graph.neighbourhood import neighbourhood, requires_closure, upstream_closure
from skillquiver.graph.relations import Evidence, Provenance, Relation
from skillquiver.graph.relations import RelationType as T
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state, load_graph, put_graph
from skillquiver.index.store import Store
from skillquiver.types import SkillId
from tests.libraries import index, put

NAMES = "abcdefgh"


def edge(source: str, type_: T, target: str, confidence: float = 0.8, **fields: object) -> Relation:
    given = {"provenance": Provenance.DERIVED, "evidence": Evidence("as said", "s/a:1")} | fields
    return Relation(
        source=SkillId(f"s/{source}"),
        target=SkillId(f"s/{target}"),
        type=type_,
        confidence=confidence,
        **given,  # type: ignore[arg-type]
    )


EDGES = (
    edge("a", T.REQUIRES, "b"),
    edge("b", T.REQUIRES, "c"),
    edge("d", T.PRECEDES, "c", 0.9),
    edge("a", T.ALTERNATIVE_TO, "e", 0.7),
    edge("a", T.SIMILAR_TO, "f", 0.99, provenance=Provenance.INFERRED),
    edge("f", T.FEEDS_INTO, "g", 0.6),
    edge("e", T.COMPLEMENTS, "f", 0.6),
)
"""h has none."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name in NAMES:
        put(tmp_path / "s", name)
    index(tmp_path / "library", tmp_path / "s")
    graph = SkillGraph.of((f"s/{name}" for name in NAMES), EDGES)
    with Store.opened(tmp_path / "library") as store, store.transaction():
        put_graph(store, graph, store.generation)
    return tmp_path / "library"


def near(library: Path, *names: str, hops: int = 1, types: list[T] | None = None, most: int = 99) -> str:
    with Store.opened(library) as store:
        graph = neighbourhood(
            store, [SkillId(f"s/{n}") for n in names], hops=hops, types=types, max_nodes=most
        )
    return "".join(skill_id[2:] for skill_id in graph.ids)


def test_what_was_put_is_loaded(library: Path) -> None:
    with Store.opened(library) as store:
        graph, stale = load_graph(store)
    assert graph == SkillGraph.of((f"s/{name}" for name in NAMES), EDGES)
    assert stale == ""


def test_each_hop_goes_one_step_in_either_direction(library: Path) -> None:
    assert near(library, "c", hops=0) == "c"
    assert near(library, "c", hops=1) == "bcd"
    assert near(library, "c", hops=2) == "abcd"
    assert near(library, "c", hops=3) == "abcdef"
    assert near(library, "c", hops=9) == "abcdefg"


def test_only_relations_of_the_types_are_walked_and_kept(library: Path) -> None:
    assert near(library, "a", hops=2, types=[T.REQUIRES]) == "abc"
    assert near(library, "a", hops=2, types=[]) == "a"


def test_relations_between_neighbours_are_in_it(library: Path) -> None:
    with Store.opened(library) as store:
        graph = neighbourhood(store, [SkillId("s/a")], hops=1, types=None, max_nodes=99)
    assert set(graph.relations) == {EDGES[0], EDGES[3], EDGES[4], EDGES[6]}


def test_trust_then_confidence_decide_who_gets_the_last_places(library: Path) -> None:
    assert near(library, "a", most=2) == "ab"  # derived 0.8
    assert near(library, "a", most=3) == "abe"  # derived 0.7 before inferred 0.99
    assert near(library, "a", hops=3, most=4) == "abef"  # the first hop before the second
    assert near(library, "a", most=4) == "abef"


def test_seeds_are_always_in_even_where_there_is_no_room_or_no_knowledge(library: Path) -> None:
    assert near(library, "a", "b", "h", most=1) == "abh"
    assert near(library, "new", "h") == "hnew"


def test_the_closure_holds_what_is_needed_and_what_that_needs(library: Path) -> None:
    with Store.opened(library) as store:
        graph = requires_closure(store, [SkillId("s/a"), SkillId("s/h")])
    assert graph.ids == ("s/a", "s/b", "s/c", "s/h")
    assert graph.relations == EDGES[:2]


def test_a_closure_over_several_types_goes_upstream_whichever_end_that_is(library: Path) -> None:
    with Store.opened(library) as store:
        order = (T.REQUIRES, T.PRECEDES, T.FEEDS_INTO)
        everything = upstream_closure(store, [SkillId("s/a")], types=order)
        short = upstream_closure(store, [SkillId("s/a")], types=order, max_nodes=2)
        first = upstream_closure(store, [SkillId("s/d")], types=order)
        symmetric = upstream_closure(store, [SkillId("s/a")], types=[T.ALTERNATIVE_TO])
    assert everything.ids == ("s/a", "s/b", "s/c", "s/d")
    assert short.ids == ("s/a", "s/b")
    assert first.ids == ("s/d",)
    assert symmetric.ids == ("s/a",)


def test_without_a_graph_there_are_the_seeds_and_the_word_missing(tmp_path: Path) -> None:
    put(tmp_path / "s", "a")
    index(tmp_path / "library", tmp_path / "s")
    with Store.opened(tmp_path / "library") as store:
        assert graph_state(store) is GraphState.MISSING
        assert neighbourhood(store, [SkillId("s/a")], hops=2, types=None, max_nodes=9) == SkillGraph.of(
            ["s/a"], []
        )
        assert requires_closure(store, [SkillId("s/a")]).relations == ()
        with pytest.raises(LibraryMissingError, match="quiver graph build"):
            load_graph(store)


def test_after_a_move_relations_to_the_old_id_are_ignored_until_the_next_build(
    library: Path, tmp_path: Path
) -> None:
    (tmp_path / "s" / "b").rename(tmp_path / "s" / "z")
    index(library, tmp_path / "s")
    with Store.opened(library) as store:
        assert graph_state(store) is GraphState.STALE
        assert "changed since" in graph_state(store).told
        assert load_graph(store)[1] == graph_state(store).told
        assert requires_closure(store, [SkillId("s/a")]).ids == ("s/a",)
    assert near(library, "a") == "aef"
    assert near(library, "z") == "z"


def test_one_state_is_read_even_while_another_connection_replaces_the_graph(library: Path) -> None:
    with Store.opened(library) as reader, Store.opened(library) as writer, reader.snapshot():
        before = neighbourhood(reader, [SkillId("s/a")], hops=1, types=None, max_nodes=99)
        with writer.transaction():
            put_graph(writer, SkillGraph.of(before.ids, []), writer.generation)
        assert neighbourhood(reader, [SkillId("s/a")], hops=1, types=None, max_nodes=99) == before


def test_a_relation_of_a_type_nobody_knows_is_a_damaged_graph(library: Path) -> None:
    with Store.opened(library) as store:
        with store.transaction():
            ids, rows = store.relations.everything()
            place = {node: i for i, node in enumerate(ids)}
            odd = rows[0]._replace(source=place[rows[0].source], target=place[rows[0].target], type="admires")
            store.relations.replace(tuple(ids.values()), [odd])
        with pytest.raises(LibraryError, match=r"damaged .*admires.*quiver graph build"):
            load_graph(store)

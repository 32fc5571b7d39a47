"""Cycles, checked against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.graph.cycles import break_cycles, cyclic_components

EDGES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=40)


def test_the_last_edge_of_a_cycle_is_removed_and_told_with_its_cycle() -> None:
    assert break_cycles([("a", "b"), ("b", "c"), ("c", "a")]) == {2: ["c", "a", "b", "c"]}


def test_a_self_loop_is_a_cycle() -> None:
    assert break_cycles([("a", "a")]) == {0: ["a", "a"]}


def test_a_long_path_needs_no_deep_stack() -> None:
    chain = [(f"{i:06}", f"{i + 1:06}") for i in range(20_000)]
    assert break_cycles(chain) == {}


@given(EDGES)
def test_components_are_those_of_networkx(edges: list[tuple[str, str]]) -> None:
    graph = nx.DiGraph(edges)
    expected = {
        frozenset(group)
        for group in nx.strongly_connected_components(graph)
        if len(group) > 1 or graph.has_edge(*[next(iter(group))] * 2)
    }
    found: dict[int, set[str]] = {}
    for node, number in cyclic_components(edges).items():
        found.setdefault(number, set()).add(node)
    assert {frozenset(group) for group in found.values()} == expected


@given(EDGES)
def test_what_is_left_is_acyclic_and_nothing_more_is_removed(edges: list[tuple[str, str]]) -> None:
    removed = break_cycles(edges)
    kept = [edge for i, edge in enumerate(edges) if i not in removed]
    assert nx.is_directed_acyclic_graph(nx.DiGraph(kept))
    for i in removed:
        assert not nx.is_directed_acyclic_graph(nx.DiGraph([*kept, edges[i]]))

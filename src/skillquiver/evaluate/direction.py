"""What a graph says about pairs whose order is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from enum import StrEnum

from skillquiver.evaluate.labels import OrderEdge
from skillquiver.graph.relations import Relation, RelationType, pair_of
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import SkillId

__all__ = ["Stated", "by_source", "few_corpora", "relations_between", "stated", "stating"]


_ENOUGH = 10
"""Clusters below which percentile intervals cover markedly less than they say."""


class Stated(StrEnum):
    """What a graph says about a pair whose order is known."""

    RIGHT = "right"
    """Some relation puts the right skill first, none the other."""
    REVERSED = "reversed"
    """Some relation puts the wrong skill first."""
    UNDIRECTED = "related, no direction"
    """They are related, but not by a type that says what comes first."""
    ABSENT = "absent"
    """No relation but, perhaps, ``similar_to``."""


def stated(graph: SkillGraph, edge: OrderEdge) -> Stated:
    """What ``graph`` says about ``edge``."""
    found = relations_between(graph, edge.before, edge.after)
    first = {relation.upstream for relation in found}
    if edge.after in first:
        return Stated.REVERSED
    if edge.before in first:
        return Stated.RIGHT
    return Stated.UNDIRECTED if found else Stated.ABSENT


def stating(graph: SkillGraph, edge: OrderEdge) -> list[Relation]:
    """Relations that say of the two what comes first."""
    return [r for r in relations_between(graph, edge.before, edge.after) if r.upstream is not None]


def by_source(graph: SkillGraph, edges: Iterable[OrderEdge]) -> dict[str, Counter[str]]:
    """Count, per candidate source, the pairs it states: ``right``, ``reversed``, right by it ``alone``."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for edge in edges:
        relations = stating(graph, edge)
        right = {name for r in relations if r.upstream == edge.before for name in r.proposed_by}
        for name in right:
            found[name]["right"] += 1
            found[name]["alone"] += right == {name}
        for name in {name for r in relations if r.upstream == edge.after for name in r.proposed_by}:
            found[name]["reversed"] += 1
    return {name: found[name] for name in sorted(found, key=lambda n: (-found[n]["right"], n))}


def few_corpora(edges: Iterable[OrderEdge]) -> list[str]:
    """A warning where resampling corpora is not to be trusted."""
    n = len({edge.corpus for edge in edges})
    return (
        [f"only {n} corpora: intervals from fewer than {_ENOUGH} are too narrow"] if 1 < n < _ENOUGH else []
    )


def relations_between(graph: SkillGraph, a: SkillId, b: SkillId) -> list[Relation]:
    """Typed relations of two skills: all but ``similar_to``."""
    return list(_of_pair(graph.of_skill(a), pair_of(a, b)))


def _of_pair(relations: Iterable[Relation], pair: tuple[SkillId, SkillId]) -> Iterable[Relation]:
    return (r for r in relations if r.pair == pair and r.type != RelationType.SIMILAR_TO)

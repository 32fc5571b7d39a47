"""A part of the graph, read where it is kept: the cost follows the part, not the library.

No function here raises for a graph that is missing or out of date: it returns what still holds, which may
be nothing. ``graph.stored.graph_state`` says which of the two it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from skillquiver.graph.relations import RELATION_TYPES, End, Provenance, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import relations_of
from skillquiver.index.relation_table import Edge, RelationTable
from skillquiver.index.store import Store
from skillquiver.types import SkillId

__all__ = ["CLOSURE_NODES", "neighbourhood", "requires_closure", "upstream_closure"]

CLOSURE_NODES = 500
"""Most skills a closure takes in. Real ones hold a dozen; the limit is for libraries made to hurt."""


def neighbourhood(
    store: Store,
    seeds: Sequence[SkillId],
    *,
    hops: int,
    types: Collection[RelationType] | None,
    max_nodes: int,
) -> SkillGraph:
    """Return the graph induced on ``seeds`` and on what relations of ``types`` reach within ``hops`` steps.

    ``types=None`` is all of them. Steps go against a relation's direction, too. Where ``max_nodes`` leaves
    no room for a whole step, the skills of the strongest relations are taken: by trust in the provenance,
    then confidence, then id. Seeds are always in, also those the graph does not know; relations whose other
    end the library no longer searches are ignored.
    """
    with store.snapshot():
        return _grown(store.relations, seeds, _Both(types), hops, max_nodes)


def requires_closure(store: Store, ids: Sequence[SkillId]) -> SkillGraph:
    """Return ``ids`` and all they need, and what that needs, with the ``requires`` relations between them."""
    return upstream_closure(store, ids, types=(RelationType.REQUIRES,))


def upstream_closure(
    store: Store, ids: Sequence[SkillId], *, types: Collection[RelationType], max_nodes: int = CLOSURE_NODES
) -> SkillGraph:
    """Return ``ids`` and what comes before them, and before that, by relations of ``types``.

    The relations are those of ``types`` among these skills. Nearest skills first where ``max_nodes`` bites.
    """
    with store.snapshot():
        return _grown(store.relations, ids, _Upstream(types), max_nodes, max_nodes)


_TRUST = {provenance.value: provenance.trust for provenance in Provenance}


class _Both:
    """Steps in either direction."""

    def __init__(self, types: Collection[RelationType] | None) -> None:
        self.types = None if types is None else [type_.value for type_ in types]

    def from_(self, table: RelationTable, nodes: Sequence[int]) -> Iterator[tuple[int, Edge]]:
        """(other end, edge) of every relation at ``nodes``."""
        for edge in table.leaving(nodes, self.types):
            yield edge[1], edge
        for edge in table.entering(nodes, self.types):
            yield edge[0], edge


class _Upstream:
    """Steps to what comes first."""

    def __init__(self, types: Collection[RelationType]) -> None:
        self.types = [type_.value for type_ in types]
        ends = {type_.value: RELATION_TYPES[type_].upstream for type_ in types}
        self._target_first = [name for name, end in ends.items() if end is End.TARGET]
        self._source_first = [name for name, end in ends.items() if end is End.SOURCE]

    def from_(self, table: RelationTable, nodes: Sequence[int]) -> Iterator[tuple[int, Edge]]:
        """(upstream end, edge) of every relation whose later end is among ``nodes``."""
        for edge in table.leaving(nodes, self._target_first):
            yield edge[1], edge
        for edge in table.entering(nodes, self._source_first):
            yield edge[0], edge


def _grown(
    table: RelationTable, seeds: Sequence[SkillId], steps: _Both | _Upstream, hops: int, max_nodes: int
) -> SkillGraph:
    known = {node: skill_id for skill_id, node in table.nodes(seeds).items()}
    frontier = list(known)
    for _ in range(hops):
        room = max_nodes - len(known)
        if not frontier or room <= 0:
            break
        frontier = _reached(table, steps.from_(table, frontier), known, room)
    return SkillGraph.of({*seeds, *known.values()}, relations_of(table.among(known, steps.types), known))


def _reached(
    table: RelationTable, found: Iterable[tuple[int, Edge]], known: dict[int, SkillId], room: int
) -> list[int]:
    """Add up to ``room`` new nodes to ``known``, those of the strongest relations first, and return them."""
    strength: dict[int, tuple[int, float]] = {}
    for node, (_, _, provenance, confidence) in found:
        if node not in known:
            this = (_TRUST.get(provenance, 0), confidence)
            strength[node] = max(strength.get(node, this), this)
    names = table.ids(tuple(strength))
    order = sorted(names, key=lambda node: (*(-part for part in strength[node]), names[node]))[:room]
    known.update((node, names[node]) for node in order)
    return order

"""The graph in the store: relations to rows and back, and whether they still fit the library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum

from skillquiver.errors import LibraryError, LibraryMissingError
from skillquiver.graph.relations import Evidence, Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.index.migrate import GRAPH_GENERATION
from skillquiver.index.relation_table import RelationRow
from skillquiver.index.store import Store
from skillquiver.types import SkillId

__all__ = ["GraphState", "graph_state", "load_graph", "put_graph", "relations_of"]

GRAPH = "graph"
"""Derived value of the store: digest of the graph's canonical bytes, with the generation it stands for."""


GENERATION = GRAPH_GENERATION
"""Note of the store: the generation once more. A derived value costs 20 ms to look up beside large ones."""


class GraphState(StrEnum):
    """What relations are worth: ``ok``, ``stale`` if the library changed since, ``missing`` if none exist."""

    OK = "ok"
    STALE = "stale"
    MISSING = "missing"

    @property
    def told(self) -> str:
        """One sentence for a reader; empty if all is well."""
        return _TOLD[self]


_TOLD = {
    GraphState.OK: "",
    GraphState.STALE: "the library changed since the graph was built; run `quiver graph build`",
    GraphState.MISSING: "this library has no graph yet; run `quiver graph build`",
}


def put_graph(store: Store, graph: SkillGraph, generation: int) -> bool:
    """Keep ``graph`` as the one of ``generation``; whether it differs from the one before.

    The caller holds a transaction. An unchanged graph is not written again.
    """
    digest = hashlib.sha256(graph.to_bytes()).digest()
    before = store.get_derived(GRAPH)
    changed = before is None or before[1] != digest
    if changed:
        place = graph.position
        store.relations.replace(graph.ids, (_row(relation, place) for relation in graph.relations))
    store.put_derived(GRAPH, digest, generation)
    store.set_meta(GENERATION, str(generation))
    return changed


def graph_state(store: Store) -> GraphState:
    """Whether the library has a graph, and one of its present generation."""
    noted = store.get_meta(GENERATION)
    if not noted:
        found = store.get_derived(GRAPH)
        if found is None:
            return GraphState.MISSING
        noted = str(found[0])
    return GraphState.OK if int(noted) == store.generation else GraphState.STALE


def load_graph(store: Store) -> tuple[SkillGraph, str]:
    """Return the whole graph as it was built, and why it is out of date (empty if it is not).

    Costs time and memory for every relation of the library; ``graph.neighbourhood`` reads a part.
    Raises ``LibraryMissingError`` if none was built, ``LibraryError`` if it cannot be read.
    """
    with store.snapshot():
        state = graph_state(store)
        if state is GraphState.MISSING:
            raise LibraryMissingError(state.told)
        ids, rows = store.relations.everything()
    return SkillGraph(tuple(ids.values()), tuple(relations_of(rows, ids))), state.told


def relations_of(rows: Iterable[RelationRow], ids: Mapping[int, SkillId]) -> list[Relation]:
    """Relations of those rows both of whose ends are named in ``ids``."""
    return [_relation(row, ids) for row in rows if row.source in ids and row.target in ids]


def _relation(row: RelationRow, ids: Mapping[int, SkillId]) -> Relation:
    """The relation that a row holds. Raises ``LibraryError`` for a type or provenance nobody knows."""
    try:
        type_, provenance = RelationType(row.type), Provenance(row.provenance)
    except ValueError as error:
        raise LibraryError(f"the stored graph is damaged ({error}): run `quiver graph build`") from error
    return Relation(
        source=ids[row.source],
        target=ids[row.target],
        type=type_,
        provenance=provenance,
        confidence=row.confidence,
        evidence=Evidence(row.quote, row.place),
        proposed_by=row.proposed_by,
        source_hash=row.source_hash,
        target_hash=row.target_hash,
    )


def _row(relation: Relation, place: Mapping[SkillId, int]) -> RelationRow:
    return RelationRow(
        place[relation.source],
        place[relation.target],
        relation.type.value,
        relation.provenance.value,
        relation.confidence,
        relation.evidence.quote,
        relation.evidence.place,
        relation.proposed_by,
        relation.source_hash,
        relation.target_hash,
    )

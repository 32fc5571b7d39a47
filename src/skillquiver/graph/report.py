"""What a graph looks like: a census, the topology of each layer, and how far it reaches beyond the kNN."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Census",
    "Topology",
    "adjacent",
    "census",
    "isolated",
    "layers",
    "neighbouring_pairs",
    "outside_neighbours",
    "reach_within",
    "share_by_provenance",
    "topology",
]


@dataclass(frozen=True, slots=True)
class Census:
    """Edges by (type, provenance, proposing source); an edge proposed by two sources counts for both."""

    edges: int
    rows: tuple[tuple[str, str, str, int], ...]
    by_type: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """Undirected shape of one layer.

    ``wired`` skills have an edge, ``singletons`` have none. ``reach`` is the mean number of other skills
    within three steps, over all skills.
    """

    layer: str
    edges: int
    wired: int
    components: int
    largest: int
    singletons: int
    reach: float


def census(graph: SkillGraph) -> Census:
    """Count the relations of ``graph``."""
    rows = Counter(
        (r.type.value, r.provenance.value, name) for r in graph.relations for name in r.proposed_by or ("",)
    )
    types = Counter(r.type.value for r in graph.relations)
    return Census(
        len(graph.relations),
        tuple((*key, n) for key, n in sorted(rows.items())),
        tuple(sorted(types.items())),
    )


def topology(graph: SkillGraph) -> tuple[Topology, ...]:
    """Return the shape of every layer that has edges."""
    return tuple(_shape(graph, name, relations) for name, relations in layers(graph).items())


def layers(graph: SkillGraph) -> dict[str, list[Relation]]:
    """Return the relations of each type, of ``typed`` (all but ``similar_to``) and ``all``; none is empty."""
    found: dict[str, list[Relation]] = defaultdict(list)
    for relation in graph.relations:
        found[relation.type.value].append(relation)
        if relation.type != RelationType.SIMILAR_TO:
            found["typed"].append(relation)
        found["all"].append(relation)
    order = [t.value for t in RelationType] + ["typed", "all"]
    return {name: found[name] for name in order if found[name]}


def outside_neighbours(
    graph: SkillGraph, vectors: npt.NDArray[np.float32], *, k: int = 8
) -> dict[str, tuple[int, int]]:
    """Return (pairs outside the top ``k``, pairs) per type and for all types but ``similar_to``.

    A pair is inside if either end is among the other's ``k`` nearest. ``vectors`` has shape (n, d), unit
    rows in the order of ``graph.ids``.
    """
    inside = neighbouring_pairs(graph, vectors, k=k)
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    typed: set[tuple[SkillId, SkillId]] = set()
    for relation in graph.relations:
        counts[relation.type.value][relation.pair in inside] += 1
        if relation.type != RelationType.SIMILAR_TO:
            typed.add(relation.pair)
    found = {name: (c[False], c.total()) for name, c in sorted(counts.items())}
    return {**found, "typed pairs": (len(typed - inside), len(typed))}


def neighbouring_pairs(
    graph: SkillGraph, vectors: npt.NDArray[np.float32], *, k: int = 8
) -> frozenset[tuple[SkillId, SkillId]]:
    """Return the related pairs one end of which is among the other's ``k`` nearest in the embedding."""
    wanted = sorted({tuple(sorted(map(graph.position.__getitem__, r.pair))) for r in graph.relations})
    return frozenset((graph.ids[i], graph.ids[j]) for i, j in _inside(wanted, vectors, k))


def reach_within(relations: Iterable[Relation], hops: int = 3) -> dict[SkillId, tuple[int, ...]]:
    """Return, for each wired skill, how many others lie within 1, 2, … ``hops`` steps, either way."""
    following = adjacent(relations)
    return {skill_id: _within(following, skill_id, hops) for skill_id in following}


def adjacent(relations: Iterable[Relation]) -> dict[SkillId, set[SkillId]]:
    """Return the neighbours of each wired skill, directions left aside."""
    following: dict[SkillId, set[SkillId]] = defaultdict(set)
    for relation in relations:
        following[relation.source].add(relation.target)
        following[relation.target].add(relation.source)
    return dict(following)


def isolated(graph: SkillGraph, *, typed: bool = True) -> tuple[str, ...]:
    """Return the skills without any relation; ``similar_to`` does not count unless ``typed`` is false."""
    wired = {
        end
        for r in graph.relations
        if not typed or r.type != RelationType.SIMILAR_TO
        for end in (r.source, r.target)
    }
    return tuple(skill_id for skill_id in graph.ids if skill_id not in wired)


def share_by_provenance(graph: SkillGraph) -> dict[Provenance, int]:
    """Count relations per provenance, most trusted first."""
    counts = Counter(r.provenance for r in graph.relations)
    return {p: counts[p] for p in Provenance if counts[p]}


def _inside(
    pairs: Sequence[tuple[int, ...]], vectors: npt.NDArray[np.float32], k: int
) -> set[tuple[int, ...]]:
    """Pairs one end of which is among the other's ``k`` nearest: one row of cosines per end."""
    import numpy as np

    partners: dict[int, list[int]] = defaultdict(list)
    for i, j in pairs:
        partners[i].append(j)
        partners[j].append(i)
    inside: set[tuple[int, ...]] = set()
    for i, others in partners.items():
        scores = vectors @ vectors[i]
        scores[i] = -2.0
        cut = float(np.partition(scores, -min(k, len(scores) - 1))[-min(k, len(scores) - 1)])
        inside.update((min(i, j), max(i, j)) for j in others if scores[j] >= cut)
    return inside


def _shape(graph: SkillGraph, layer: str, relations: Sequence[Relation]) -> Topology:
    following = adjacent(relations)
    sizes = _component_sizes(following)
    reached = sum(within[-1] for within in reach_within(relations).values())
    n = len(graph.ids)
    return Topology(
        layer,
        len(relations),
        len(following),
        len(sizes),
        max(sizes, default=0),
        n - len(following),
        round(reached / n, 2) if n else 0.0,
    )


def _component_sizes(following: Mapping[SkillId, set[SkillId]]) -> list[int]:
    seen: set[SkillId] = set()
    sizes = []
    for root in following:
        if root not in seen:
            before = len(seen)
            queue = [root]
            seen.add(root)
            for node in queue:
                fresh = following[node] - seen
                seen |= fresh
                queue += fresh
            sizes.append(len(seen) - before)
    return sizes


def _within(following: Mapping[SkillId, set[SkillId]], root: SkillId, steps: int) -> tuple[int, ...]:
    seen, rim = {root}, {root}
    counts = []
    for _ in range(steps):
        rim = {other for node in rim for other in following[node]} - seen
        seen |= rim
        counts.append(len(seen) - 1)
    return tuple(counts)

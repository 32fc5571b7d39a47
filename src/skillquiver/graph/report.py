"""What a graph looks like: a census, the topology of each layer, and how far it reaches beyond the kNN."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Census",
    "Topology",
    "census",
    "isolated",
    "outside_neighbours",
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
    """Return one row per type that has edges, then ``typed`` (all but ``similar_to``) and ``all``."""
    layers: dict[str, list[Relation]] = defaultdict(list)
    for relation in graph.relations:
        layers[relation.type.value].append(relation)
        if relation.type != RelationType.SIMILAR_TO:
            layers["typed"].append(relation)
        layers["all"].append(relation)
    order = [t.value for t in RelationType] + ["typed", "all"]
    return tuple(_shape(graph, name, layers[name]) for name in order if layers[name])


def outside_neighbours(
    graph: SkillGraph, vectors: npt.NDArray[np.float32], *, k: int = 8
) -> dict[str, tuple[int, int]]:
    """Return (pairs outside the top ``k``, pairs) per type and for all types but ``similar_to``.

    A pair is inside if either end is among the other's ``k`` nearest. ``vectors`` has shape (n, d), unit
    rows in the order of ``graph.ids``.
    """
    wanted = sorted({tuple(sorted(map(graph.position.__getitem__, r.pair))) for r in graph.relations})
    inside = _inside(wanted, vectors, k)
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    typed: set[tuple[int, ...]] = set()
    for relation in graph.relations:
        pair = tuple(sorted(map(graph.position.__getitem__, relation.pair)))
        counts[relation.type.value][pair in inside] += 1
        if relation.type != RelationType.SIMILAR_TO:
            typed.add(pair)
    found = {name: (c[False], c.total()) for name, c in sorted(counts.items())}
    return {**found, "typed pairs": (len(typed - inside), len(typed))}


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


def _shape(graph: SkillGraph, layer: str, relations: Iterable[Relation]) -> Topology:
    following: dict[int, set[int]] = defaultdict(set)
    edges = 0
    for relation in relations:
        i, j = graph.position[relation.source], graph.position[relation.target]
        following[i].add(j)
        following[j].add(i)
        edges += 1
    sizes = _component_sizes(following)
    reached = sum(_within(following, node, 3) for node in following)
    n = len(graph.ids)
    return Topology(
        layer,
        edges,
        len(following),
        len(sizes),
        max(sizes, default=0),
        n - len(following),
        round(reached / n, 2) if n else 0.0,
    )


def _component_sizes(following: Mapping[int, set[int]]) -> list[int]:
    seen: set[int] = set()
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


def _within(following: Mapping[int, set[int]], root: int, steps: int) -> int:
    seen, rim = {root}, {root}
    for _ in range(steps):
        rim = {other for node in rim for other in following[node]} - seen
        seen |= rim
    return len(seen) - 1

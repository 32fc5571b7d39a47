"""Parts of a graph, and what lies around a skill in one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm, moves_of
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

__all__ = ["Closeness", "Head", "Layer", "main_layers", "neighbours", "single_layers"]

Closeness = Callable[[SkillId, SkillId], float]
"""Cosine of two skills; 0 without vectors."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first skills of a ranking, best first, with their scores and confidences."""

    ids: tuple[SkillId, ...]
    scores: tuple[float, ...]
    confidences: tuple[float, ...]


@dataclass(frozen=True)
class Layer:
    """Some relations of a graph. ``conflicts_with`` leads nowhere: who has one must not get the other."""

    name: str
    graph: SkillGraph

    @property
    def size(self) -> int:
        """Number of relations."""
        return len(self.graph.relations)

    @cached_property
    def steps(self) -> Mapping[SkillId, Mapping[SkillId, float]]:
        """Skill → neighbour → weight of the strongest step to it, as the ``reverse`` arm weighs steps."""
        found: dict[SkillId, dict[SkillId, float]] = defaultdict(dict)
        for move in moves_of(self.graph, Arm.REVERSE, DiffuseSettings()):
            here = found[move.origin]
            here[move.goal] = max(here.get(move.goal, 0.0), move.weight)
        return dict(found)

    @cached_property
    def beside(self) -> Mapping[SkillId, frozenset[SkillId]]:
        """Skill → skills that a relation joins to it, whichever way it points."""
        found: dict[SkillId, set[SkillId]] = defaultdict(set)
        for relation in self.graph.relations:
            if relation.type is not RelationType.CONFLICTS_WITH:
                found[relation.source].add(relation.target)
                found[relation.target].add(relation.source)
        return {skill_id: frozenset(others) for skill_id, others in found.items()}

    def degree(self, skill_id: SkillId) -> int:
        """Number of skills beside it."""
        return len(self.beside.get(skill_id, ()))

    def within(self, starts: Collection[SkillId], hops: int) -> tuple[frozenset[SkillId], ...]:
        """Skills at most 1, 2, … ``hops`` steps from any of ``starts``, without these."""
        seen, rim, found = set(starts), set(starts), []
        for _ in range(hops):
            rim = {other for node in rim for other in self.beside.get(node, ())} - seen
            seen |= rim
            found.append(frozenset(seen - set(starts)))
        return tuple(found)


def main_layers(graph: SkillGraph) -> tuple[Layer, ...]:
    """``typed``, which is everything but ``similar_to``, and ``similar_to``; those that have relations."""
    return _filled(
        [
            ("typed", lambda relation: relation.type is not RelationType.SIMILAR_TO),
            ("similar_to", lambda relation: relation.type is RelationType.SIMILAR_TO),
        ],
        graph,
    )


def single_layers(graph: SkillGraph) -> tuple[Layer, ...]:
    """One layer per relation type, per provenance and per candidate source, those that have relations.

    A relation that two sources proposed belongs to the layers of both.
    """
    types = sorted({relation.type for relation in graph.relations})
    provenances = sorted({relation.provenance for relation in graph.relations})
    sources = sorted({name for relation in graph.relations for name in relation.proposed_by})
    wanted = [
        *((f"type {one.value}", _of_type(one)) for one in types),
        *((f"provenance {one.value}", _of_provenance(one)) for one in provenances),
        *((f"source {one}", _of_source(one)) for one in sources),
    ]
    return _filled(wanted, graph)


_Belongs = Callable[[Relation], bool]


def _of_type(type_: RelationType) -> _Belongs:
    return lambda relation: relation.type is type_


def _of_provenance(provenance: Provenance) -> _Belongs:
    return lambda relation: relation.provenance is provenance


def _of_source(name: str) -> _Belongs:
    return lambda relation: name in relation.proposed_by


def _filled(wanted: Iterable[tuple[str, _Belongs]], graph: SkillGraph) -> tuple[Layer, ...]:
    layers = (
        Layer(name, SkillGraph(graph.ids, tuple(filter(belongs, graph.relations))))
        for name, belongs in wanted
    )
    return tuple(layer for layer in layers if layer.size)


def neighbours(layer: Layer, head: Head, closeness: Closeness, *, base: int, count: int) -> Sequence[SkillId]:
    """The ``count`` strongest neighbours of the first ``base`` skills, these left out.

    Strength is the confidence of the skill stepped from times the weight of the step; then the cosine of the
    two, so that layers without weights are ordered as well as they can be; then the id.
    """
    shown = head.ids[:base]
    best: dict[SkillId, tuple[float, float, SkillId]] = {}
    for entry, confidence in zip(shown, head.confidences, strict=False):
        for goal, weight in layer.steps.get(entry, {}).items():
            if goal not in shown:
                key = (-confidence * weight, -closeness(entry, goal), goal)
                best[goal] = min(best.get(goal, key), key)
    return sorted(best, key=best.__getitem__)[:count]

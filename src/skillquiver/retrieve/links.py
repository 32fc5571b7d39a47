"""The relations that packing acts on, by skill; what each is trusted for is decided here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.settings import PackSettings
from skillquiver.types import SkillId

__all__ = ["Links", "Need", "links_of"]

_NEEDED_BY_WORD = frozenset({Provenance.CURATED, Provenance.DERIVED, Provenance.ARTIFACT, Provenance.LLM})
"""Sources of ``requires`` that read the skills; use and likeness show company, not need."""


@dataclass(frozen=True, slots=True)
class Need:
    """A skill that another requires. Without a ``hard`` need the other does not come at all."""

    id: SkillId
    relation: Relation
    hard: bool


@dataclass(frozen=True, slots=True)
class Links:
    """Relations by skill. ``needs`` are strongest first, ``successors`` the most trusted first."""

    needs: Mapping[SkillId, tuple[Need, ...]]
    successors: Mapping[SkillId, tuple[SkillId, ...]]
    conflicts: Mapping[SkillId, frozenset[SkillId]]
    alternatives: Mapping[SkillId, frozenset[SkillId]]


def links_of(relations: Iterable[Relation], settings: PackSettings) -> Links:
    """Index the relations that ``settings`` trust."""
    needs: dict[SkillId, dict[SkillId, Need]] = defaultdict(dict)
    successors: dict[SkillId, list[SkillId]] = defaultdict(list)
    conflicts: dict[SkillId, set[SkillId]] = defaultdict(set)
    alternatives: dict[SkillId, set[SkillId]] = defaultdict(set)
    for relation in sorted(relations, key=lambda r: (-r.confidence, r)):
        source, target = relation.source, relation.target
        if source == target:
            continue
        if relation.type is RelationType.REQUIRES and _brings(relation, settings):
            hard = relation.confidence >= settings.hard_requires_confidence
            needs[source].setdefault(target, Need(target, relation, hard))
        elif relation.type is RelationType.SUPERSEDES and _believed(relation, settings):
            successors[target].append(source)
        elif relation.type is RelationType.CONFLICTS_WITH and _believed(relation, settings):
            conflicts[source].add(target)
            conflicts[target].add(source)
        elif relation.type is RelationType.ALTERNATIVE_TO and _exchangeable(relation, settings):
            alternatives[source].add(target)
            alternatives[target].add(source)
    return Links(
        {skill: tuple(found.values()) for skill, found in needs.items()},
        {skill: tuple(found) for skill, found in successors.items()},
        {skill: frozenset(found) for skill, found in conflicts.items()},
        {skill: frozenset(found) for skill, found in alternatives.items()},
    )


def _brings(relation: Relation, settings: PackSettings) -> bool:
    return relation.provenance in _NEEDED_BY_WORD and relation.confidence >= settings.requires_confidence


def _believed(relation: Relation, settings: PackSettings) -> bool:
    return relation.confidence >= settings.exclusion_confidence


def _exchangeable(relation: Relation, settings: PackSettings) -> bool:
    derived = relation.provenance is Provenance.DERIVED
    floor = settings.derived_alternative_confidence if derived else settings.alternative_confidence
    return relation.confidence >= floor

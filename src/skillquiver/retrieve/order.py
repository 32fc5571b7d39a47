"""In which order the skills of a bundle stand: what is needed first comes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from skillquiver.graph.relations import Relation, RelationType
from skillquiver.types import SkillId

__all__ = ["ORDERING", "in_order"]

ORDERING = frozenset(
    {
        RelationType.REQUIRES,
        RelationType.FEEDS_INTO,
        RelationType.PRECEDES,
        RelationType.VERIFIES,
        RelationType.ROUTES_TO,
    }
)
"""Types that say which of two skills comes first; each is followed upstream first."""

_Edges = dict[SkillId, list[SkillId]]
"""Skill to the skills that come before it."""


def in_order(
    ids: Sequence[SkillId],
    relations: Iterable[Relation],
    stands_for: Mapping[SkillId, SkillId] | None = None,
) -> tuple[SkillId, ...]:
    """Return ``ids``, each after everything upstream of it, otherwise in the order given.

    A skill's upstream stands directly before it (depth first), so that an early skill stays early.
    ``stands_for`` maps a skill that is not among ``ids`` to the one that takes its place. Where relations
    go round in a circle, the least trusted of them gives way: ``requires`` counts most, then provenance,
    confidence and ids decide.
    """
    place = {skill_id: at for at, skill_id in enumerate(ids)}
    before = _acyclic(relations, place, stands_for or {})
    done: dict[SkillId, None] = {}

    def visit(skill_id: SkillId) -> None:
        if skill_id not in done:
            for upstream in sorted(before.get(skill_id, ()), key=place.__getitem__):
                visit(upstream)
            done[skill_id] = None

    for skill_id in ids:
        visit(skill_id)
    return tuple(done)


def _acyclic(
    relations: Iterable[Relation], place: Mapping[SkillId, int], stands_for: Mapping[SkillId, SkillId]
) -> _Edges:
    """Edges between the ids of ``place``, strongest first, those left out that would close a circle."""
    before: _Edges = {}
    for relation in sorted((r for r in relations if r.type in ORDERING), key=_weakness):
        first, then = relation.upstream, relation.downstream
        if first is None or then is None:  # pragma: no cover - every type of ORDERING has both
            continue
        first, then = stands_for.get(first, first), stands_for.get(then, then)
        known = first in place and then in place and first != then
        if known and not _leads(then, first, before):
            before.setdefault(then, []).append(first)
    return before


def _weakness(relation: Relation) -> tuple[bool, int, float, Relation]:
    required = relation.type is RelationType.REQUIRES
    return not required, -relation.provenance.trust, -relation.confidence, relation


def _leads(start: SkillId, end: SkillId, before: _Edges) -> bool:
    """Whether ``start`` comes, over any number of steps, before ``end``."""
    open_, seen = [end], {end}
    while open_:
        for upstream in before.get(open_.pop(), ()):
            if upstream == start:
                return True
            if upstream not in seen:
                seen.add(upstream)
                open_.append(upstream)
    return False

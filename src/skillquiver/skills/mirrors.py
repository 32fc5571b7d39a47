"""Copies and clashes: which records of one library stay, and what is said about the others.

Rules, in this order; each keeps the result independent of the input's order:

1. Same name, same body: a mirror. The winner is nearest in scope (project, user, given, plugin), then has the
   shorter id path, then the newest file, then the smaller id; the others are left out.
2. Same name in project and user scope, different bodies: the project wins; the other is left out.
   A plugin's skill has its own prefix there, so it neither hides nor is hidden.
3. Same name, different bodies otherwise: all stay, addressable by id.
4. Same body under different names: all stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from skillquiver.skills.findings import clip, finding
from skillquiver.skills.roots import Scope
from skillquiver.types import Finding

__all__ = ["SkillLike", "settle"]

_SCOPE_RANK = {Scope.PROJECT: 0, Scope.USER: 1, Scope.GIVEN: 2, Scope.PLUGIN: 3}
_SHORT_HASH = 12
_NAMED = 5


class SkillLike(Protocol):
    """What the rules look at; a full ``Skill`` plus its scope, or a light row of the store."""

    @property
    def id(self) -> str:
        """Unique in the library."""
        ...

    @property
    def name(self) -> str:
        """What hosts show; compared without case."""
        ...

    @property
    def body_hash(self) -> str:
        """Equal for equal instructions."""
        ...

    @property
    def content_hash(self) -> str:
        """Of the file's bytes; shown in findings."""
        ...

    @property
    def path(self) -> str:
        """Of the file; shown in findings."""
        ...

    @property
    def mtime_ns(self) -> int:
        """Last change, in nanoseconds."""
        ...

    @property
    def scope(self) -> Scope:
        """Of the root it was found under."""
        ...


S = TypeVar("S", bound=SkillLike)


def settle(skills: Iterable[S]) -> tuple[tuple[S, ...], tuple[Finding, ...]]:
    """Apply the rules; returns the kept records sorted by id, and findings. Linear in their number."""
    by_name: dict[str, list[S]] = defaultdict(list)
    for skill in skills:
        by_name[skill.name.casefold()].append(skill)
    kept: list[S] = []
    findings: list[Finding] = []
    for group in by_name.values():
        stay = _without_mirrors(group, findings) if len(group) > 1 else group
        stay = _without_shadowed(stay, findings) if len(stay) > 1 else stay
        if len(stay) > 1:
            findings.append(_shared_name(stay))
        kept.extend(stay)
    findings.extend(_shared_bodies(kept))
    kept.sort(key=lambda skill: skill.id)
    return tuple(kept), tuple(sorted(findings))


def _rank(skill: SkillLike) -> tuple[int, int, int, str]:
    return (_SCOPE_RANK[skill.scope], skill.id.count("/"), -skill.mtime_ns, skill.id)


def _without_mirrors(group: Sequence[S], findings: list[Finding]) -> list[S]:
    best: dict[str, S] = {}
    for skill in sorted(group, key=_rank):
        winner = best.setdefault(skill.body_hash or skill.content_hash, skill)
        if winner is not skill:
            findings.append(finding("mirror", skill.path, _of(skill, f"copies {winner.id}")))
    return list(best.values())


def _without_shadowed(group: Sequence[S], findings: list[Finding]) -> list[S]:
    nearest = min(group, key=_rank)
    if nearest.scope is not Scope.PROJECT:
        return list(group)
    kept = []
    for skill in group:
        if skill.scope is Scope.USER:
            findings.append(finding("shadowed", skill.path, _of(skill, f"gives way to {nearest.id}")))
        else:
            kept.append(skill)
    return kept


def _of(skill: SkillLike, what: str) -> str:
    return f"{clip(skill.id)} ({skill.content_hash[:_SHORT_HASH]}) {clip(what)}"


def _shared_name(group: Sequence[SkillLike]) -> Finding:
    ordered = sorted(group, key=lambda skill: skill.id)
    more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    ids = ", ".join(f"{clip(s.id)} ({s.content_hash[:_SHORT_HASH]})" for s in ordered[:_NAMED])
    return finding("name-shared", ordered[0].path, f"{clip(ordered[0].name)}: {ids}{more}")


def _shared_bodies(skills: Sequence[SkillLike]) -> Iterator[Finding]:
    by_body: dict[str, list[SkillLike]] = defaultdict(list)
    for skill in skills:
        if skill.body_hash:
            by_body[skill.body_hash].append(skill)
    for group in by_body.values():
        if len({skill.name.casefold() for skill in group}) > 1:
            ordered = sorted(group, key=lambda skill: skill.id)
            more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
            ids = ", ".join(clip(skill.id) for skill in ordered[:_NAMED])
            yield finding("body-shared", ordered[0].path, f"{ids}{more}")

"""Which skills an agent is given: nothing, everything, what a dense ranker finds, or a bundle."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from skillquiver.errors import UsageError
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.retrieve.bundle import Bundle, Role
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import AgentSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId, Status

__all__ = ["AgentArm", "Choice", "Given", "choose", "whole_tokens"]

_DEEP = 6
"""Ranks looked at for each place of the vector arm: skills too long for the budget are passed over."""


class AgentArm(StrEnum):
    """What an agent is given. Arms differ by their skills alone."""

    NONE = "none"
    """No skill."""
    ALL = "all"
    """The whole library, or as much of it as the cap lets through."""
    VECTOR = "vector"
    """The best of the dense ranker, in rank order, while they fit the budget."""
    SKILLQUIVER = "skillquiver"
    """A bundle of the same budget: matches with what they require, what is needed first in front."""


@dataclass(frozen=True, slots=True)
class Given:
    """One skill that an arm gives, whole. ``tokens`` is what an agent reads that opens it."""

    skill: Skill
    tokens: int
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What one arm gives for one task, in the order in which it is to be read.

    ``ms`` is what ranking and packing took, ``left_out`` names skills that the arm chose and the budget, or
    the cap, kept out. ``status`` is the ranker's; ``hit`` for arms that never abstain.
    """

    arm: AgentArm
    skills: tuple[Given, ...]
    ms: float
    status: Status = Status.HIT
    left_out: tuple[SkillId, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of all of them."""
        return sum(given.tokens for given in self.skills)


def choose(
    subject: Subject, query: str, arm: AgentArm, settings: AgentSettings, *, needed: Iterable[SkillId] = ()
) -> Choice:
    """The skills that ``arm`` gives for ``query``, as whole folders or texts.

    ``needed`` are skills known to be relevant: a capped ``all`` arm holds them, so that the cap never takes
    away what the whole library would have offered. Skills hidden from models are in no arm. Raises
    ``UsageError`` where the vector arm has no vectors to rank with.
    """
    started = time.perf_counter()
    found = _CHOOSERS[arm](_Asked(subject, query, settings, tuple(needed)))
    return Choice(
        arm=arm,
        skills=found.skills,
        ms=round((time.perf_counter() - started) * 1000, 2),
        status=found.status,
        left_out=found.left_out,
    )


def whole_tokens(skill: Skill) -> int:
    """Tokens of a skill that is read whole: its card, which hosts list, and its body."""
    return skill.tokens.card + skill.tokens.body


@dataclass(frozen=True, slots=True)
class _Asked:
    subject: Subject
    query: str
    settings: AgentSettings
    needed: tuple[SkillId, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    skills: tuple[Given, ...] = ()
    left_out: tuple[SkillId, ...] = ()
    status: Status = Status.HIT


def _none(asked: _Asked) -> _Found:  # noqa: ARG001 - every arm is asked the same
    return _Found()


def _all(asked: _Asked) -> _Found:
    """Everything by id; over the cap the needed ones and a sample that the ids alone decide."""
    visible = {i: skill for i, skill in asked.subject.skills.items() if not skill.hidden}
    needed = [i for i in dict.fromkeys(asked.needed) if i in visible]
    sample = sorted(visible.keys() - set(needed), key=_shuffled)
    kept = sorted([*needed, *sample][: max(asked.settings.all_skills, len(needed))])
    return _Found(_given(kept, visible, {}), tuple(sorted(visible.keys() - set(kept))))


def _shuffled(skill_id: SkillId) -> str:
    """A key that has nothing to do with what the skill is about: neighbours by id are often alike."""
    return hashlib.sha256(skill_id.encode("utf-8", "surrogatepass")).hexdigest()


def _vector(asked: _Asked) -> _Found:
    settings = asked.settings
    top_k = settings.max_skills * _DEEP
    ranking = asked.subject.rank(asked.query, top_k=top_k, settings=RANKERS["dense"])
    if ranking.degraded:
        raise UsageError(f"the vector arm needs vectors ({ranking.degraded})")
    skills = asked.subject.skills
    ranked = [r.id for r in ranking.results if r.id in skills and not skills[r.id].hidden]
    kept = _fit(ranked, skills, {}, settings)
    best = ranked[: settings.max_skills]
    return _Found(_given(kept, skills, {}), tuple(i for i in best if i not in kept))


def _skillquiver(asked: _Asked) -> _Found:
    settings = asked.settings
    bundle = asked.subject.bundle(
        asked.query, arm=Arm.REVERSE, budget=settings.budget, max_skills=settings.max_skills
    )
    skills = asked.subject.skills
    by_score = [e.id for e in sorted(bundle.entries, key=lambda e: (-e.score, e.id))]
    taken = set(_fit(by_score, skills, _needs(bundle), settings))
    kept = [entry.id for entry in bundle.entries if entry.id in taken]
    roles = {entry.id: entry.role for entry in bundle.entries}
    left_out = tuple(entry.id for entry in bundle.entries if entry.id not in taken)
    return _Found(_given(kept, skills, roles), left_out, bundle.status)


_CHOOSERS: Mapping[AgentArm, Callable[[_Asked], _Found]] = {
    AgentArm.NONE: _none,
    AgentArm.ALL: _all,
    AgentArm.VECTOR: _vector,
    AgentArm.SKILLQUIVER: _skillquiver,
}


def _needs(bundle: Bundle) -> Mapping[SkillId, Sequence[SkillId]]:
    """Entry → everything of the bundle that it requires, directly or not."""
    direct: dict[SkillId, list[SkillId]] = {}
    for entry in bundle.entries:
        for owner in entry.required_by:
            direct.setdefault(owner, []).append(entry.id)
    found = {}
    for entry in bundle.entries:
        reached, open_ends = dict[SkillId, None](), list(direct.get(entry.id, ()))
        while open_ends:
            one = open_ends.pop()
            if one not in reached and one != entry.id:
                reached[one] = None
                open_ends += direct.get(one, ())
        found[entry.id] = tuple(reached)
    return found


def _fit(
    order: Iterable[SkillId],
    skills: Mapping[SkillId, Skill],
    needs: Mapping[SkillId, Sequence[SkillId]],
    settings: AgentSettings,
) -> list[SkillId]:
    """Take skills in order, each with what it needs, where whole texts and number still allow it."""
    taken: dict[SkillId, int] = {}
    for skill_id in order:
        group = [i for i in (*needs.get(skill_id, ()), skill_id) if i not in taken]
        cost = sum(whole_tokens(skills[i]) for i in group)
        if sum(taken.values()) + cost <= settings.budget and len(taken) + len(group) <= settings.max_skills:
            taken |= {i: whole_tokens(skills[i]) for i in group}
    return list(taken)


def _given(
    ids: Iterable[SkillId], skills: Mapping[SkillId, Skill], roles: Mapping[SkillId, Role]
) -> tuple[Given, ...]:
    return tuple(Given(skills[i], whole_tokens(skills[i]), roles.get(i, Role.MATCH).value) for i in ids)

"""What a bundle is made of: candidates in, entries and omissions out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from skillquiver.graph.relations import Relation
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId, Status

__all__ = [
    "Bundle",
    "BundleEntry",
    "Candidate",
    "Omission",
    "Omitted",
    "PackContext",
    "Role",
    "Tier",
    "Wishes",
]


class Tier(StrEnum):
    """How much of a skill a bundle carries, least first: ``card`` < ``outline`` < ``body``."""

    CARD = "card"
    OUTLINE = "outline"
    BODY = "body"


class Role(StrEnum):
    """Why a skill is in a bundle."""

    MATCH = "match"
    PREREQUISITE = "prerequisite"
    FOLLOW_UP = "follow-up"
    VERIFIER = "verifier"


class Omission(StrEnum):
    """Why a candidate is not in a bundle."""

    OVER_BUDGET = "over-budget"
    NEAR_DUPLICATE = "near-duplicate"
    LOW_CONFIDENCE = "low-confidence"
    HIDDEN = "hidden"
    MAX_SKILLS = "max-skills"
    MISSING_REQUIREMENT = "missing-requirement"
    CONFLICT = "conflict"
    ALTERNATIVE = "alternative"
    SUPERSEDED = "superseded"
    LOADED = "loaded"
    WITHOUT = "without"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A skill that asks for a place. ``confidence`` is the probability of a hit, 0 to 1."""

    skill: Skill
    score: float
    confidence: float
    role: Role = Role.MATCH
    evidence: str = ""
    via: tuple[Relation, ...] = ()
    """How relations lead to it from a match, if a match alone does not."""

    @property
    def id(self) -> SkillId:
        """The skill's id."""
        return self.skill.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the caller decided: ids that must come, must not come, or are in the agent's context already."""

    must: tuple[SkillId, ...] = ()
    without: frozenset[SkillId] = frozenset()
    loaded: frozenset[SkillId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackContext:
    """What packing knows beyond the ranking.

    ``relations`` hold between candidates and skills of ``support``: records that no ranking proposed but a
    candidate may need, a wish may name or a successor may be.
    """

    relations: Sequence[Relation] = ()
    support: Mapping[SkillId, Skill] = field(default_factory=dict)
    wishes: Wishes = Wishes()


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleEntry:
    """A skill in a bundle. ``tokens`` counts its whole block: header lines, fences and text.

    ``score`` is 0 for a skill that no ranking proposed. ``via`` are the relations that lead to it from a
    match; empty for a match. ``required_by`` names the skills of the bundle that
    need this one; ``missing`` what this one needs and the bundle could not bring.
    """

    id: SkillId
    name: str
    role: Role
    tier: Tier
    tokens: int
    path: str
    score: float
    confidence: float
    evidence: str = ""
    via: tuple[Relation, ...] = ()
    required_by: tuple[SkillId, ...] = ()
    missing: tuple[SkillId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A candidate that was left out. ``detail`` is one line of plain text for a reader."""

    id: SkillId
    reason: Omission
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Skills packed into ``budget`` tokens.

    ``tokens`` is ``count_tokens(text)`` and never above ``budget``. ``entries``, in the order in which an
    agent needs them, and ``omitted``, in rank order, hold every candidate exactly once; ``entries`` may
    hold skills that others require besides. ``arm`` says how relations were followed, ``graph_degraded`` why
    some or all of them were not; empty if nothing stood in the way.
    """

    status: Status
    budget: int
    tokens: int
    entries: tuple[BundleEntry, ...]
    omitted: tuple[Omitted, ...]
    text: str
    arm: str = ""
    graph_degraded: str = ""

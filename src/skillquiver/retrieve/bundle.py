"""What a bundle is made of: candidates in, entries and omissions out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skillquiver.skills.records import Skill
from skillquiver.types import SkillId, Status

__all__ = ["Bundle", "BundleEntry", "Candidate", "Omission", "Omitted", "Role", "Tier"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A ranked skill that asks for a place. ``confidence`` is the probability of a hit, 0 to 1."""

    skill: Skill
    score: float
    confidence: float
    role: Role = Role.MATCH
    evidence: str = ""

    @property
    def id(self) -> SkillId:
        """The skill's id."""
        return self.skill.id


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleEntry:
    """A skill in a bundle. ``tokens`` counts its whole block: header lines, fences and text."""

    id: SkillId
    name: str
    role: Role
    tier: Tier
    tokens: int
    path: str
    score: float
    confidence: float
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A candidate that was left out. ``detail`` is one line of plain text for a reader."""

    id: SkillId
    reason: Omission
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Skills packed into ``budget`` tokens.

    ``tokens`` is ``count_tokens(text)`` and never above ``budget``. ``entries`` and ``omitted``, both in
    rank order, hold every candidate exactly once.
    """

    status: Status
    budget: int
    tokens: int
    entries: tuple[BundleEntry, ...]
    omitted: tuple[Omitted, ...]
    text: str

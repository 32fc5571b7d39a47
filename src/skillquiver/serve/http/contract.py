"""What the gateway takes and gives: records that requests are read into and the OpenAPI document is made of.

Answers are the documents that the command line prints with ``--json``; the records describe them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

__all__ = [
    "BundleDocument",
    "BundleMatch",
    "BundleRelation",
    "BundleRequest",
    "BundledSkill",
    "Document",
    "HealthDocument",
    "LibrariesDocument",
    "LibraryRow",
    "NextDocument",
    "NextRequest",
    "NextSkill",
    "OmittedSkill",
    "ProblemDocument",
    "Quote",
    "RankedSkill",
    "RankingEvidence",
    "SearchDocument",
    "SearchRequest",
    "SkillRequest",
]

MAX_RESULTS = 50
"""Ranked skills per answer."""

MAX_BUDGET = 200_000
"""Tokens: the usual context window."""

MAX_NAMED = 200
"""Skills that one request may name."""

Query = Annotated[str, Meta(min_length=1, description="The task in words")]
Count = Annotated[int, Meta(ge=1, le=MAX_RESULTS)]
Ids = Annotated[tuple[str, ...], Meta(max_length=MAX_NAMED)]
Hidden = Annotated[bool, Meta(description="Also skills that their authors hide from models: for people only")]
Status = Literal["hit", "weak", "none"]


# --- requests --------------------------------------------------------------------------------


class _Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a request may say; an unknown name is refused."""


class SearchRequest(_Request, frozen=True):
    """Rank the library for a task."""

    query: Query
    top_k: Count = 10
    explain: Annotated[bool, Meta(description="Also say what ranked each skill")] = False
    hidden: Hidden = False


class BundleRequest(_Request, frozen=True):
    """Pack what a task needs into a token budget."""

    query: Query
    budget: Annotated[int, Meta(ge=1, le=MAX_BUDGET, description="Tokens the bundle may take")] = 8000
    max_skills: Count | None = None
    must: Annotated[Ids, Meta(description="Skills that have to come")] = ()
    without: Annotated[Ids, Meta(description="Skills that must not come")] = ()
    loaded: Annotated[Ids, Meta(description="Skills the agent has already")] = ()
    explain: Annotated[bool, Meta(description="Also say which terms matched")] = False


class SkillRequest(_Request, frozen=True):
    """Read one skill."""

    hidden: Hidden = False


class NextRequest(_Request, frozen=True):
    """What comes before, after and instead of a skill."""

    skill: Annotated[str, Meta(min_length=1, description="Id or unambiguous name")]
    done: Annotated[Ids, Meta(description="Skills that are done already")] = ()
    top_k: Count = 5
    hidden: Hidden = False


# --- answers ---------------------------------------------------------------------------------


class RankingEvidence(msgspec.Struct, frozen=True):
    """What ranked a skill."""

    channels: dict[str, float]
    coverage: float
    lexical_rank: int | None
    dense_rank: int | None
    cosine: float | None
    window: str
    terms: dict[str, float] | None


class RankedSkill(msgspec.Struct, frozen=True):
    """One ranked skill; ``evidence`` if it was asked for."""

    rank: int
    id: str
    name: str
    description: str
    kind: str
    hidden: bool
    score: float
    confidence: float
    path: str
    evidence: RankingEvidence | UnsetType = UNSET


class SearchDocument(msgspec.Struct, frozen=True):
    """A ranking, as ``quiver search --json``."""

    query: str
    status: Status
    confidence: float
    degraded: str
    results: tuple[RankedSkill, ...]


class BundleMatch(msgspec.Struct, frozen=True):
    """What the ranking says about an entry."""

    rank: int
    lexical_rank: int | None
    dense_rank: int | None
    cosine: float | None
    terms: dict[str, float] | None


class BundleRelation(msgspec.Struct, frozen=True):
    """A relation that led to an entry, and the words that state it."""

    source: str
    type: str
    target: str
    provenance: str
    confidence: float
    quote: str
    place: str


class BundledSkill(msgspec.Struct, frozen=True):
    """One entry of a bundle."""

    id: str
    name: str
    role: str
    tier: str
    tokens: int
    path: str
    score: float
    confidence: float
    evidence: str
    match: BundleMatch | None
    via: tuple[BundleRelation, ...]
    required_by: tuple[str, ...]
    missing: tuple[str, ...]


class OmittedSkill(msgspec.Struct, frozen=True):
    """One skill that was left out."""

    id: str
    reason: str
    detail: str


class BundleDocument(msgspec.Struct, frozen=True):
    """A bundle, as ``quiver bundle --json``, without what is hidden from models."""

    query: str
    status: Status
    budget: int
    tokens: int
    arm: str
    degraded: str
    graph_degraded: str
    entries: tuple[BundledSkill, ...]
    omitted: tuple[OmittedSkill, ...]
    text: str


class Quote(msgspec.Struct, frozen=True):
    """The words that state a relation, and where they stand."""

    quote: str
    place: str


class NextSkill(msgspec.Struct, frozen=True):
    """One skill around another."""

    id: str
    name: str
    description: str
    hidden: bool
    relation: str
    of: str
    score: float
    confidence: float
    provenance: str
    evidence: Quote


class NextDocument(msgspec.Struct, frozen=True):
    """What is around a skill, as ``quiver next --json``."""

    id: str
    name: str
    graph: Literal["ok", "stale", "missing"]
    note: str
    superseded_by: tuple[str, ...]
    prerequisites: tuple[NextSkill, ...]
    next_steps: tuple[NextSkill, ...]
    verifiers: tuple[NextSkill, ...]
    alternatives: tuple[NextSkill, ...]
    conflicts: tuple[NextSkill, ...]
    more: dict[str, int]


class LibraryRow(msgspec.Struct, frozen=True):
    """One library as it is now."""

    name: str
    state: Literal["ready", "missing", "broken"]
    skills: int
    generation: int
    encoder: Literal["cold", "warming", "ready", "failed"]
    degraded: str


class LibrariesDocument(msgspec.Struct, frozen=True):
    """The libraries that this token may read."""

    libraries: tuple[LibraryRow, ...]


class HealthDocument(msgspec.Struct, frozen=True):
    """The server runs."""

    status: Literal["ok"]


class ProblemDocument(msgspec.Struct, frozen=True):
    """A refusal (RFC 9457); ``suggestions``, ``candidates`` or ``libraries`` where they help."""

    type: str
    title: str
    status: int
    detail: str
    suggestions: tuple[str, ...] | UnsetType = UNSET
    candidates: tuple[str, ...] | UnsetType = UNSET
    libraries: tuple[str, ...] | UnsetType = UNSET


Document = dict[str, Any]
"""An answer before it is written as JSON."""

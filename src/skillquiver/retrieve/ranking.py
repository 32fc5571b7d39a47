"""What a search returns: frozen records."""

from __future__ import annotations

from dataclasses import dataclass

from skillquiver.types import SkillId, Status

__all__ = ["Evidence", "Ranked", "Ranking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a skill has its rank: what each channel gave, and what matched there.

    ``channels`` maps a channel's name to its weighted z-score; they sum to ``first_score``, by which the
    skill had ``first_rank`` in the plain combination. ``second`` is what the second stage gave it, ``None``
    where it had no say: beyond its depth, without vectors, or switched off. ``terms`` are stems with what
    each adds to the BM25 score of the full text, best first. ``cosine`` is that of the best window of the
    query, ``window``. ``coverage`` is the BM25 score of the full text over the highest that any text could
    reach with this query, 0 to 1.
    """

    channels: dict[str, float]
    first_score: float = 0.0
    first_rank: int = 0
    second: float | None = None
    coverage: float = 0.0
    lexical_rank: int | None = None
    dense_rank: int | None = None
    cosine: float | None = None
    window: str = ""
    terms: dict[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One skill in a ranking. ``rank`` counts from 1; ``confidence`` is the probability of a hit, 0 to 1.

    ``score`` falls with the rank. For a skill that the second stage ranked, it is that stage's score, moved
    so that the last of them stands where the plain combination ends; for others the plain combination's.
    """

    rank: int
    row: int
    id: SkillId
    name: str
    description: str
    path: str
    kind: str
    hidden: bool
    score: float
    confidence: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer to a query. ``degraded`` says why the dense channel is missing; empty if it is not."""

    query: str
    status: Status
    confidence: float
    """Of the best skill; 0 for an empty ranking."""
    results: tuple[Ranked, ...]
    terms: int = 0
    """Distinct terms of the query that the library knows."""
    places: int = 0
    """Scores that each channel was standardised over: the library's size, at most 1,000."""
    degraded: str = ""

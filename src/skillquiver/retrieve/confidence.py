"""Confidence: how likely a result is a hit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from skillquiver.settings import RankSettings
from skillquiver.types import Status

__all__ = ["Signals", "probability", "status_of"]


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one result, on scales that do not depend on the size of the library."""

    cosine: float | None
    """Best window; ``None`` without a dense channel."""
    coverage: float
    """BM25 score over the highest score any text could reach with this query, 0 to 1."""
    terms: int
    score: float


def probability(signals: Signals) -> float:
    """Logistic."""
    cosine = signals.cosine if signals.cosine is not None else 0.0
    return 1 / (1 + math.exp(-(8 * (cosine - 0.4) + 4 * (signals.coverage - 0.3))))


def status_of(confidence: float, settings: RankSettings) -> Status:
    """Turn."""
    if confidence >= settings.hit_confidence:
        return Status.HIT
    return Status.WEAK if confidence >= settings.none_confidence else Status.NONE

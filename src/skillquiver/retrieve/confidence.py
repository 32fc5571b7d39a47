"""Confidence: how likely a result is a hit, from signals that do not depend on the library's size.

A logistic model, P = 1 / (1 + exp(-w·x)), fitted by ``benchmarks/calibrate.py`` on public queries with gold
answers and on requests that no skill answers (docs/decisions/0006 has the data and the reliability table).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from skillquiver.retrieve.ranking import Evidence
from skillquiver.settings import RankSettings
from skillquiver.types import Status

__all__ = ["HYBRID_WEIGHTS", "LEXICAL_WEIGHTS", "confidence", "features", "status_of"]

HYBRID_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -5.855,
        "cosine": 2.418,
        "coverage": 2.464,
        "log_rank": -1.449,
        "log_terms": 0.49,
        "score": 0.154,
    }
)
"""With a dense channel."""

LEXICAL_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"bias": -6.639, "coverage": 3.805, "log_rank": -1.41, "log_terms": 0.715, "score": 0.253}
)
"""Without one: fewer signals, so less confident answers."""


def features(evidence: Evidence, *, score: float, terms: int, rank: int) -> dict[str, float]:
    """The model's inputs. ``terms`` is the number of distinct query terms the library knows."""
    named = {
        "bias": 1.0,
        "coverage": evidence.coverage,
        "log_rank": math.log(rank),
        "log_terms": math.log1p(terms),
        "score": score,
    }
    return named if evidence.cosine is None else {**named, "cosine": evidence.cosine}


def confidence(evidence: Evidence, *, score: float, terms: int, rank: int) -> float:
    """Probability from 0 to 1 that this result is a hit."""
    named = features(evidence, score=score, terms=terms, rank=rank)
    weights = HYBRID_WEIGHTS if "cosine" in named else LEXICAL_WEIGHTS
    logit = math.fsum(weights[name] * value for name, value in named.items())
    return 1 / (1 + math.exp(-logit))


def status_of(best: float, settings: RankSettings) -> Status:
    """``hit``, ``weak`` or ``none`` for the best confidence among the first results."""
    if best >= settings.hit_confidence:
        return Status.HIT
    return Status.WEAK if best >= settings.none_confidence else Status.NONE

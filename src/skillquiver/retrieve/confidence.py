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

__all__ = [
    "HYBRID_WEIGHTS",
    "LEXICAL_WEIGHTS",
    "RERANKED_WEIGHTS",
    "confidence",
    "features",
    "status_of",
]

HYBRID_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -5.543,
        "cosine": 1.586,
        "coverage": 2.71,
        "excess": 0.69,
        "log_rank": -1.468,
        "log_terms": 0.406,
    }
)
"""With a dense channel."""

LEXICAL_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"bias": -6.223, "coverage": 4.065, "excess": 0.974, "log_rank": -1.404, "log_terms": 0.573}
)
"""Without one: fewer signals, so less confident answers."""


RERANKED_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -4.67,
        "cosine": 3.081,
        "coverage": 0.96,
        "excess": 0.578,
        "log_rank": -1.929,
        "log_terms": 0.387,
    }
)
"""After the second stage. Its score is no input: it only compares, and the best of a bad lot scores high."""


def features(evidence: Evidence, *, terms: int, rank: int, places: int) -> dict[str, float]:
    """The model's inputs.

    ``terms`` is the number of distinct query terms the library knows, ``places`` that of the scores which
    each channel was standardised over. ``excess`` is the score over what the best of that many draws from a
    normal distribution reaches, sqrt(2 ln n): without it, small libraries could never be sure of a match.
    """
    named = {
        "bias": 1.0,
        "coverage": evidence.coverage,
        "excess": evidence.first_score / math.sqrt(2 * math.log(max(places, 2))),
        "log_rank": math.log(rank),
        "log_terms": math.log1p(terms),
    }
    if evidence.cosine is not None:
        named["cosine"] = evidence.cosine
    return named


def confidence(evidence: Evidence, *, terms: int, rank: int, places: int) -> float:
    """Probability from 0 to 1 that this result is a hit."""
    named = features(evidence, terms=terms, rank=rank, places=places)
    weights = _weights(evidence)
    logit = math.fsum(weights[name] * value for name, value in named.items())
    return 1 / (1 + math.exp(-logit))


def _weights(evidence: Evidence) -> Mapping[str, float]:
    if evidence.second is not None:
        return RERANKED_WEIGHTS
    return LEXICAL_WEIGHTS if evidence.cosine is None else HYBRID_WEIGHTS


FEW = 20
"""Below this many skills standardised scores say little: of three, none stands out by 1.5 deviations."""


def status_of(best: float, settings: RankSettings, *, places: int) -> Status:
    """``hit``, ``weak`` or ``none`` for the best confidence among the first results.

    In a library of fewer than ``FEW`` skills the bar below which there is ``none`` falls in proportion: a
    doubtful suggestion costs little there, a denied match costs the whole answer.
    """
    if best >= settings.hit_confidence:
        return Status.HIT
    bar = settings.none_confidence * min(1.0, places / FEW)
    return Status.WEAK if best >= bar else Status.NONE

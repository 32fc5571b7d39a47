from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.retrieve.confidence import (
    HYBRID_WEIGHTS,
    LEXICAL_WEIGHTS,
    confidence,
    features,
    status_of,
)
from skillquiver.retrieve.ranking import Evidence
from skillquiver.settings import RankSettings
from skillquiver.types import Status


def evidence(
    *, coverage: float = 0.5, cosine: float | None = None, score: float = 0.0, second: float | None = None
) -> Evidence:
    return Evidence(channels={}, coverage=coverage, cosine=cosine, first_score=score, second=second)


def test_confidence_is_the_logistic_function_of_weighted_features() -> None:
    named = features(evidence(cosine=0.6, score=2.0), terms=3, rank=2, places=1000)
    assert (named["cosine"], named["coverage"], named["log_rank"]) == (0.6, 0.5, math.log(2))
    assert named["excess"] == pytest.approx(2.0 / 3.716922)  # sqrt(2 ln 1000) = sqrt(13.815511)
    logit = sum(HYBRID_WEIGHTS[name] * value for name, value in named.items())
    found = confidence(evidence(cosine=0.6, score=2.0), terms=3, rank=2, places=1000)
    assert math.log(found / (1 - found)) == pytest.approx(logit)


def test_each_model_weighs_exactly_the_features_there_are() -> None:
    assert features(evidence(cosine=0.1), terms=1, rank=1, places=1000).keys() == HYBRID_WEIGHTS.keys()
    assert features(evidence(), terms=1, rank=1, places=1000).keys() == LEXICAL_WEIGHTS.keys()


@given(st.floats(0, 1), st.one_of(st.none(), st.floats(-1, 1)), st.floats(-50, 50), st.integers(0, 300))
def test_confidence_is_a_probability_that_falls_with_the_rank(
    coverage: float, cosine: float | None, score: float, terms: int
) -> None:
    one, two = (
        confidence(
            evidence(coverage=coverage, cosine=cosine, score=score), terms=terms, rank=rank, places=1000
        )
        for rank in (1, 2)
    )
    assert 0.0 <= two <= one <= 1.0


def test_more_coverage_is_more_confidence() -> None:
    low, high = (
        confidence(evidence(coverage=c, score=1.0), terms=3, rank=1, places=1000) for c in (0.2, 0.8)
    )
    assert low < high


def test_the_same_score_is_worth_more_in_a_small_library() -> None:
    small, large = (confidence(evidence(score=4.0), terms=3, rank=1, places=places) for places in (15, 1000))
    assert small > large
    assert 0.0 < confidence(evidence(), terms=1, rank=1, places=1) < 1.0


def test_the_status_changes_at_the_thresholds() -> None:
    settings = RankSettings(hit_confidence=0.5, none_confidence=0.1)
    assert [status_of(best, settings, places=1000) for best in (0.0, 0.0999, 0.1, 0.4999, 0.5, 1.0)] == [
        *(Status.NONE, Status.NONE, Status.WEAK, Status.WEAK, Status.HIT, Status.HIT),
    ]


def test_among_few_skills_the_bar_for_none_falls_in_proportion() -> None:
    settings = RankSettings(none_confidence=0.1)
    assert status_of(0.02, settings, places=3) is Status.WEAK  # 0.1 * 3 / 20 = 0.015
    assert status_of(0.01, settings, places=3) is Status.NONE
    assert status_of(0.09, settings, places=20) is Status.NONE

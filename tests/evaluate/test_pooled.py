"""Pooled shares: worked out by hand, and against a bootstrap written the long way."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from skillquiver.evaluate.pooled import draw_sums, percentiles, pooled_difference, pooled_share, sums_of
from tests.evaluate.graph_subjects import SETTINGS


def test_a_share_is_over_pairs_not_over_corpora() -> None:
    # 1 of 4 and 1 of 1: two of five pairs, though the mean of corpora is 0.625
    found = pooled_share([("a", 1), ("a", 0), ("a", 0), ("a", 0), ("b", 1)], SETTINGS)
    assert (found.value, found.n) == (0.4, 2)
    assert (found.low, found.high) == (0.25, 1.0)  # all draws of a alone, all of b alone


def test_the_interval_is_that_of_a_bootstrap_written_the_long_way() -> None:
    rng = random.Random(1)
    outcomes = [(f"c{i % 12}", float(rng.random() < 0.3 + 0.05 * (i % 12))) for i in range(150)]
    groups = [[v for c, v in outcomes if c == f"c{i}"] for i in range(12)]
    shares = []
    for _ in range(20_000):
        drawn = [value for group in rng.choices(groups, k=12) for value in group]
        shares.append(sum(drawn) / len(drawn))
    shares.sort()
    found = pooled_share(outcomes, replace(SETTINGS, draws=20_000))
    assert found.low == pytest.approx(shares[500], abs=0.01)
    assert found.high == pytest.approx(shares[19_500], abs=0.01)


def test_a_pair_that_stands_twice_does_not_narrow_the_interval() -> None:
    once = [(f"c{i}", float(i % 3 == 0)) for i in range(12)]
    assert pooled_share(once * 2, SETTINGS) == pooled_share(once, SETTINGS)


def test_where_all_corpora_agree_the_bounds_are_those_of_as_many_trials() -> None:
    found = pooled_share([(f"c{i // 2}", 1.0) for i in range(20)], SETTINGS)
    assert (found.value, round(found.low, 4), found.high) == (1.0, 0.7225, 1.0)  # Wilson, 10 of 10


def test_one_corpus_says_next_to_nothing() -> None:
    found = pooled_share([("only", 1), ("only", 0), ("only", 0)], SETTINGS)
    assert (round(found.value, 3), found.n) == (0.333, 1)
    assert found.low == 0.0
    assert found.high > 0.75
    assert pooled_difference([("only", 1)], [("only", 0)], SETTINGS).low == -1


def test_without_pairs_there_is_no_value() -> None:
    assert math.isnan(pooled_share([], SETTINGS).value)
    assert math.isnan(pooled_difference([], [], SETTINGS).value)


def test_a_difference_is_drawn_as_one() -> None:
    a = [(f"c{i}", 1.0) for i in range(10)]
    b = [(f"c{i}", 0.0) for i in range(10)]
    found = pooled_difference(a, b, SETTINGS)
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert pooled_difference(a, a, SETTINGS).high == 0.0


def test_draws_are_the_same_for_the_same_clusters_and_other_for_another_stream() -> None:
    sums = sums_of([("a", 1), ("b", 0), ("c", 1)])
    one, two = draw_sums(sums, SETTINGS), draw_sums(sums, SETTINGS)
    assert (one == two).all()
    assert (one != draw_sums(sums, SETTINGS, stream=1)).any()
    assert set(one[:, 1]) == {3.0}  # three corpora of one pair each


def test_draws_in_which_a_share_is_undefined_are_left_out() -> None:
    drawn = draw_sums({"a": [1.0, 1.0], "b": [0.0, 0.0]}, SETTINGS)
    found = percentiles(1.0, drawn, lambda d: d[:, 0] / d[:, 1], SETTINGS, 2)
    assert (found.low, found.high) == (1.0, 1.0)

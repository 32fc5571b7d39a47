from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.retrieve.fuse import POOL, fuse, standardise

pools = st.dictionaries(st.integers(1, 60), st.floats(0.01, 50), max_size=40).map(lambda d: sorted(d.items()))


def test_scores_become_distances_from_the_mean_in_deviations() -> None:
    # 1, 2 and 6: mean 3, deviation sqrt((4 + 1 + 9) / 3)
    channel = standardise([(7, 6.0), (8, 2.0), (9, 1.0)], library=3, weight=2.0)
    deviation = math.sqrt(14 / 3)
    assert channel.of(7) == pytest.approx(2 * 3 / deviation)
    assert channel.of(8) == pytest.approx(2 * -1 / deviation)
    assert channel.of(9) == pytest.approx(2 * -2 / deviation)


def test_skills_that_match_nothing_count_as_score_zero() -> None:
    # 3, 1, 0, 0: mean 1, deviation sqrt((4 + 0 + 1 + 1) / 4)
    channel = standardise([(1, 3.0), (2, 1.0)], library=4, weight=1.0)
    deviation = math.sqrt(1.5)
    assert channel.of(1) == pytest.approx(2 / deviation)
    assert channel.of(2) == pytest.approx(0.0)
    assert channel.of(99) == pytest.approx(-1 / deviation)


def test_a_full_pool_gives_others_its_lowest_score() -> None:
    scores = [(row, float(POOL - row)) for row in range(POOL)]
    channel = standardise(scores, library=5 * POOL, weight=1.0)
    assert channel.of(POOL + 1) == pytest.approx(channel.of(POOL - 1))


@pytest.mark.parametrize("scores", [[], [(1, 4.0)], [(1, 4.0), (2, 4.0)]])
def test_a_channel_that_tells_no_skills_apart_gives_nothing(scores: list[tuple[int, float]]) -> None:
    channel = standardise(scores, library=len(scores), weight=1.0)
    assert [channel.of(row) for row in (1, 2, 3)] == [0.0, 0.0, 0.0]


def test_channels_add_up_best_first_and_ties_by_row() -> None:
    one = standardise([(5, 2.0), (3, 2.0), (4, 1.0)], library=3, weight=1.0)
    other = standardise([(4, 9.0)], library=3, weight=0.5)
    # the first: mean 5/3, deviation sqrt(2)/3; so 5 and 3 are at 1/sqrt(2), 4 at -sqrt(2)
    # the second: 9, 0, 0: mean 3, deviation sqrt(18); so 4 is at sqrt(2), others at -1/sqrt(2)
    half = 1 / math.sqrt(2)
    assert fuse([one, other]) == [
        (3, pytest.approx(half - 0.5 * half)),
        (5, pytest.approx(half - 0.5 * half)),
        (4, pytest.approx(-math.sqrt(2) + 0.5 * math.sqrt(2))),
    ]


def test_no_channels_rank_nothing() -> None:
    assert fuse([]) == []


@given(pools, pools, st.floats(0, 3), st.integers(60, 5000))
def test_a_fused_score_is_the_sum_of_what_the_channels_give(
    one: list[tuple[int, float]], other: list[tuple[int, float]], weight: float, library: int
) -> None:
    channels = [
        standardise(one, library=library, weight=1.0),
        standardise(other, library=library, weight=weight),
    ]
    fused = fuse(channels)
    for row, score in fused:
        assert score == pytest.approx(math.fsum(channel.of(row) for channel in channels), abs=1e-9)
    assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))


@given(pools, st.integers(60, 2000), st.randoms())
def test_the_order_in_which_scores_come_does_not_matter(
    scores: list[tuple[int, float]], library: int, random: object
) -> None:
    shuffled = list(scores)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (standardise(s, library=library, weight=1.0) for s in (scores, shuffled))
    assert one.of(scores[0][0] if scores else 1) == other.of(scores[0][0] if scores else 1)
    assert fuse([one]) == fuse([other])


@given(pools, st.integers(60, 900))
def test_a_standardised_channel_has_mean_zero_and_deviation_one(
    scores: list[tuple[int, float]], library: int
) -> None:
    channel = standardise(scores, library=library, weight=1.0)
    values = [channel.of(row) for row in range(1, library + 1)]
    if channel.gain:
        assert math.fsum(values) / library == pytest.approx(0.0, abs=1e-6)
        assert math.fsum(value**2 for value in values) / library == pytest.approx(1.0, abs=1e-6)

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from skillquiver.evaluate.results import Interval
from skillquiver.evaluate.significance import (
    holm,
    mcnemar_exact,
    mean_interval,
    newcombe_paired,
    paired,
    unpaired,
    wilson,
)
from skillquiver.settings import EvalSettings

SETTINGS = EvalSettings()
DRAWN = np.random.default_rng(5)
A = {f"q{i}": float(v) for i, v in enumerate(DRAWN.normal(0.6, 0.3, 40))}
B = {f"q{i}": float(v) for i, v in enumerate(DRAWN.normal(0.5, 0.3, 40))}


def ends(found: Interval) -> list[float]:
    return [found.low, found.high]


# --- resampling ------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_that_of_scipys_percentile_bootstrap() -> None:
    theirs = stats.bootstrap(
        (list(A.values()),),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    ours = mean_interval(A, {}, SETTINGS)
    assert ours.value == pytest.approx(np.mean(list(A.values())))
    assert ends(ours) == pytest.approx(list(theirs.confidence_interval), abs=0.005)
    assert ours.n == 40


def test_the_level_of_an_interval_is_a_setting() -> None:
    theirs = stats.bootstrap(
        (list(A.values()),),
        np.mean,
        n_resamples=20_000,
        confidence_level=0.8,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    ours = mean_interval(A, {}, EvalSettings(level=0.8))
    assert ends(ours) == pytest.approx(list(theirs.confidence_interval), abs=0.005)


def test_queries_of_one_task_are_averaged_before_anything_is_drawn() -> None:
    values = {"a1": 1.0, "a2": 0.0, "b": 1.0}
    found = mean_interval(values, {"a1": "a", "a2": "a"}, SETTINGS)
    assert (found.value, found.n) == (0.75, 2)  # (1/2 + 1) / 2
    assert ends(found) == [0.5, 1.0]  # the only means are 1/2, 3/4 and 1


def test_duplicated_queries_do_not_narrow_an_interval() -> None:
    twice = A | {f"{name} again": value for name, value in A.items()}
    clusters = {name: name.removesuffix(" again") for name in twice}
    assert mean_interval(twice, clusters, SETTINGS) == mean_interval(A, {}, SETTINGS)
    naive = mean_interval(twice, {}, SETTINGS)
    honest = mean_interval(A, {}, SETTINGS)
    assert naive.high - naive.low < 0.8 * (honest.high - honest.low)


def test_values_that_are_not_numbers_are_left_out() -> None:
    assert mean_interval(A | {"none": math.nan}, {}, SETTINGS) == mean_interval(A, {}, SETTINGS)


def test_the_mean_of_nothing_has_no_value() -> None:
    found = mean_interval({}, {}, SETTINGS)
    assert found.n == 0
    assert math.isnan(found.value)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    assert mean_interval(A, {}, SETTINGS) == mean_interval(A, {}, SETTINGS)
    assert mean_interval(A, {}, SETTINGS) != mean_interval(A, {}, EvalSettings(seed=1))


def test_many_values_are_drawn_in_steps() -> None:
    many = {str(i): float(i % 2) for i in range(3000)}
    found = mean_interval(many, {}, SETTINGS)  # 10,000 draws of 3,000 are more than one step holds
    half = 1.96 * 0.5 / math.sqrt(3000)
    assert ends(found) == pytest.approx([0.5 - half, 0.5 + half], abs=0.001)


def test_a_paired_difference_is_tested_by_flipping_signs() -> None:
    gaps = [A[name] - B[name] for name in A]
    theirs = stats.permutation_test(
        (list(A.values()), list(B.values())),
        lambda x, y: np.mean(x - y),
        permutation_type="samples",
        vectorized=False,
        n_resamples=5_000,
        rng=np.random.default_rng(1),
    )
    found = paired(A, B, {}, SETTINGS)
    assert found.difference.value == pytest.approx(np.mean(gaps))
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert (found.won, found.lost) == (sum(g > 0 for g in gaps), sum(g < 0 for g in gaps))


def test_a_systems_difference_to_itself_is_none() -> None:
    found = paired(A, A, {}, SETTINGS)
    assert (ends(found.difference), found.p, found.won, found.lost) == ([0, 0], 1.0, 0, 0)


def test_the_smallest_p_value_is_one_over_the_draws() -> None:
    found = paired(dict.fromkeys(A, 1.0), dict.fromkeys(A, 0.0), {}, SETTINGS)
    assert found.p == 1 / 10_001  # 2 of 2^40 flips reach it: none is drawn


def test_only_queries_that_both_have_are_compared() -> None:
    found = paired({"a": 1.0, "b": 0.0}, {"b": 1.0, "c": 9.0}, {}, SETTINGS)
    assert (found.difference.value, found.difference.n, found.lost) == (-1.0, 1, 1)


def test_two_groups_of_other_tasks_are_compared_by_drawing_each_of_them() -> None:
    theirs = stats.bootstrap(
        (list(A.values()), list(B.values())[:15]),
        lambda x, y, axis=-1: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    few = dict(list(B.items())[:15])
    found = unpaired(A, few, {}, SETTINGS)
    assert found.value == pytest.approx(np.mean(list(A.values())) - np.mean(list(few.values())))
    assert ends(found) == pytest.approx(list(theirs.confidence_interval), abs=0.01)
    assert found.n == 55


def test_a_group_without_a_value_has_no_difference() -> None:
    assert math.isnan(unpaired(A, {}, {}, SETTINGS).value)
    assert unpaired({}, A, {}, SETTINGS).n == 40


# --- exact tests and shares --------------------------------------------------------------------------


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemars_exact_test_is_that_of_statsmodels(won: int, lost: int) -> None:
    theirs = mcnemar([[7, won], [lost, 5]], exact=True).pvalue if won + lost else 1.0
    assert mcnemar_exact(won, lost) == pytest.approx(min(1.0, theirs))


def test_mcnemars_exact_test_by_hand() -> None:
    assert mcnemar_exact(1, 5) == 2 * (1 + 6) / 64
    assert mcnemar_exact(0, 0) == 1.0


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilsons_interval_is_that_of_statsmodels(n: int, part: float, level: float) -> None:
    successes = round(part * n)
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    found = wilson(successes, n, level=level)
    assert ends(found) == pytest.approx([low, high], abs=1e-9)
    assert found.value == successes / n


def test_a_share_of_nothing_can_be_anything() -> None:
    found = wilson(0, 0)
    assert (ends(found), found.n, math.isnan(found.value)) == ([0, 1], 0, True)


def test_newcombes_interval_of_a_published_example() -> None:
    # Airway hyper-responsiveness before and after a transplantation, 21 children (Bentur et al., 2009), as
    # worked out by Fagerland, Lydersen & Laake (2014): -0.286 [-0.507, -0.026], square-and-add. The corrected
    # correlation is 0: 1 * 12 - 1 * 7 = 5 is below 21 / 2.
    found = newcombe_paired(1, 1, 7, 12)
    assert [found.value, *ends(found)] == pytest.approx([-6 / 21, -0.507, -0.026], abs=6e-4)


def by_square_and_add(counts: tuple[int, int, int, int], phi: float) -> list[float]:
    """Method 10 with a given correlation, from statsmodels' Wilson limits."""
    both, first, second = counts[:3]
    n = sum(counts)
    low1, high1 = proportion_confint(both + first, n, method="wilson")
    low2, high2 = proportion_confint(both + second, n, method="wilson")
    p1, p2 = (both + first) / n, (both + second) / n
    below = (p1 - low1) ** 2 - 2 * phi * (p1 - low1) * (high2 - p2) + (high2 - p2) ** 2
    above = (high1 - p1) ** 2 - 2 * phi * (high1 - p1) * (p2 - low2) + (p2 - low2) ** 2
    return [p1 - p2 - math.sqrt(below), p1 - p2 + math.sqrt(above)]


@pytest.mark.parametrize(
    ("counts", "phi"),
    [
        ((20, 12, 2, 16), (20 * 16 - 12 * 2 - 25) / math.sqrt(32 * 18 * 22 * 28)),  # corrected by n / 2
        ((10, 9, 8, 9), 0.0),  # 90 - 72 = 18 is no more than 36 / 2
        ((2, 10, 12, 3), (2 * 3 - 10 * 12) / math.sqrt(12 * 15 * 14 * 13)),  # negative: not corrected
        ((36, 12, 2, 0), (0 - 24) / math.sqrt(48 * 2 * 38 * 12)),
        ((50, 0, 0, 0), 0.0),  # no margin
    ],
)
def test_newcombes_correlation_is_corrected_where_it_is_positive(
    counts: tuple[int, int, int, int], phi: float
) -> None:
    assert ends(newcombe_paired(*counts)) == pytest.approx(by_square_and_add(counts, phi))


@given(st.tuples(*[st.integers(0, 40)] * 4))
def test_newcombes_interval_holds_the_difference_and_turns_round_with_the_systems(
    counts: tuple[int, int, int, int],
) -> None:
    both, first, second, neither = counts
    found, turned = newcombe_paired(*counts), newcombe_paired(both, second, first, neither)
    assert -1 - 1e-9 <= found.low <= found.high <= 1 + 1e-9
    if sum(counts):
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
        assert [turned.low, turned.high] == pytest.approx([-found.high, -found.low])


def test_a_difference_of_nothing_can_be_anything() -> None:
    found = newcombe_paired(0, 0, 0, 0)
    assert (ends(found), found.n) == ([-1, 1], 0)


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holms_correction_is_that_of_statsmodels(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="holm")[1] if p_values else []
    assert list(holm(p_values)) == pytest.approx(list(theirs))


def test_holms_correction_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx((0.06, 0.03, 0.06))  # 3 x .01, 2 x .03, then no less

"""Sentences that claim no more than their intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from skillquiver.evaluate import wording
from skillquiver.evaluate.results import Interval
from skillquiver.evaluate.significance import Paired
from skillquiver.evaluate.wording import (
    cell,
    family,
    gap_text,
    interval_text,
    least_changes,
    p_text,
    verdict,
)
from skillquiver.settings import EvalSettings

SETTINGS = EvalSettings()


def found(
    value: float, low: float, high: float, *, p: float = 0.01, score: tuple[int, int] = (9, 1)
) -> Paired:
    return Paired(Interval(value, low, high, 50), p, *score)


def said(one: Paired, adjusted: float | None = None, tests: int = 4) -> str:
    return verdict(
        "X", "recall", wording.Tested(one, one.p if adjusted is None else adjusted, tests), SETTINGS
    )


def test_an_interval_beside_zero_with_a_small_p_is_a_statement() -> None:
    assert said(found(0.16, 0.04, 0.28), 0.04) == (
        "X raises recall (+0.160 [+0.040, +0.280], better in 9 and worse in 1 of 50 tasks; "
        "p = 0.0400 after Holm's correction for 4 tests)"
    )
    assert said(found(-0.16, -0.28, -0.04), 0.04).startswith("X lowers recall (-0.160")


@pytest.mark.parametrize(("low", "high"), [(-0.02, 0.2), (0.0, 0.2), (-0.2, 0.0), (-0.2, 0.01)])
def test_an_interval_that_holds_zero_is_no_evidence_however_small_p_is(low: float, high: float) -> None:
    text = said(found((low + high) / 2, low, high, p=0.0001), 0.0001)
    assert text.startswith("no evidence that X changes recall (")
    assert f"the interval reaches {(high - low) / 2:.3f} to either side" in text
    assert "raises" not in text
    assert "lowers" not in text


def test_what_does_not_survive_the_correction_is_a_hint() -> None:
    assert said(found(0.16, 0.04, 0.28, p=0.02), 0.08).startswith(
        "a hint, but no evidence, that X raises recall (+0.160"
    )
    assert said(found(-0.16, -0.28, -0.04, p=0.02), 0.08).startswith(
        "a hint, but no evidence, that X lowers recall"
    )


def test_where_no_task_changed_the_share_that_could_is_wilsons() -> None:
    most = proportion_confint(0, 50, method="wilson")[1]
    text = said(found(0.0, 0.0, 0.0, p=1.0, score=(0, 0)))
    assert text.endswith(f"; up to {most:.1%} of such tasks could change without one of them here)")
    assert "up to 7.1%" in text  # z^2 / (n + z^2) = 3.84 / 53.84


def test_too_few_changed_tasks_are_told() -> None:
    few = "fewer than 6 changed tasks show nothing"
    assert few in said(found(0.08, -0.01, 0.2, score=(5, 0)))
    assert few not in said(found(0.08, -0.01, 0.2, score=(5, 1)))


def test_no_task_tells_nothing() -> None:
    nothing = Paired(Interval(math.nan, math.nan, math.nan, 0), 1.0, 0, 0)
    assert said(nothing) == "X: no task tells anything about recall"
    assert cell(nothing.difference) is None
    assert cell(found(0.1, 0.0, 0.2).difference) == Interval(0.1, 0.0, 0.2, 50)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_least_changes_is_where_scipys_sign_test_begins_to_tell(level: float) -> None:
    least = least_changes(level)
    assert binomtest(least, least).pvalue <= 1 - level < binomtest(least - 1, least - 1).pvalue


def test_the_level_of_a_hint_is_a_setting() -> None:
    one = wording.Tested(found(0.16, 0.04, 0.28), 0.08, 4)
    assert verdict("X", "recall", one, replace(SETTINGS, level=0.9)).startswith("X raises")


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=20))
def test_a_family_is_corrected_as_statsmodels_does(p_values: list[float]) -> None:
    tested = family({at: found(0.1, 0.0, 0.2, p=p) for at, p in enumerate(p_values)})
    theirs = multipletests(p_values, method="holm")[1]
    assert [one.adjusted for one in tested.values()] == pytest.approx(list(theirs))
    assert {one.tests for one in tested.values()} == {len(p_values)}


@given(st.floats(min_value=0, max_value=1, exclude_min=True))
def test_p_is_never_said_to_be_zero(p: float) -> None:
    assert p_text(p) not in ("p = 0.0000", "p < 0.0000")
    assert p_text(p).startswith("p < 0.0001" if p < 0.0001 else "p = ")


def test_intervals_have_three_decimals_and_differences_their_sign() -> None:
    assert interval_text(Interval(0.12345, 0.0, 1.0, 3)) == "0.123 [0.000, 1.000]"
    assert gap_text(Interval(-0.12345, -0.5, 0.0, 3)) == "-0.123 [-0.500, +0.000]"

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from skillquiver.evaluate.answers import Answer
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.reliability import BINS, Reliability, reliability
from skillquiver.evaluate.results import Interval
from tests.evaluate.scripted import task

Said = tuple[float, bool]
"""Confidence of the first result, and whether it is right."""


def found(*said: Said) -> Reliability:
    tasks = [task(f"q{at}", f"query {at}", "right") for at in range(len(said))]
    answers = {
        one.query_id: Answer(("right" if right else "wrong", "right"), confidence, none=False)
        for one, (confidence, right) in zip(tasks, said, strict=True)
    }
    return reliability([(QuerySet("set", tuple(tasks)), answers)], "hybrid")


def errors(reliable: Reliability) -> tuple[float, float]:
    """Expected calibration error and Brier score, as they are said."""
    words = reliable.answer.replace(")", " ").split()
    return float(words[words.index("by") + 1]), float(words[words.index("score") + 1])


def rows(reliable: Reliability) -> dict[str, tuple[int, float, float]]:
    """Queries, mean confidence and share right of every bin."""
    (table,) = reliable.tables
    named: dict[str, tuple[int, float, float]] = {}
    for name, count, mean, right in table.rows:
        assert isinstance(right, Interval)
        named[str(name)] = (count, mean, right.value)  # type: ignore[assignment]
    return named


def test_calibration_error_and_brier_score_by_hand() -> None:
    reliable = found((0.95, True), (0.91, False), (0.25, False), (0.25, False), (0.25, True))
    # bins: two at 0.93, half right; three at 0.25, a third right
    error = (2 * abs(0.93 - 1 / 2) + 3 * abs(0.25 - 1 / 3)) / 5
    brier = (0.05**2 + 0.91**2 + 0.25**2 + 0.25**2 + 0.75**2) / 5
    assert errors(reliable) == (pytest.approx(error, abs=5e-4), pytest.approx(brier, abs=5e-4))
    assert rows(reliable) == {
        "0.2 to 0.3": (3, pytest.approx(0.25), pytest.approx(1 / 3)),
        "0.9 to 1.0": (2, pytest.approx(0.93), 0.5),
        "all": (5, pytest.approx(0.522), 0.4),
    }


@pytest.mark.parametrize(
    ("confidence", "name"),
    [
        (0.0, "0.0 to 0.1"),
        (0.1, "0.1 to 0.2"),
        (0.3, "0.3 to 0.4"),
        (0.0999, "0.0 to 0.1"),
        (1.0, "0.9 to 1.0"),
    ],
)
def test_a_bin_has_its_lower_end_and_the_last_one_both(confidence: float, name: str) -> None:
    assert list(rows(found((confidence, True)))) == [name, "all"]


def test_who_is_always_sure_and_always_right_is_off_by_nothing() -> None:
    assert errors(found((1.0, True), (1.0, True), (0.0, False))) == (0.0, 0.0)
    assert errors(found((1.0, False), (0.0, True))) == (1.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_both_are_those_of_their_definitions(said: list[Said]) -> None:
    bins: dict[int, list[Said]] = {}
    for confidence, right in said:
        at = max(i for i, low in enumerate(BINS[:-1]) if confidence >= low)
        bins.setdefault(at, []).append((confidence, right))
    error = math.fsum(abs(math.fsum(c - r for c, r in own)) for own in bins.values()) / len(said)
    brier = fmean((c - r) ** 2 for c, r in said)
    assert errors(found(*said)) == (pytest.approx(error, abs=6e-4), pytest.approx(brier, abs=6e-4))


def test_the_interval_of_a_bin_is_wilsons() -> None:
    (table,) = found(*[(0.55, at < 7) for at in range(10)]).tables
    right = table.rows[0][3]
    assert isinstance(right, Interval)
    assert (right.low, right.high) == pytest.approx(proportion_confint(7, 10, method="wilson"))
    assert right.n == 10


# --- which queries count ---------------------------------------------------------------------------


def told(tasks: Sequence[Task], answers: dict[str, Answer]) -> Reliability:
    return reliability([(QuerySet("set", tuple(tasks)), answers)], "hybrid")


RIGHT, WRONG = Answer(("a", "b"), 0.75, none=False), Answer(("x", "a"), 0.75, none=False)


def test_only_the_first_result_is_held_against_its_confidence() -> None:
    tasks = [task("1", "one", "a"), task("2", "two", "a", "x")]
    assert rows(told(tasks, {"1": WRONG, "2": WRONG}))["all"] == (2, 0.75, 0.5)


def test_what_is_said_to_an_off_topic_query_is_wrong() -> None:
    assert rows(told([task("off", "off")], {"off": RIGHT}))["all"] == (1, 0.75, 0.0)


def test_queries_of_which_nobody_knows_the_answer_do_not_count() -> None:
    tasks = [
        task("gone", "gold is not held", missing=("elsewhere",)),
        task("rejects", "says only what is wrong", rejects=True),
        task("known", "is known", "a"),
    ]
    answers = dict.fromkeys(("gone", "rejects", "known"), RIGHT)
    assert rows(told(tasks, answers))["all"] == (1, 0.75, 1.0)
    assert told(tasks[:2], answers) == Reliability()


def test_an_empty_answer_has_no_first_result() -> None:
    assert told([task("1", "one", "a")], {"1": Answer((), 0.0, none=True)}) == Reliability()


def test_the_first_of_queries_that_are_resampled_together_counts() -> None:
    tasks = [task("1", "one", "a", cluster="t"), task("2", "two", "a", cluster="t")]
    assert rows(told(tasks, {"1": WRONG, "2": RIGHT}))["all"] == (1, 0.75, 0.0)


def test_equal_units_of_two_sets_both_count() -> None:
    sets = [(QuerySet(name, (task("1", "one", "a"),)), {"1": RIGHT}) for name in ("one", "two")]
    assert rows(reliability(sets, "hybrid"))["all"] == (2, 0.75, 1.0)


def test_the_plot_has_a_point_for_each_bin_and_the_diagonal() -> None:
    (plot,) = found((0.95, True), (0.91, False), (0.25, False)).plots
    (series,) = plot.series
    assert plot.diagonal
    assert (series.x, series.y) == (pytest.approx((0.25, 0.93)), (0.0, 0.5))
    assert all(low <= y <= high for low, y, high in zip(series.low, series.y, series.high, strict=True))

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from scipy.stats import binomtest

from skillquiver.evaluate.agents.outcome import agents_section
from skillquiver.evaluate.agents.trials import Trial
from skillquiver.evaluate.results import Interval, Section, Table
from skillquiver.settings import EvalSettings

SETTINGS = EvalSettings(draws=2_000)


def _trials(arm: str, rewards: Iterable[Any], *, agent: str = "a", start: int = 0) -> list[Trial]:
    """One trial a task, ``t00``, ``t01``, …; a text is an error."""
    return [
        Trial(task=f"t{at:02}", arm=arm, agent=agent, error=r if isinstance(r, str) else "",
              reward=None if isinstance(r, str) else float(r))
        for at, r in enumerate(rewards, start=start)
    ]  # fmt: skip


def _table(section: Section, start: str) -> Table:
    return next(table for table in section.tables if table.caption.startswith(start))


def _pairs(section: Section) -> dict[Any, tuple[Any, ...]]:
    return {row[0]: row[1:] for row in _table(section, "Pairs").rows}


def test_pairs_are_compared_over_tasks_with_skillquiver_first() -> None:
    ours, theirs = [1] * 9 + [0, 1, 0], [0] * 8 + [1, 1, 1, 0]
    section = agents_section(_trials("vector", theirs) + _trials("skillquiver", ours), SETTINGS)
    tasks, reward, p, gained, lost, p_solved = _pairs(section)["skillquiver − vector"]
    assert (tasks, gained, lost) == (12, 8, 1)
    assert reward.value == pytest.approx(7 / 12)
    assert p_solved == pytest.approx(binomtest(8, 9, 0.5).pvalue)
    assert 0.0 < p < 0.06
    assert "reward +0.583" in section.answer
    assert "over 12 tasks" in section.answer
    assert section.warnings == ()


def test_trials_of_one_task_are_averaged_and_do_not_narrow_anything() -> None:
    once = _trials("vector", [0, 1, 0, 1]) + _trials("none", [0, 0, 0, 1])
    one, many = agents_section(once, SETTINGS), agents_section(once * 5, SETTINGS)
    assert _pairs(one) == _pairs(many)
    assert one.samples == many.samples
    mixed = _trials("vector", [1]) + _trials("vector", [0])
    assert agents_section(mixed, SETTINGS).samples["vector, reward"] == {"t00": 0.5}


def test_a_task_is_solved_if_more_than_half_of_its_trials_solved_it() -> None:
    trials = [t for rewards in ([1, 1], [1, 0], [0, 0.99]) for t in _trials("vector", rewards)]
    solved = agents_section(trials, SETTINGS).samples["vector, solved"]
    assert solved == {"t00": 1.0, "t01": 0.0}  # two of three, one of three


def test_errors_are_left_out_of_the_reward_counted_by_kind_and_shown_as_nothing_beside_it() -> None:
    trials = _trials("vector", [1, "ApiError", "ApiError", "no reward", 0])
    section = agents_section(trials, SETTINGS)
    row = dict(zip(_table(section, "Arms").columns, _table(section, "Arms").rows[0], strict=True))
    assert (row["tasks"], row["trials"], row["without a reward"]) == (5, 5, 3)
    assert isinstance(row["reward"], Interval)
    assert isinstance(row["reward, errors as 0"], Interval)
    assert (row["reward"].value, row["reward"].n) == (0.5, 2)
    assert (row["reward, errors as 0"].value, row["reward, errors as 0"].n) == (0.2, 5)
    errors = _table(section, "Trials without")
    assert [row[:3] for row in errors.rows] == [("vector", "ApiError", 2), ("vector", "no reward", 1)]
    assert any("3 of 5 trials have no reward" in text for text in section.warnings)


def test_tasks_that_one_arm_has_no_reward_for_are_in_no_pair() -> None:
    trials = _trials("vector", [1, 1, "x"]) + _trials("none", [0, "x", 0])
    tasks, reward, *_ = _pairs(agents_section(trials, SETTINGS))["vector − none"]
    assert (tasks, reward.value) == (1, 1.0)


def test_arms_without_a_task_in_common_are_not_compared_and_nothing_is_nan() -> None:
    trials = _trials("vector", [1, 1]) + _trials("none", [0], start=5) + _trials("all", ["x"])
    section = agents_section(trials, SETTINGS)
    assert _pairs(section)["vector − none"] == (0, None, None, 0, 0, None)
    assert "nan" not in repr(section).lower().replace("nan-", "")


def test_arms_are_compared_within_one_agent_only_and_named_with_it() -> None:
    trials = [
        *_trials("vector", [1, 0], agent="x m1"),
        *_trials("none", [0, 0], agent="x m1"),
        *_trials("vector", [1, 1], agent="y m2"),
    ]
    section = agents_section(trials, SETTINGS)
    assert list(_pairs(section)) == ["vector (x m1) − none (x m1)"]
    assert "vector (y m2), reward" in section.samples


def test_p_values_of_several_pairs_are_corrected_together() -> None:
    trials = _trials("skillquiver", [1] * 8) + _trials("vector", [0] * 8) + _trials("none", [0] * 8)
    pairs = _pairs(agents_section(trials, SETTINGS))
    raw = binomtest(8, 8, 0.5).pvalue
    assert pairs["skillquiver − vector"][5] == pytest.approx(3 * raw)
    assert pairs["skillquiver − none"][5] == pytest.approx(3 * raw)
    assert pairs["vector − none"][5] == 1.0


def test_one_arm_alone_is_said_to_be_alone() -> None:
    section = agents_section(_trials("vector", [1, 0]), SETTINGS)
    assert section.answer.startswith("vector: reward 0.500 [")
    assert "one arm alone: nothing to compare with" in section.warnings


def test_no_reward_at_all_and_no_trial_at_all_are_said() -> None:
    assert agents_section(_trials("", ["x"]), SETTINGS).answer == "No trial has a reward."
    empty = agents_section([], SETTINGS, notes=["a note"])
    assert (empty.answer, empty.samples, empty.warnings[0]) == ("No trial has a reward.", {}, "a note")


def test_uneven_numbers_of_trials_are_said() -> None:
    trials = _trials("vector", [1, 0]) + _trials("vector", [1])
    assert "vector: not every task has as many trials" in agents_section(trials, SETTINGS).warnings


def test_the_same_trials_in_another_order_give_the_same_section() -> None:
    trials = _trials("vector", [1, 0, "x"]) + _trials("none", [0, 1, 1])
    assert agents_section(trials, SETTINGS) == agents_section(trials[::-1], SETTINGS)

"""Trials of several arms, side by side: rewards, solved tasks, errors, and what they cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from skillquiver.evaluate.agents.arms import AgentArm
from skillquiver.evaluate.agents.trials import Trial
from skillquiver.evaluate.results import Cell, Interval, Section, Table
from skillquiver.evaluate.significance import Paired, holm, mcnemar_exact, mean_interval, paired, wilson
from skillquiver.evaluate.wording import gap_text, interval_text
from skillquiver.settings import EvalSettings

__all__ = ["FEW_TASKS", "agents_section"]

FEW_TASKS = 10
"""Below, no exact test of pairs that disagree can be convincing: six of six give p = 0.03."""

SOLVED = 1.0
"""A trial solved its task if its reward is at least this: what test suites give if every test passes."""

_ERROR_SHARE = 0.05
"""Share of trials without a valid reward from which a warning says so."""

_ORDER = {arm.value: place for place, arm in enumerate(reversed(AgentArm))}
"""Skillquiver first, so that differences read "Skillquiver minus the other"."""


@dataclass(frozen=True)
class _System:
    """One arm with one agent. Values are means over a task's trials."""

    arm: str
    agent: str
    trials: tuple[Trial, ...]

    def rewards(self, *, errors: float | None = None) -> Mapping[str, float]:
        """Mean reward by task; trials without one are left out, or count as ``errors``."""
        found: dict[str, list[float]] = defaultdict(list)
        for trial in self.trials:
            value = errors if trial.reward is None else trial.reward
            if value is not None:
                found[trial.task].append(value)
        return {task: fmean(values) for task, values in sorted(found.items())}

    def solved(self) -> Mapping[str, float]:
        """1 for a task that more than half of its trials with a reward solved, else 0."""
        found: dict[str, list[bool]] = defaultdict(list)
        for trial in self.trials:
            if trial.reward is not None:
                found[trial.task].append(trial.reward >= SOLVED)
        return {task: float(sum(v) * 2 > len(v)) for task, v in sorted(found.items())}

    @property
    def errors(self) -> tuple[Trial, ...]:
        """Trials without a valid reward."""
        return tuple(trial for trial in self.trials if trial.reward is None)


def agents_section(trials: Iterable[Trial], settings: EvalSettings, *, notes: Sequence[str] = ()) -> Section:
    """Compare the arms of ``trials``; replicates of a task are averaged before anything is resampled.

    ``notes`` are warnings of whoever read the trials.
    """
    systems = _systems(trials)
    names = _names(systems)
    pairs = [(a, b) for a, b in combinations(systems, 2) if a.agent == b.agent]
    compared = [_compare(a, b, settings) for a, b in pairs]
    labels = [f"{names[a.arm, a.agent]} − {names[b.arm, b.agent]}" for a, b in pairs]
    return Section(
        name="agents",
        title="Agents",
        question="Do agents do more tasks with the skills of one arm than with another's?",
        source=(
            "Arms of Graph-of-Skills; means over tasks, trials of a task averaged first; paired bootstrap "
            "and sign-flip test over tasks, exact McNemar test of solved tasks, Holm's correction."
        ),
        answer=_answer(labels, compared) or _alone(systems, settings),
        tables=_tables(systems, names, _pairs_table(labels, compared), settings),
        samples=_samples(systems, names),
        warnings=(*notes, *_warnings(systems, names, compared, labels)),
    )


# --- figures -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Compared:
    """First minus second, over the tasks that both have a reward for."""

    tasks: int
    reward: Paired
    gained: int
    lost: int
    p_solved: float


def _compare(a: _System, b: _System, settings: EvalSettings) -> _Compared:
    first, second = a.rewards(), b.rewards()
    one, two = a.solved(), b.solved()
    both = [task for task in one if task in two]
    gained = sum(one[task] > two[task] for task in both)
    lost = sum(one[task] < two[task] for task in both)
    return _Compared(
        len(both), paired(first, second, {}, settings), gained, lost, mcnemar_exact(gained, lost)
    )


def _systems(trials: Iterable[Trial]) -> list[_System]:
    groups: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.agent, trial.arm].append(trial)
    keys = sorted(groups, key=lambda key: (key[0], _ORDER.get(key[1], len(_ORDER)), key[1]))
    return [_System(arm, agent, tuple(groups[agent, arm])) for agent, arm in keys]


def _names(systems: Sequence[_System]) -> Mapping[tuple[str, str], str]:
    """Arm alone, with the agent where there are several."""
    several = len({system.agent for system in systems}) > 1
    return {
        (s.arm, s.agent): f"{s.arm or 'unnamed'} ({s.agent or 'unknown agent'})"
        if several
        else s.arm or "unnamed"
        for s in systems
    }


def _samples(
    systems: Sequence[_System], names: Mapping[tuple[str, str], str]
) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, Mapping[str, float]] = {}
    for system in systems:
        name = names[system.arm, system.agent]
        found[f"{name}, reward"] = system.rewards()
        found[f"{name}, reward, errors as 0"] = system.rewards(errors=0.0)
        found[f"{name}, solved"] = system.solved()
    return {key: values for key, values in found.items() if values}


# --- tables ------------------------------------------------------------------------------------------


def _tables(
    systems: Sequence[_System],
    names: Mapping[tuple[str, str], str],
    pairs: Table,
    settings: EvalSettings,
) -> tuple[Table, ...]:
    arms = Table(
        caption="Arms; intervals are over tasks",
        columns=(
            "arm",
            "tasks",
            "trials",
            "without a reward",
            "reward",
            "reward, errors as 0",
            "solved",
            "input tokens",
            "output tokens",
            "seconds",
            "dollars",
        ),
        rows=tuple(_arm_row(system, names[system.arm, system.agent], settings) for system in systems),
    )
    errors = _error_rows(systems, names)
    found = [arms] + ([pairs] if pairs.rows else [])
    if errors:
        columns = ("arm", "why", "trials", "for example")
        found.append(Table(caption="Trials without a reward", columns=columns, rows=tuple(errors)))
    return tuple(found)


def _arm_row(system: _System, name: str, settings: EvalSettings) -> tuple[Cell, ...]:
    solved = system.solved()
    return (
        name,
        len({trial.task for trial in system.trials}),
        len(system.trials),
        len(system.errors),
        _mean(system.rewards(), settings),
        _mean(system.rewards(errors=0.0), settings),
        wilson(int(sum(solved.values())), len(solved), level=settings.level) if solved else None,
        _average(system.trials, "input_tokens", 0),
        _average(system.trials, "output_tokens", 0),
        _average(system.trials, "seconds", 1),
        _average(system.trials, "cost", 4),
    )


def _mean(values: Mapping[str, float], settings: EvalSettings) -> Interval | None:
    return mean_interval(values, {}, settings) if values else None


def _average(trials: Iterable[Trial], field: str, digits: int) -> float | int | None:
    """Mean over the trials that have the value."""
    values = [value for trial in trials if (value := getattr(trial, field)) is not None]
    if not values:
        return None
    return round(fmean(values), digits) if digits else round(fmean(values))


def _pairs_table(labels: Sequence[str], compared: Sequence[_Compared]) -> Table:
    usable = [i for i, one in enumerate(compared) if one.tasks]
    rewards = dict(zip(usable, holm([compared[i].reward.p for i in usable]), strict=True))
    solved = dict(zip(usable, holm([compared[i].p_solved for i in usable]), strict=True))
    rows: list[tuple[Cell, ...]] = [
        (
            labels[i],
            one.tasks,
            one.reward.difference if i in rewards else None,
            rewards.get(i),
            one.gained,
            one.lost,
            solved.get(i),
        )
        for i, one in enumerate(compared)
    ]
    return Table(
        caption="Pairs of arms, over the tasks that both have a reward for; p corrected by Holm's method",
        columns=(
            "pair",
            "tasks",
            "reward",
            "p",
            "solved by the first alone",
            "by the second alone",
            "p solved",
        ),
        rows=tuple(rows),
    )


def _error_rows(systems: Sequence[_System], names: Mapping[tuple[str, str], str]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        kinds = Counter(trial.error for trial in system.errors)
        for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
            example = min(trial.place or trial.task for trial in system.errors if trial.error == kind)
            rows.append((names[system.arm, system.agent], kind, count, example))
    return rows


# --- words -------------------------------------------------------------------------------------------


def _answer(labels: Sequence[str], compared: Sequence[_Compared]) -> str:
    table = _pairs_table(labels, compared)
    parts = []
    for label, tasks, reward, p, gained, lost, p_solved in table.rows:
        if isinstance(reward, Interval) and isinstance(p, float) and isinstance(p_solved, float):
            parts.append(
                f"{label}: reward {gap_text(reward)} over {tasks} "
                f"tasks (p = {p:.3g}); the first alone solved {gained}, the second alone {lost} "
                f"(p = {p_solved:.3g})."
            )
    return "\n".join(parts)


def _alone(systems: Sequence[_System], settings: EvalSettings) -> str:
    parts = [
        f"{system.arm or 'unnamed'}: reward {interval_text(mean)} over {mean.n} tasks."
        for system in systems
        if (mean := _mean(system.rewards(), settings)) is not None
    ]
    return "\n".join(parts) or "No trial has a reward."


def _warnings(
    systems: Sequence[_System],
    names: Mapping[tuple[str, str], str],
    compared: Sequence[_Compared],
    labels: Sequence[str],
) -> list[str]:
    found = []
    for system in systems:
        name, failed = names[system.arm, system.agent], len(system.errors)
        if failed > _ERROR_SHARE * len(system.trials):
            found.append(
                f"{name}: {failed} of {len(system.trials)} trials have no reward and are left out of it; "
                "the column that counts them as 0 shows what that may hide"
            )
        if len({sum(t.task == task for t in system.trials) for task in {t.task for t in system.trials}}) > 1:
            found.append(f"{name}: not every task has as many trials")
    for label, one in zip(labels, compared, strict=True):
        if one.tasks < FEW_TASKS:
            found.append(f"{label}: {one.tasks} tasks in common are too few for a claim")
    if not compared:
        found.append("one arm alone: nothing to compare with")
    return found

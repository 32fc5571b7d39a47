"""Libraries of growing size, cut out of this one: time, quality, and the list of skills."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from skillquiver.errors import UsageError
from skillquiver.evaluate.experiment import EXPERIMENTS, Inputs
from skillquiver.evaluate.metrics import hit_at, recall_at
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.sampling import evenly
from skillquiver.evaluate.significance import mean_interval
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.evaluate.tokens import card_tokens
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import EvalSettings
from skillquiver.types import SkillId

__all__ = ["run", "sizes"]

STEPS = (1, 3)
"""Sizes are these times powers of ten: every step is about threefold, so few sizes span a library."""

SMALLEST = 100
"""Below, every ranking fits on a page."""

TASKS = 40
"""Tasks asked of every size, evenly from all sets: with three repeats, half a minute a size."""

REPEATS = 3
"""Times that a task is asked; its time is their median."""

WARM_UP = 3
"""Tasks asked before anything is timed."""

FIRST, AS_USERS_GET_IT = "hybrid", "second stage"
"""Of ``RANKERS``."""

Ask = Callable[[Subject, Task], object]
Times = Mapping[str, Sequence[float]]
"""What is timed → milliseconds by task."""


@dataclass(frozen=True, slots=True)
class _Size:
    """One size measured. ``scores`` maps a measure to query id to value."""

    skills: int
    times: Times
    scores: Mapping[str, Mapping[str, float]]
    cards: int


def run(subject: Subject, inputs: Inputs) -> Section:
    """Ask the same tasks of libraries of growing size. All hold the gold skills: only distractors grow."""
    tasks = _tasks(inputs.sets)
    if not tasks:
        raise UsageError("scaling needs a query whose gold skill is in the library; no query file has one")
    gold = sorted({skill_id for task in tasks.values() for group in task.gold for skill_id in group})
    order = _order(subject, gold, inputs.settings.seed)
    measured = [
        _measured(subject, order[:size], tasks, inputs.settings) for size in sizes(len(gold), len(order))
    ]
    again = _measured(subject, order[: measured[0].skills], tasks, inputs.settings)
    rankers = _rankers(subject, tasks, inputs.settings)
    clusters = {query_id: task.cluster for query_id, task in tasks.items()}
    return Section(
        name="scaling",
        title="Scaling",
        question=EXPERIMENTS["scaling"],
        source=(
            f"{len(tasks)} tasks over nested libraries that all hold their {len(gold)} gold skills; the "
            f"others come in an order drawn with seed {inputs.settings.seed}. Times are warm, encoder "
            f"included: of each task the median of {REPEATS}. The first size is measured again at the end: "
            "what it differs by is the noise of the machine."
        ),
        answer=_answer(measured, again, clusters, inputs.settings),
        tables=(
            _latency(measured, again),
            _quality(measured, clusters, inputs.settings),
            _by_ranker(rankers),
        ),
        plots=(*_by_size(measured, clusters, inputs.settings), _ranker_plot(rankers)),
        samples={
            f"{size.skills:,} skills: {measure}": values
            for size in measured
            for measure, values in size.scores.items()
        },
        clusters=clusters,
        warnings=_warnings(measured),
    )


def sizes(least: int, most: int) -> tuple[int, ...]:
    """Sizes from the first that holds ``least`` skills up to ``most``, about threefold each.

    >>> sizes(137, 8786)
    (300, 1000, 3000, 8786)
    """
    found = [step * 10**power for power in range(2, 9) for step in STEPS]
    below = [size for size in found if max(least, SMALLEST) <= size < most * 0.8]
    return (*below, most)


def _tasks(sets: Sequence[QuerySet]) -> Mapping[str, Task]:
    """An even part of every set's answerable tasks, by ``set: query id``."""
    held = [queries for queries in sets if queries.answerable]
    each = max(1, TASKS // len(held)) if held else 0
    return {
        f"{queries.name}: {task.query_id}": task
        for queries in held
        for task in evenly(queries.answerable, each)
    }


def _order(subject: Subject, gold: Sequence[SkillId], seed: int) -> list[SkillId]:
    """Gold skills, then the others in an order drawn by ``seed``."""
    rest = sorted(subject.skills.keys() - set(gold))
    random.Random(seed).shuffle(rest)  # noqa: S311 - an order, not a secret
    return [*gold, *rest]


def _measured(
    subject: Subject, ids: Sequence[SkillId], tasks: Mapping[str, Task], settings: EvalSettings
) -> _Size:
    if len(ids) == len(subject.skills):
        return _size(subject, tasks, settings)
    with subject.subset(ids) as part:
        return _size(part, tasks, settings)


def _size(subject: Subject, tasks: Mapping[str, Task], settings: EvalSettings) -> _Size:
    asked: Mapping[str, Ask] = {
        "search": lambda part, task: part.rank(task.query, top_k=settings.top_k),
        "bundle": lambda part, task: part.bundle(
            task.query, arm=Arm.REVERSE, budget=settings.budget, max_skills=settings.top_k
        ),
    }
    times = _timed(subject, list(tasks.values()), asked)
    scores: dict[str, dict[str, float]] = {"hit@1": {}, f"recall@{settings.top_k}": {}}
    for query_id, task in tasks.items():
        ids = [result.id for result in subject.rank(task.query, top_k=settings.top_k).results]
        scores["hit@1"][query_id] = hit_at(task, ids, 1)
        scores[f"recall@{settings.top_k}"][query_id] = recall_at(task, ids, settings.top_k)
    return _Size(len(subject.skills), times, scores, card_tokens(subject))


def _timed(subject: Subject, tasks: Sequence[Task], asked: Mapping[str, Ask]) -> Times:
    """Milliseconds by task; all ways are asked in turn, so that a machine that slows down slows them all."""
    subject = subject.afresh()
    for task in tasks[:WARM_UP]:
        for ask in asked.values():
            ask(subject, task)
    times: dict[str, list[float]] = {label: [] for label in asked}
    for task in tasks:
        repeats: dict[str, list[float]] = {label: [] for label in asked}
        for label, ask in _turns(asked):
            started = time.perf_counter()
            ask(subject, task)
            repeats[label].append((time.perf_counter() - started) * 1000)
        for label, found in repeats.items():
            times[label].append(median(found))
    return times


def _turns(asked: Mapping[str, Ask]) -> Iterator[tuple[str, Ask]]:
    """Every way ``REPEATS`` times, each round beginning with another."""
    ways = list(asked.items())
    for turn in range(REPEATS):
        first = turn % len(ways)
        yield from ways[first:] + ways[:first]


def _rankers(subject: Subject, tasks: Mapping[str, Task], settings: EvalSettings) -> Times:
    """Times of the rankers, and of a bundle with and without relations, on the whole library.

    A channel whose weight is 0 is computed all the same, so only the second stage makes a difference.
    """
    asked: dict[str, Ask] = {
        f"search, {name}": lambda part, task, weights=RANKERS[name]: part.rank(  # type: ignore[misc]
            task.query, top_k=settings.top_k, settings=weights
        )
        for name in (FIRST, AS_USERS_GET_IT)
    }
    for label, arm in (("bundle, flat", Arm.FLAT), ("bundle, with relations", Arm.REVERSE)):
        asked[label] = lambda part, task, arm=arm: part.bundle(  # type: ignore[misc]
            task.query, arm=arm, budget=settings.budget, max_skills=settings.top_k
        )
    return _timed(subject, list(tasks.values()), asked)


# --- what it says ------------------------------------------------------------------------------------


def _p50(times: Sequence[float]) -> float:
    return sorted(times)[len(times) // 2]


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.95))]


def _answer(
    measured: Sequence[_Size], again: _Size, clusters: Mapping[str, str], settings: EvalSettings
) -> str:
    first, last = measured[0], measured[-1]
    if len(measured) == 1:
        search, bundle = _p50(last.times["search"]), _p50(last.times["bundle"])
        return (
            f"With all {last.skills:,} skills a search takes {search:.1f} ms (median), a bundle "
            f"{bundle:.1f} ms; the library is too small to be cut into sizes."
        )
    ratio = {way: _p50(last.times[way]) / _p50(first.times[way]) for way in ("search", "bundle")}
    noise = _p50(again.times["search"]) / _p50(first.times["search"])
    quality = ", ".join(_change(measure, first, last, clusters, settings) for measure in first.scores)
    return (
        f"From {first.skills:,} to {last.skills:,} skills ({last.skills / first.skills:.0f} times), a search "
        f"takes {ratio['search']:.1f} times as long ({_p50(first.times['search']):.1f} to "
        f"{_p50(last.times['search']):.1f} ms, median) and a bundle {ratio['bundle']:.1f} times; the first "
        f"size, measured again, took {noise:.2f} times its first time.\n{quality}, while the list of cards "
        f"grows from {first.cards:,} to {last.cards:,} tokens."
    )


def _change(
    measure: str, first: _Size, last: _Size, clusters: Mapping[str, str], settings: EvalSettings
) -> str:
    one, two = (mean_interval(size.scores[measure], clusters, settings) for size in (first, last))
    return f"{measure} goes from {one.value:.2f} to {two.value:.2f} [{two.low:.2f}, {two.high:.2f}]"


def _latency(measured: Sequence[_Size], again: _Size) -> Table:
    first = measured[0]
    named = [(f"{size.skills:,}", size) for size in measured]
    rows: list[tuple[Cell, ...]] = []
    for label, size in [*named, (f"{again.skills:,} again", again)]:
        cells: list[Cell] = [label]
        for way in ("search", "bundle"):
            times = size.times[way]
            cells += [
                round(_p50(times), 1),
                round(_p95(times), 1),
                round(_p50(times) / _p50(first.times[way]), 2),
            ]
        rows.append((*cells, size.cards))
    return Table(
        caption="Milliseconds by size of the library; × is the median over that of the smallest size",
        columns=(
            "skills",
            *(f"{way} {what}" for way in ("search", "bundle") for what in ("p50", "p95", "×")),
            "tokens of all cards",
        ),
        rows=tuple(rows),
    )


def _quality(measured: Sequence[_Size], clusters: Mapping[str, str], settings: EvalSettings) -> Table:
    measures = list(measured[0].scores)
    return Table(
        caption="Quality of the search as distractors grow",
        columns=("skills", *measures),
        rows=tuple(
            (f"{size.skills:,}", *(mean_interval(size.scores[m], clusters, settings) for m in measures))
            for size in measured
        ),
    )


def _by_ranker(rankers: Times) -> Table:
    base = _p50(rankers[f"search, {AS_USERS_GET_IT}"])
    return Table(
        caption="Milliseconds on the whole library; × is the median over that of the search as users get it",
        columns=("what", "p50", "p95", "×"),
        rows=tuple(
            (what, round(_p50(times), 1), round(_p95(times), 1), round(_p50(times) / base, 2))
            for what, times in rankers.items()
        ),
    )


def _by_size(
    measured: Sequence[_Size], clusters: Mapping[str, str], settings: EvalSettings
) -> tuple[Plot, ...]:
    """Nothing for a single size."""
    if len(measured) == 1:
        return ()
    return _latency_plot(measured), _quality_plot(measured, clusters, settings)


def _latency_plot(measured: Sequence[_Size]) -> Plot:
    x = tuple(float(size.skills) for size in measured)
    return Plot(
        kind="lines",
        title="Time by size of the library (median; the band ends at p95)",
        x_label="skills",
        y_label="milliseconds",
        series=tuple(
            Series(
                label=way,
                x=x,
                y=tuple(_p50(size.times[way]) for size in measured),
                low=tuple(_p50(size.times[way]) for size in measured),
                high=tuple(_p95(size.times[way]) for size in measured),
            )
            for way in ("search", "bundle")
        ),
        log_x=True,
        log_y=True,
    )


def _quality_plot(measured: Sequence[_Size], clusters: Mapping[str, str], settings: EvalSettings) -> Plot:
    series = []
    for measure in measured[0].scores:
        found = [mean_interval(size.scores[measure], clusters, settings) for size in measured]
        series.append(Series.of(measure, tuple(float(size.skills) for size in measured), found))
    return Plot(
        kind="lines",
        title="Quality as distractors grow",
        x_label="skills",
        y_label="mean over tasks",
        series=tuple(series),
        log_x=True,
    )


def _ranker_plot(rankers: Times) -> Plot:
    return Plot(
        kind="bars",
        title="Time on the whole library (median; the bar ends at p95)",
        x_label="what",
        y_label="milliseconds",
        series=(
            Series(
                label="p50",
                x=tuple(rankers),
                y=tuple(_p50(times) for times in rankers.values()),
                low=tuple(_p50(times) for times in rankers.values()),
                high=tuple(_p95(times) for times in rankers.values()),
            ),
        ),
    )


def _warnings(measured: Sequence[_Size]) -> tuple[str, ...]:
    if len(measured) == 1:
        return ("the library is too small to be cut into sizes; only the whole one is measured",)
    return ()

"""Four ways to use the graph, with the same seeds, the same most skills and the same token budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median

from skillquiver.evaluate.arm_answers import COMPARED, POOL, WAYS, Retrieved, Values, measured, retrieve
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.significance import Paired, mean_interval, paired
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.evaluate.wording import Tested, cell, family, unchanged, verdict
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import EvalSettings
from skillquiver.types import SkillId

__all__ = ["run", "thin_warnings"]

FEW_TASKS = 30
"""Below this a bootstrap interval is too narrow, and a won or lost task decides."""

PROTOCOL = (
    "The matched protocol of Graph-of-Skills: arms share ranking, seeds, most skills and token budget, and "
    "differ in the graph step alone. Available-oracle recall = gold skills in the answer / gold skills that "
    "the library holds; full-oracle recall counts those it lacks as missed; completeness = all held gold is "
    "there; precision = skills that count as gold / skills; co-recovery = pairs of gold skills of one task "
    "(whatever relations say) with both in the answer / such pairs. Replicates of a task are averaged, then "
    "tasks are resampled (percentile bootstrap of arm minus flat); p by flipping signs, corrected after "
    "Holm (1979) over all differences of this section."
)


def run(subject: Subject, inputs: Inputs) -> Section:
    """Compare the arms on every set, through expansion and through bundles."""
    sets = [queries for queries in inputs.sets if queries.answerable]
    found = {
        s.name: [retrieve(subject, task, subject.graph, inputs.settings) for task in s.answerable]
        for s in sets
    }
    values = {
        (s.name, way, arm): measured(s, found[s.name], way, arm) for s in sets for way in WAYS for arm in Arm
    }
    compared = _compared(sets, values, inputs.settings)
    tables = [table for s in sets for table in _tables(s, found[s.name], values, compared, inputs.settings)]
    return Section(
        name="arms",
        title="Four arms of the graph",
        question="Does the graph complete what is retrieved, at equal size?",
        source=PROTOCOL,
        answer=_answer(sets, found, compared, inputs.settings),
        tables=tuple(tables),
        plots=tuple(_plot(s.name, way, compared) for s in sets for way in WAYS),
        samples={
            f"{name}: {way}, {arm.value}, {measure}": of_query
            for (name, way, arm), scores in values.items()
            for measure, of_query in scores.items()
            if measure in COMPARED and of_query
        },
        warnings=(*thin_warnings(subject, inputs), *_status_warnings(sets, found)),
    )


# --- comparison --------------------------------------------------------------------------------------


_Key = tuple[str, str, Arm, str]
"""Set, way, arm, measure."""


def _compared(
    sets: Sequence[QuerySet], values: Mapping[tuple[str, str, Arm], Values], settings: EvalSettings
) -> Mapping[_Key, Tested]:
    found: dict[_Key, Paired] = {}
    for queries in sets:
        for way in WAYS:
            flat = values[queries.name, way, Arm.FLAT]
            for arm in _others():
                mine = values[queries.name, way, arm]
                for measure in COMPARED:
                    if mine[measure]:
                        key = queries.name, way, arm, measure
                        found[key] = paired(mine[measure], flat[measure], queries.clusters, settings)
    return family(found)


def _others() -> tuple[Arm, ...]:
    return tuple(arm for arm in Arm if arm is not Arm.FLAT)


def _tables(
    queries: QuerySet,
    found: Sequence[Retrieved],
    values: Mapping[tuple[str, str, Arm], Values],
    compared: Mapping[_Key, Tested],
    settings: EvalSettings,
) -> list[Table]:
    tables = []
    for way, told in WAYS.items():
        scores = {arm: values[queries.name, way, arm] for arm in Arm}
        tables.append(_levels(f"{queries.name}, {way}: {told}", queries, scores, settings))
        tables.append(_differences(queries.name, way, compared))
        tables.append(_brought(f"{queries.name}, {way}", found, way))
    return tables


def _levels(caption: str, queries: QuerySet, scores: Mapping[Arm, Values], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            arm.value,
            *(cell(mean_interval(of[measure], queries.clusters, settings)) for measure in COMPARED),
            round(fmean(of["skills"].values()), 2),
            round(fmean(of["tokens"].values()), 1),
            round(median(of["ms"].values()), 1),
        )
        for arm, of in scores.items()
    ]
    return Table(
        caption=f"{caption}; {len(queries.answerable)} tasks with held gold",
        columns=("arm", *COMPARED, "skills", "tokens", "median ms"),
        rows=tuple(rows),
    )


def _differences(name: str, way: str, compared: Mapping[_Key, Tested]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for arm in _others():
        for measure in COMPARED:
            one = compared.get((name, way, arm, measure))
            if one is not None:
                score = f"{one.found.won} : {one.found.lost}"
                rows.append(
                    (f"{arm.value}, {measure}", one.found.difference, score, one.found.p, one.adjusted)
                )
    return Table(
        caption=f"{name}, {way}: each arm minus flat, tasks won : lost",
        columns=("arm, measure", "difference", "won : lost", "p", "p (Holm)"),
        rows=tuple(rows),
    )


def _brought(caption: str, found: Sequence[Retrieved], way: str) -> Table:
    """What an arm shows and ``flat`` does not, and the other way round, over all tasks."""
    rows: list[tuple[Cell, ...]] = []
    for arm in _others():
        counts = [0] * 6
        for one in found:
            mine, flat = one.answers[way, arm].ids, one.answers[way, Arm.FLAT].ids
            new, gone = set(mine) - set(flat), set(flat) - set(mine)
            unranked = new - set(one.ranked)
            parts = (new, unranked, gone)
            counts = [
                total + size
                for total, size in zip(
                    counts, (n for part in parts for n in (len(part), _gold(one.task, part))), strict=True
                )
            ]
        rows.append((arm.value, *counts))
    return Table(
        caption=f"{caption}: skills over all tasks that an arm brought in or pushed out; unranked ones were "
        f"not among the first {POOL}",
        columns=(
            "arm",
            "brought in",
            "gold brought in",
            "unranked",
            "gold unranked",
            "pushed out",
            "gold pushed out",
        ),
        rows=tuple(rows),
    )


def _gold(task: Task, ids: Iterable[SkillId]) -> int:
    return sum(any(skill_id in group for group in task.gold) for skill_id in ids)


def _plot(name: str, way: str, compared: Mapping[_Key, Tested]) -> Plot:
    series = []
    for arm in _others():
        found = {m: compared[name, way, arm, m].found for m in COMPARED if (name, way, arm, m) in compared}
        gaps = [one.difference for one in found.values()]
        series.append(Series.of(f"{arm.value} - flat", found, gaps))
    return Plot(
        kind="points",
        title=f"{name}, {way}: what the graph changes",
        x_label="measure",
        y_label="difference to flat",
        series=tuple(series),
    )


# --- words -------------------------------------------------------------------------------------------


def _answer(
    sets: Sequence[QuerySet],
    found: Mapping[str, Sequence[Retrieved]],
    compared: Mapping[_Key, Tested],
    settings: EvalSettings,
) -> str:
    if not sets:
        return "No task has a gold skill in this library: nothing can be said."
    parts = [f"Does the graph help completeness here? {_short(sets, compared, settings)}"]
    for queries in sets:
        told = [_told(queries, way, compared, settings) for way in WAYS]
        new, gold = _news(found[queries.name])
        parts.append(
            f"{queries.name}: {'; '.join(told)}. It brought {new} skills into {len(queries.answerable)} "
            f"bundles that flat did not show; {gold} of them are gold."
        )
    return "\n".join(parts)


def _told(queries: QuerySet, way: str, compared: Mapping[_Key, Tested], settings: EvalSettings) -> str:
    """What the graph changes through ``way``; where nothing changes, in few words."""
    what, measures = f"the graph (reverse, {way})", ("completeness", "available recall")
    tested = [compared[queries.name, way, Arm.REVERSE, measure] for measure in measures]
    n = tested[0].found.difference.n
    if n and not any(one.found.won + one.found.lost for one in tested):
        return unchanged(what, " and ".join(measures), n, settings)
    return "; ".join(
        verdict(what, measure, one, settings) for measure, one in zip(measures, tested, strict=True)
    )


def _short(sets: Sequence[QuerySet], compared: Mapping[_Key, Tested], settings: EvalSettings) -> str:
    """Yes, no, or no evidence, by the completeness of bundles."""
    found = {queries.name: compared[queries.name, "bundle", Arm.REVERSE, "completeness"] for queries in sets}
    sure = {
        name: one.found.difference
        for name, one in found.items()
        if one.adjusted <= 1 - settings.level and one.found.difference.n
    }
    better = [name for name, gap in sure.items() if gap.low > 0]
    worse = [name for name, gap in sure.items() if gap.high < 0]
    told = [f"Yes, of bundles on {', '.join(better)}."] if better else []
    told += [f"It harms that of bundles on {', '.join(worse)}."] if worse else []
    return " ".join(told) or "There is no evidence that it does."


def _news(found: Sequence[Retrieved]) -> tuple[int, int]:
    new = gold = 0
    for one in found:
        ids = set(one.answers["bundle", Arm.REVERSE].ids) - set(one.answers["bundle", Arm.FLAT].ids)
        new, gold = new + len(ids), gold + _gold(one.task, ids)
    return new, gold


def thin_warnings(subject: Subject, inputs: Inputs) -> tuple[str, ...]:
    """What makes any comparison of graph and ranking doubtful: no graph, few tasks, gold that is not held."""
    told = []
    if not subject.graph.relations:
        told.append("no graph is stored, so every arm is flat: run `quiver graph build`")
    if 0 < len(subject.skills) < RANKERS[inputs.settings.ranker].rerank_depth:
        told.append(f"too few skills for the second stage: `{inputs.settings.ranker}` is `hybrid` here")
    for queries in inputs.sets:
        units = len({task.cluster for task in queries.answerable})
        if not units:
            told.append(f"{queries.name}: no gold skill is in this library; the set is left out")
        elif units < FEW_TASKS:
            told.append(f"{queries.name}: {units} tasks are few; one task more or less changes the outcome")
    return tuple(told)


def _status_warnings(sets: Sequence[QuerySet], found: Mapping[str, Sequence[Retrieved]]) -> Iterable[str]:
    for queries in sets:
        empty = sum(not one.answers["bundle", Arm.FLAT].ids for one in found[queries.name])
        if empty:
            yield (
                f"{queries.name}: {empty} of {len(queries.answerable)} bundles are empty, mostly because the "
                "ranking says that nothing fits; they count as missed in every arm"
            )

"""Four ways to use the graph, with the same seeds, the same most skills and the same token budget."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.significance import Paired, holm, mean_interval, paired
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.evaluate.wording import cell, verdict
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.expand import FLOWING, expand, seeds_of
from skillquiver.retrieve.ranking import Ranking
from skillquiver.settings import DiffuseSettings, EvalSettings
from skillquiver.types import SkillId

__all__ = ["POOL", "Answer", "Retrieved", "measured", "near", "retrieve", "run", "thin_warnings"]

POOL = 30
"""Ranks that an expansion starts from: as many as compete for a bundle of the product."""

WAYS: Mapping[str, str] = {
    "expansion": "first skills of the expansion whose cards fit the budget",
    "bundle": "skills of the product's bundle",
}
"""How an arm's answer is read off: before packing, and after it."""

FEW_TASKS = 30
"""Below this a bootstrap interval is too narrow, and a won or lost task decides."""

COMPARED = ("available recall", "full recall", "completeness", "precision", "co-recovery")
"""Measures that arms are compared by."""

PROTOCOL = (
    "The matched protocol of Graph-of-Skills: arms share ranking, seeds, most skills and token budget, and "
    "differ in the graph step alone. Available-oracle recall = gold skills in the answer / gold skills that "
    "the library holds; full-oracle recall counts those it lacks as missed; completeness = all held gold is "
    "there; precision = skills that count as gold / skills; co-recovery = pairs of gold skills of one task "
    "(whatever relations say) with both in the answer / such pairs. Replicates of a task are averaged, then "
    "tasks are resampled (percentile bootstrap of arm minus flat); p by flipping signs, corrected after "
    "Holm (1979) over all differences of this section."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm gives: ids, the tokens they take, and the time from the query on."""

    ids: tuple[SkillId, ...]
    tokens: int
    seconds: float


@dataclass(frozen=True)
class Retrieved:
    """Answers of every way and arm to one task, and the ids of the ranking that they started from."""

    task: Task
    ranked: tuple[SkillId, ...]
    answers: Mapping[tuple[str, Arm], Answer]


Values = Mapping[str, Mapping[str, float]]
"""Measure → query id → value."""


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


# --- answers -----------------------------------------------------------------------------------------


def retrieve(
    subject: Subject,
    task: Task,
    graph: SkillGraph,
    settings: EvalSettings,
    *,
    diffuse: DiffuseSettings | None = None,
) -> Retrieved:
    """Rank once, then answer by every way and arm; only expansions use ``graph``, bundles the stored one."""
    started = time.perf_counter()
    ranking = subject.rank(task.query, top_k=POOL, settings=RANKERS[settings.ranker])
    ranked_in = time.perf_counter() - started
    answers: dict[tuple[str, Arm], Answer] = {}
    for arm in Arm:
        started = time.perf_counter()
        ids, tokens = _expanded(subject, ranking, graph, arm, (settings, diffuse or DiffuseSettings()))
        answers["expansion", arm] = Answer(ids, tokens, ranked_in + time.perf_counter() - started)
        started = time.perf_counter()
        bundle = subject.bundle(
            task.query, arm=arm, budget=settings.budget, max_skills=settings.top_k, ranking=ranking
        )
        took = ranked_in + time.perf_counter() - started
        answers["bundle", arm] = Answer(tuple(entry.id for entry in bundle.entries), bundle.tokens, took)
    return Retrieved(task, tuple(result.id for result in ranking.results), answers)


def _expanded(
    subject: Subject,
    ranking: Ranking,
    graph: SkillGraph,
    arm: Arm,
    limits: tuple[EvalSettings, DiffuseSettings],
) -> tuple[tuple[SkillId, ...], int]:
    """Ids and tokens of the first ``top_k`` of the expansion whose cards fit the budget."""
    settings, diffuse = limits
    around = near(graph, seeds_of(ranking, diffuse), diffuse)
    ids: list[SkillId] = []
    spent = 0
    for one in expand(ranking, around, arm=arm, settings=diffuse).skills[: settings.top_k]:
        skill = subject.skills.get(one.id)  # a graph may be older than the library
        if skill is not None and spent + skill.tokens.card <= settings.budget:
            ids.append(one.id)
            spent += skill.tokens.card
    return tuple(ids), spent


def near(graph: SkillGraph, seeds: Iterable[SkillId], settings: DiffuseSettings) -> SkillGraph:
    """The part of ``graph`` within ``hops`` of the seeds along ``FLOWING`` types, at most ``max_nodes``.

    Where the last step does not fit, skills of the most trusted, then surest relations are taken, as
    `graph.neighbourhood` does from the store.
    """
    kept = dict.fromkeys(seed for seed in seeds if seed in graph.position)
    edge = list(kept)
    for _ in range(settings.hops):
        strength: dict[SkillId, tuple[int, float]] = {}
        for node in edge:
            for other, relation in graph.neighbors(node, FLOWING):
                this = (relation.provenance.trust, relation.confidence)
                if other not in kept:
                    strength[other] = max(strength.get(other, this), this)
        order = sorted(strength, key=lambda node: (-strength[node][0], -strength[node][1], node))
        edge = order[: max(0, settings.max_nodes - len(kept))]
        kept.update(dict.fromkeys(edge))
    relations = {
        relation
        for node in kept
        for relation in graph.of_skill(node)
        if relation.source in kept and relation.target in kept and relation.type in FLOWING
    }
    return SkillGraph.of(kept, relations)


# --- measures ----------------------------------------------------------------------------------------


def measured(queries: QuerySet, found: Sequence[Retrieved], way: str, arm: Arm) -> Values:
    """Every measure of one arm; a task that has no pair of gold skills has no co-recovery."""
    values: dict[str, dict[str, float]] = {name: {} for name in (*COMPARED, "skills", "tokens", "ms")}
    for one in found:
        for name, value in scores_of(one.task, one.answers[way, arm]).items():
            values[name][one.task.query_id] = value
    for task in queries.tasks:
        if task.missing and not task.gold:
            values["full recall"][task.query_id] = 0.0
    return values


def scores_of(task: Task, answer: Answer) -> Mapping[str, float]:
    """Every measure of one answer to a task with held gold."""
    here = set(answer.ids)
    present = [bool(group & here) for group in task.gold]
    right = sum(any(skill_id in group for group in task.gold) for skill_id in answer.ids)
    scores = {
        "available recall": sum(present) / len(present),
        "full recall": sum(present) / task.wanted,
        "completeness": float(all(present)),
        "precision": right / len(answer.ids) if answer.ids else 0.0,
        "skills": float(len(answer.ids)),
        "tokens": float(answer.tokens),
        "ms": answer.seconds * 1000,
    }
    pairs = [a and b for a, b in combinations(present, 2)]
    return {**scores, "co-recovery": sum(pairs) / len(pairs)} if pairs else scores


# --- comparison --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Compared:
    """One measure of one arm against ``flat``; ``adjusted`` is its p-value after Holm."""

    found: Paired
    adjusted: float


_Key = tuple[str, str, Arm, str]
"""Set, way, arm, measure."""


def _compared(
    sets: Sequence[QuerySet], values: Mapping[tuple[str, str, Arm], Values], settings: EvalSettings
) -> Mapping[_Key, _Compared]:
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
    adjusted = holm([one.p for one in found.values()])
    return {key: _Compared(one, p) for (key, one), p in zip(found.items(), adjusted, strict=True)}


def _others() -> tuple[Arm, ...]:
    return tuple(arm for arm in Arm if arm is not Arm.FLAT)


def _tables(
    queries: QuerySet,
    found: Sequence[Retrieved],
    values: Mapping[tuple[str, str, Arm], Values],
    compared: Mapping[_Key, _Compared],
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


def _differences(name: str, way: str, compared: Mapping[_Key, _Compared]) -> Table:
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
            "of them gold",
            "unranked",
            "of them gold ",
            "pushed out",
            "of them gold  ",
        ),
        rows=tuple(rows),
    )


def _gold(task: Task, ids: Iterable[SkillId]) -> int:
    return sum(any(skill_id in group for group in task.gold) for skill_id in ids)


def _plot(name: str, way: str, compared: Mapping[_Key, _Compared]) -> Plot:
    series = []
    for arm in _others():
        found = {m: compared[name, way, arm, m].found for m in COMPARED if (name, way, arm, m) in compared}
        gaps = [one.difference for one in found.values()]
        series.append(
            Series(
                label=f"{arm.value} - flat",
                x=tuple(found),
                y=tuple(gap.value for gap in gaps),
                low=tuple(gap.low for gap in gaps),
                high=tuple(gap.high for gap in gaps),
            )
        )
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
    compared: Mapping[_Key, _Compared],
    settings: EvalSettings,
) -> str:
    if not sets:
        return "No task has a gold skill in this library: nothing can be said."
    parts = []
    for queries in sets:
        told = [
            verdict(
                f"the graph (reverse, {way})",
                measure,
                compared[queries.name, way, Arm.REVERSE, measure].found,
                settings,
                adjusted=compared[queries.name, way, Arm.REVERSE, measure].adjusted,
                tests=len(compared),
            )
            for way in WAYS
            for measure in ("completeness", "available recall")
        ]
        new, gold = _news(found[queries.name])
        parts.append(
            f"{queries.name}: {'; '.join(told)}. It brought {new} skills into {len(queries.answerable)} "
            f"bundles that flat did not show; {gold} of them are gold."
        )
    return " ".join(parts)


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

"""Rankers side by side on the same queries."""

from __future__ import annotations

from collections.abc import Mapping

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.metrics import RANKING_MEASURES
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Cell, Section, Table
from skillquiver.evaluate.significance import mean_interval
from skillquiver.evaluate.subject import RANKERS, Subject

__all__ = ["run"]

DEPTH = 100
"""Ranks looked at: deeper ones change no measure by 0.01."""

Scores = Mapping[str, Mapping[str, float]]
"""Measure → query id → value."""


def run(subject: Subject, inputs: Inputs) -> Section:
    """Compare ``RANKERS`` on every set."""
    tables, samples = [], {}
    for queries in inputs.sets:
        scored = {name: _scores(subject, queries, name) for name in RANKERS}
        tables.append(_table(queries, scored, inputs))
        for name, scores in scored.items():
            for measure, values in scores.items():
                samples[f"{queries.name}: {name}, {measure}"] = values
    return Section(
        name="rankers",
        title="Rankers",
        question="How good is each ranker, by tag?",
        source="",
        answer="",
        tables=tuple(tables),
        samples=samples,
    )


def _scores(subject: Subject, queries: QuerySet, name: str) -> Scores:
    found: dict[str, dict[str, float]] = {measure: {} for measure in RANKING_MEASURES}
    for task in queries.answerable:
        ranking = subject.rank(task.query, top_k=DEPTH, settings=RANKERS[name])
        ids = [result.id for result in ranking.results]
        for measure, value in RANKING_MEASURES.items():
            found[measure][task.query_id] = value(task, ids)
    return found


def _table(queries: QuerySet, scored: Mapping[str, Scores], inputs: Inputs) -> Table:
    clusters = {task.query_id: task.cluster for task in queries.tasks}
    rows: list[tuple[Cell, ...]] = [
        (name, *(mean_interval(scores[m], clusters, inputs.settings) for m in RANKING_MEASURES))
        for name, scores in scored.items()
    ]
    return Table(
        caption=f"{queries.name}: {len(queries.answerable)} queries with a gold skill in the library",
        columns=("ranker", *RANKING_MEASURES),
        rows=tuple(rows),
    )

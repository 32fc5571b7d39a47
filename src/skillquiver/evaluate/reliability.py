"""Whether the confidence of a ranking means what it says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from skillquiver.evaluate.answers import Answers
from skillquiver.evaluate.metrics import hit_at
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Cell, Plot, Series, Table
from skillquiver.evaluate.significance import wilson

__all__ = ["BINS", "Reliability", "reliability"]

BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Bounds of the bins of confidence; the last includes its upper end."""

Point = tuple[float, bool]
"""Confidence of the first result, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """A table and a plot, or none without a query whose answer is known, and what they say."""

    answer: str = ""
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()


def reliability(sets: Iterable[tuple[QuerySet, Answers]], ranker: str) -> Reliability:
    """Confidence of the first result against how often it is right, in bins.

    Expected calibration error = sum over bins of n / N · |mean confidence - share right| (Guo et al., 2017);
    Brier score = mean of (confidence - right)² (Brier, 1950). Of queries that are resampled together the
    first counts. Queries of which the library holds no gold count only if they are off topic.
    """
    points = [point for queries, said in sets for point in _points(queries, said)]
    binned = _binned(points)
    if not binned:
        return Reliability()
    error = sum(len(own) * abs(fmean(c for c, _ in own) - _share(own)) for _, own in binned) / len(points)
    brier = fmean((confidence - right) ** 2 for confidence, right in points)
    rows: list[tuple[Cell, ...]] = [
        (name, len(own), fmean(c for c, _ in own), wilson(sum(right for _, right in own), len(own)))
        for name, own in binned
    ]
    rows.append(
        ("all", len(points), fmean(c for c, _ in points), wilson(sum(r for _, r in points), len(points)))
    )
    answer = (
        f"The confidence of `{ranker}` is off by {error:.3f} on average (expected calibration error over "
        f"{len(points)} queries; Brier score {brier:.3f})."
    )
    caption = f"Confidence of `{ranker}` in its first result, and how often that is right (Wilson)"
    table = Table(caption=caption, columns=("confidence", "queries", "mean", "right"), rows=tuple(rows))
    return Reliability(answer, (table,), (_plot(binned, ranker),))


def _points(queries: QuerySet, said: Answers) -> list[Point]:
    found: dict[str, Point] = {}
    for task in queries.tasks:
        answer = said[task.query_id]
        if answer.ids and (task.gold or task.off_topic):
            right = bool(task.gold) and hit_at(task, answer.ids, 1) == 1.0
            found.setdefault(task.cluster, (answer.confidence, right))
    return list(found.values())


def _binned(points: Sequence[Point]) -> list[tuple[str, list[Point]]]:
    found = []
    for low, high in pairwise(BINS):
        own = [point for point in points if low <= point[0] < high or point[0] == high == BINS[-1]]
        if own:
            found.append((f"{low:.1f} to {high:.1f}", own))
    return found


def _share(points: Sequence[Point]) -> float:
    return fmean(right for _, right in points)


def _plot(binned: Sequence[tuple[str, Sequence[Point]]], ranker: str) -> Plot:
    shares = [wilson(sum(right for _, right in own), len(own)) for _, own in binned]
    series = Series.of(ranker, tuple(fmean(c for c, _ in own) for _, own in binned), shares)
    return Plot(
        kind="lines",
        title="Confidence against what came true",
        x_label="mean confidence",
        y_label="first result right",
        series=(series,),
        diagonal=True,
    )

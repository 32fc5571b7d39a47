"""What each ranker says to each query, reduced to what measures need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.evaluate.metrics import RANKING_MEASURES
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.types import Status

__all__ = ["DEPTH", "FEW", "Answer", "Answers", "Scores", "answers", "doubts", "rankers_of", "scores"]

DEPTH = 100
"""Ranks looked at: deeper ones change no measure by 0.01."""

SHOWN = 5
"""Gold skills named that the library lacks: a misspelt id is found at once."""

FEW = 30
"""Units below which an interval of a share is some 0.35 wide or more: a warning says so."""

Scores = Mapping[str, Mapping[str, float]]
"""Measure → query id → value."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One ranking: ids, best first; the confidence of the best; whether it says that there is nothing."""

    ids: tuple[str, ...]
    confidence: float
    none: bool


Answers = Mapping[str, Answer]
"""By query id."""


def answers(subject: Subject, tasks: Iterable[Task], ranker: str) -> Answers:
    """Rank every task with ``RANKERS[ranker]``; equal queries are asked once."""
    found: dict[str, Answer] = {}
    said = {}
    for task in tasks:
        if task.query not in found:
            found[task.query] = _answer(subject, task.query, ranker)
        said[task.query_id] = found[task.query]
    return said


def _answer(subject: Subject, query: str, ranker: str) -> Answer:
    ranking = subject.rank(query, top_k=DEPTH, settings=RANKERS[ranker])
    ids = tuple(result.id for result in ranking.results)
    return Answer(ids, ranking.confidence, ranking.status is Status.NONE)


def scores(tasks: Iterable[Task], said: Answers) -> Scores:
    """Every measure of every task; all have gold."""
    tasks = list(tasks)
    return {
        measure: {task.query_id: value(task, said[task.query_id].ids) for task in tasks}
        for measure, value in RANKING_MEASURES.items()
    }


def rankers_of(subject: Subject) -> tuple[str, ...]:
    """Rankers that can be told apart on this library; `doubts` says which are not."""
    dense = subject.vectors() is not None
    left_out = set[str]()
    if not dense:
        left_out.add("dense")
    if not dense or len(subject.skills) < RANKERS["second stage"].rerank_depth:
        left_out.add("second stage")
    return tuple(name for name in RANKERS if name not in left_out)


def doubts(subject: Subject, sets: Sequence[QuerySet]) -> tuple[str, ...]:
    """What makes figures about rankers on these sets doubtful."""
    found = []
    depth = RANKERS["second stage"].rerank_depth
    if subject.vectors() is None:
        found.append("the library has no vectors: every ranker is lexical; run `quiver index` to make them")
    elif len(subject.skills) < depth:
        found.append(f"below {depth} skills the second stage has no say: the product is `hybrid` here")
    for queries in sets:
        units = len({task.cluster for task in queries.answerable})
        lost = [f"{task.query_id} wants {gold}" for task in queries.tasks for gold in task.missing]
        if 0 < units < FEW:
            found.append(f"{queries.name}: {units} queries are few; intervals are wide")
        if not units and not any(task.off_topic for task in queries.tasks):
            found.append(f"{queries.name}: the library holds no gold skill of any query: nothing to measure")
        elif lost:
            shown = f"{', '.join(lost[:SHOWN])}{' …' if len(lost) > SHOWN else ''}"
            found.append(f"{queries.name}: {len(lost)} gold skills are not in the library: {shown}")
    return tuple(found)

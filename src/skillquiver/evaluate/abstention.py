"""Whether rankers say that there is nothing when there is nothing, and put first what must not be found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.evaluate.answers import Answer, Answers
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Table
from skillquiver.evaluate.significance import mean_interval
from skillquiver.evaluate.wording import interval_text
from skillquiver.settings import EvalSettings

__all__ = ["Abstention", "Said", "abstention", "wrong_firsts"]

CALIBRATED = ("hybrid", "second stage")
"""Rankers whose confidence was fitted, so that their "none" means something."""

CLOSE = 5
"""Ranks within which a skill that must not be found is looked for, beside the first."""

Said = Sequence[tuple[QuerySet, Mapping[str, Answers]]]
"""Sets, with the answers of every ranker."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """A table, or none without an off-topic query, and what it says."""

    answer: str = ""
    tables: tuple[Table, ...] = ()


def abstention(sets: Said, settings: EvalSettings) -> Abstention:
    """Precision and recall of "none" over off-topic queries, which no skill answers, and answerable ones.

    Precision: share of the declined queries that are off topic. Recall: share of the off-topic queries that
    were declined. Queries that only say what is wrong do not count, nor do those whose gold the library does
    not hold: another of its skills may answer.
    """
    answer, rows = "", list[tuple[Cell, ...]]()
    count = sum(task.off_topic for queries, _ in sets for task in queries.tasks)
    for name in CALIBRATED if count else ():
        if not all(name in said for _, said in sets):
            continue
        pairs = [pair for pair in _pairs(sets, name) if pair[0].gold or pair[0].off_topic]
        precision = _share([(t, t.off_topic) for t, said in pairs if said.none], settings)
        recall = _share([(t, said.none) for t, said in pairs if t.off_topic], settings)
        lost = _share([(t, said.none) for t, said in pairs if t.gold], settings)
        rows.append((name, precision, recall, lost))
        if recall is not None:
            answer = f"`{name}` declines {interval_text(recall)} of the queries that are off topic" + (
                f", and {interval_text(lost)} of those that a skill answers." if lost else "."
            )
    if not rows:
        return Abstention()
    table = Table(
        caption=f'Saying "none": {count} queries are off topic',
        columns=("ranker", "precision", "recall", "answerable queries declined"),
        rows=tuple(rows),
    )
    return Abstention(answer, (table,))


def wrong_firsts(sets: Said, settings: EvalSettings) -> tuple[Table, ...]:
    """How often a skill that must not be found comes first, or early; no table if no query names any."""
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(name for _, said in sets for name in said):
        pairs = [pair for pair in _pairs(sets, name) if pair[0].not_gold]
        if not pairs:
            return ()
        first, early = (
            _share([(task, not task.not_gold.isdisjoint(said.ids[:k])) for task, said in pairs], settings)
            for k in (1, CLOSE)
        )
        clear = _share([(task, said.none) for task, said in pairs], settings) if name in CALIBRATED else None
        rows.append((name, len(pairs), first, early, clear))
    if not rows:
        return ()
    columns = ("ranker", "queries", "first", f"among the first {CLOSE}", "declined")
    caption = "Skills that must not be found (`not_gold`); lower is better, but another skill may be right"
    return (Table(caption=caption, columns=columns, rows=tuple(rows)),)


def _pairs(sets: Said, name: str) -> Iterable[tuple[Task, Answer]]:
    return [(task, said[name][task.query_id]) for queries, said in sets for task in queries.tasks]


def _share(found: Sequence[tuple[Task, bool]], settings: EvalSettings) -> Interval | None:
    """Share of tasks for which it is so; ``None`` of none. Two files may use one id for two queries."""
    if not found:
        return None
    values = {str(at): float(so) for at, (_, so) in enumerate(found)}
    clusters = {str(at): task.cluster for at, (task, _) in enumerate(found)}
    return mean_interval(values, clusters, settings)

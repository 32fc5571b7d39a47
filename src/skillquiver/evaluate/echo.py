"""What it is worth to a ranker when queries repeat descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillquiver.evaluate.answers import answers, doubts, rankers_of, scores
from skillquiver.evaluate.echo_test import ECHO_LIMIT, echoes
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Plot, Section, Series, Table
from skillquiver.evaluate.significance import Paired, holm, mean_interval, paired, unpaired
from skillquiver.evaluate.subject import Subject
from skillquiver.evaluate.wording import gap_text, p_text
from skillquiver.settings import EvalSettings

__all__ = ["run"]

MEASURES = ("hit@1", "MRR")
"""Of the first right skill: a description is that of one skill, so nothing about whole sets can be asked."""

ECHOES_NEEDED = 10
"""Echoes that a set must have of its own before they are compared with its other queries."""

SOURCE = (
    "Echo: at least half of a query's pairs of neighbouring terms, two or more, stand in the card of a skill "
    "that answers it, or eight terms in one run (docs/decisions/0058). Inflation: measure with the "
    "description of the gold skill as the query, minus that of the query itself; paired by gold skill"
)


@dataclass(frozen=True)
class _Set:
    """One set: its own queries, and the descriptions of their gold skills in their place."""

    name: str
    own: tuple[Task, ...]
    copied: tuple[Task, ...]
    echo: frozenset[str]
    """Ids of the queries that are echoes already."""

    @property
    def clusters(self) -> Mapping[str, str]:
        """Queries of one gold skill are one unit: their echo is the same text."""
        return {task.query_id: min(task.gold[0]) for task in self.own}


@dataclass(frozen=True)
class _Row:
    """One ranker and measure on one set: its queries, their descriptions, and what the latter add."""

    of: _Set
    ranker: str
    measure: str
    own: Mapping[str, float]
    copied: Mapping[str, float]
    on_copies: Interval
    plain: Interval | None
    natural: Interval | None
    inflation: Paired | None
    p: float | None = None


def run(subject: Subject, inputs: Inputs) -> Section:
    """Compare rankers on queries as they are with the descriptions of their gold skills as queries."""
    names, settings = rankers_of(subject), inputs.settings
    sets = [_split(queries, subject) for queries in inputs.sets if queries.answerable]
    rows = _adjusted([row for one in sets for row in _compare(one, names, subject, settings)])
    return Section(
        name="echo",
        title="Echo",
        question="How much better do rankers look on queries that repeat descriptions?",
        source=SOURCE,
        answer=_answer(sets, rows),
        tables=(_shares(sets, settings), *(_table(one, rows) for one in sets)) if sets else (),
        plots=tuple(_plot(one, rows) for one in sets),
        samples={
            f"{row.of.name}: {row.ranker} on {kind}, {row.measure}": values
            for row in rows
            for kind, values in (("queries", row.own), ("descriptions", row.copied))
        },
        clusters={query_id: skill for one in sets for query_id, skill in one.clusters.items()},
        warnings=doubts(subject, inputs.sets),
    )


def _split(queries: QuerySet, subject: Subject) -> _Set:
    copied = []
    for task in queries.answerable:
        skill = subject.skills[min(task.gold[0])]
        copied.append(replace(task, query=f"{skill.description} {skill.when_to_use}".strip() or skill.name))
    echo = frozenset(task.query_id for task in queries.answerable if echoes(task, subject.skills))
    return _Set(queries.name, queries.answerable, tuple(copied), echo)


def _compare(one: _Set, rankers: Iterable[str], subject: Subject, settings: EvalSettings) -> list[_Row]:
    """Every ranker and measure on one set, p-values not yet adjusted."""
    rows = []
    for ranker in rankers:
        own = scores(one.own, answers(subject, one.own, ranker))
        copied = scores(one.copied, answers(subject, one.copied, ranker))
        for measure in MEASURES:
            plain = {i: value for i, value in own[measure].items() if i not in one.echo}
            echo = {i: value for i, value in own[measure].items() if i in one.echo}
            rows.append(
                _Row(
                    one,
                    ranker,
                    measure,
                    own[measure],
                    copied[measure],
                    mean_interval(copied[measure], one.clusters, settings),
                    mean_interval(plain, one.clusters, settings) if plain else None,
                    unpaired(echo, plain, one.clusters, settings)
                    if plain and len(echo) >= ECHOES_NEEDED
                    else None,
                    paired(copied[measure], plain, one.clusters, settings) if plain else None,
                )
            )
    return rows


def _adjusted(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with p-values adjusted over all of them (Holm, 1979)."""
    tested = [row for row in rows if row.inflation is not None]
    p_values = holm([row.inflation.p for row in tested if row.inflation is not None])
    adjusted = {id(row): p for row, p in zip(tested, p_values, strict=True)}
    return [replace(row, p=adjusted.get(id(row))) for row in rows]


# --- tables, plots, words ------------------------------------------------------------------------------


def _shares(sets: Sequence[_Set], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in sets:
        marks = {task.query_id: float(task.query_id in one.echo) for task in one.own}
        rows.append((one.name, len(marks), len(one.echo), mean_interval(marks, one.clusters, settings)))
    caption = "Queries that repeat the description of a skill that answers them"
    return Table(caption=caption, columns=("set", "queries", "echoes", "share"), rows=tuple(rows))


def _table(one: _Set, rows: Sequence[_Row]) -> Table:
    cells = [
        (
            f"{row.ranker}, {row.measure}",
            row.plain,
            row.on_copies,
            row.inflation.difference if row.inflation else None,
            row.p,
            row.natural,
        )
        for row in rows
        if row.of is one
    ]
    return Table(
        caption=(
            f"{one.name}: what repeating a description is worth; each gold skill counts once, p is "
            f"Holm-adjusted over {len(rows)}"
        ),
        columns=(
            "ranker, measure",
            "no echo",
            "descriptions",
            "inflation",
            "p",
            "echoes of the set - others",
        ),
        rows=tuple(cells),
    )


def _plot(one: _Set, rows: Sequence[_Row]) -> Plot:
    shown = [row for row in rows if row.of is one and row.measure == MEASURES[0] and row.plain]
    names = tuple(row.ranker for row in shown)
    plain = [row.plain for row in shown if row.plain]
    return Plot(
        kind="bars",
        title=f"{one.name}: queries and echoes",
        x_label="ranker",
        y_label=MEASURES[0],
        series=(
            Series.of("queries that are no echoes", names, plain),
            Series.of("descriptions", names, [row.on_copies for row in shown]),
        ),
    )


def _answer(sets: Sequence[_Set], rows: Sequence[_Row]) -> str:
    found, of = [one.name for one in sets if _is_echo_set(one)], sum(len(one.own) for one in sets)
    count = sum(len(one.echo) for one in sets)
    verdict = f"Echo sets: {', '.join(found)}" if found else "No set repeats descriptions"
    lines = [f"{verdict}: {count} of {of} queries are echoes."]
    for one in sets:
        first = [row for row in rows if row.of is one and row.measure == MEASURES[0] and row.inflation]
        verdict = "an echo set" if _is_echo_set(one) else "not an echo set"
        said = [f"{one.name}: {len(one.echo)} of {len(one.own)} queries are echoes: {verdict}."]
        told = [
            f"`{row.ranker}` {gap_text(row.inflation.difference)} ({p_text(row.p)})"
            for row in first
            if row.inflation and row.p is not None
        ]
        if told:
            said.append(f"Descriptions as queries raise {MEASURES[0]}: {', '.join(told)}.")
        lines.append(" ".join(said))
    return "\n".join(lines)


def _is_echo_set(one: _Set) -> bool:
    return len(one.echo) / len(one.own) > ECHO_LIMIT

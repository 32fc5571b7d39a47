"""What tasks do not get: every miss with its one cause, and what would mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.errors import UsageError
from skillquiver.evaluate.causes import Answer, Cause, Miss, diagnose
from skillquiver.evaluate.experiment import EXPERIMENTS, Inputs
from skillquiver.evaluate.mending import Mender
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.significance import mean_interval
from skillquiver.evaluate.subject import Subject
from skillquiver.evaluate.wording import share_text
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.order import ORDERING
from skillquiver.settings import EvalSettings
from skillquiver.types import SkillId

__all__ = ["run"]

DEPTH = 100
"""Ranks in which a gold skill is looked for."""

EXCERPT = 120
"""Characters of a task shown beside its id."""

RANK_BANDS = ((1, 8), (9, 20), (21, 50), (51, DEPTH))
"""Where a gold skill that is not in the bundle stands: found, nearly, far, lost."""

_Judged = tuple[QuerySet, Sequence[Miss]]


def run(subject: Subject, inputs: Inputs) -> Section:
    """Bundle every task as the product does, and say of each that lacks something why.

    A task is complete if every gold skill the library holds, or an equivalent, is in the bundle, each after
    what has to come before it: by the graph, or by the order data.
    """
    sets = [queries for queries in inputs.sets if queries.tasks]
    if not sets:
        raise UsageError("misses needs a query file; docs/evaluation.md describes the format")
    before = _before(subject, inputs)
    judged = [(queries, _misses(subject, queries, inputs.settings, before)) for queries in sets]
    mender = Mender(subject)
    return Section(
        name="misses",
        title="Misses and their causes",
        question=EXPERIMENTS["misses"],
        source=(
            f"Each task is bundled as `quiver bundle --max-skills {inputs.settings.top_k}` does. "
            "Its cause is the first that applies: " + ", ".join(cause.value for cause in Cause) + "."
        ),
        answer=_answer(judged, inputs.settings),
        tables=(
            _counts(judged, inputs.settings),
            _reasons(judged),
            *(_rows(queries, misses, mender) for queries, misses in judged if misses),
        ),
        plots=(_by_cause(judged), _by_rank(judged)),
        samples={
            f"{queries.name}: complete bundle": _complete(queries, misses) for queries, misses in judged
        },
        warnings=_warnings(subject, judged),
    )


def _misses(
    subject: Subject,
    queries: QuerySet,
    settings: EvalSettings,
    before: Collection[tuple[SkillId, SkillId]],
) -> list[Miss]:
    found = []
    for task in queries.tasks:
        ranking = subject.rank(task.query, top_k=DEPTH)
        bundle = subject.bundle(
            task.query, arm=Arm.REVERSE, budget=settings.budget, max_skills=settings.top_k
        )
        answer = Answer(
            ranked=[result.id for result in ranking.results],
            status=ranking.status,
            bundle=bundle,
            parts={result.id: result.evidence.window for result in ranking.results},
        )
        miss = diagnose(task, answer, top_k=settings.top_k, before=before)
        if miss:
            found.append(miss)
    return found


def _before(subject: Subject, inputs: Inputs) -> set[tuple[SkillId, SkillId]]:
    """(first, then) pairs of the graph and of the order data."""
    pairs = {(SkillId(edge.before), SkillId(edge.after)) for edge in inputs.order}
    for relation in subject.graph.relations:
        if relation.type in ORDERING and relation.upstream and relation.downstream:
            pairs.add((relation.upstream, relation.downstream))
    return pairs


def _complete(queries: QuerySet, misses: Sequence[Miss]) -> Mapping[str, float]:
    lacking = {miss.task.query_id for miss in misses}
    return {task.query_id: float(task.query_id not in lacking) for task in queries.tasks}


# --- what it says ------------------------------------------------------------------------------------


def _answer(judged: Sequence[_Judged], settings: EvalSettings) -> str:
    parts = [_headline(judged)] if len(judged) > 1 else []
    for queries, misses in judged:
        share = mean_interval(_complete(queries, misses), _clusters(queries), settings)
        text = f"{queries.name}: {share_text(share)} of {len(queries.tasks)} tasks get everything they want"
        causes = Counter(miss.cause for miss in misses).most_common()
        if causes:
            told = ", ".join(f"{cause.value} {count}" for cause, count in causes)
            text += f"; causes of the others: {told}"
        parts.append(f"{text}.")
    return "\n".join(parts)


def _headline(judged: Sequence[_Judged]) -> str:
    """All sets together, in counts: their tasks are too unlike for a mean."""
    tasks = sum(len(queries.tasks) for queries, _ in judged)
    complete = sum(sum(_complete(queries, misses).values()) for queries, misses in judged)
    causes = Counter(miss.cause.value for _, misses in judged for miss in misses).most_common(1)
    most = f"; the commonest cause of the others: {causes[0][0]} ({causes[0][1]})" if causes else ""
    return f"{complete:.0f} of {tasks} tasks get everything they want{most}."


def _clusters(queries: QuerySet) -> Mapping[str, str]:
    return {task.query_id: task.cluster for task in queries.tasks}


def _warnings(subject: Subject, judged: Sequence[_Judged]) -> tuple[str, ...]:
    found = [
        f"{queries.name}: only {len(queries.tasks)} tasks; intervals are wide"
        for queries, _ in judged
        if len(queries.tasks) < 30
    ]
    if not subject.graph.relations:
        found.append("the library has no graph: bundles follow no relations; run `quiver graph build`")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Tally:
    """Counts by cause of one set."""

    queries: QuerySet
    causes: Counter[Cause]

    @classmethod
    def of(cls, judged: _Judged) -> _Tally:
        return cls(judged[0], Counter(miss.cause for miss in judged[1]))


def _counts(judged: Sequence[_Judged], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for queries, misses in judged:
        tally = _Tally.of((queries, misses))
        complete = mean_interval(_complete(queries, misses), _clusters(queries), settings)
        rows.append((queries.name, len(queries.tasks), complete, *(tally.causes[cause] for cause in Cause)))
    return Table(
        caption="Tasks by what became of them; the share of complete ones is the mean over tasks",
        columns=("queries", "tasks", "complete", *(cause.value for cause in Cause)),
        rows=tuple(rows),
    )


def _reasons(judged: Sequence[_Judged]) -> Table:
    """Gold skills that are held and not in the bundle, by the reason."""
    counts = {
        queries.name: Counter(lost.reason for miss in misses for lost in miss.lost)
        for queries, misses in judged
    }
    total = Counter[str]()
    for one in counts.values():
        total.update(one)
    return Table(
        caption="Gold skills that the library holds and the bundle does not, by reason",
        columns=("reason", *counts),
        rows=tuple((reason, *(one[reason] for one in counts.values())) for reason, _ in total.most_common()),
    )


def _rows(queries: QuerySet, misses: Sequence[Miss], mender: Mender) -> Table:
    order = list(Cause)
    ordered = sorted(misses, key=lambda miss: (order.index(miss.cause), miss.task.query_id))
    return Table(
        caption=f"{queries.name}: every miss, by cause",
        columns=("query", "task", "cause", "skill", "rank", "why", "what to do"),
        rows=tuple(
            (
                miss.task.query_id,
                _excerpt(miss.task),
                miss.cause.value,
                ", ".join(_skills(miss)),
                miss.rank,
                _why(miss),
                mender.advice(miss),
            )
            for miss in ordered
        ),
    )


def _excerpt(task: Task) -> str:
    text = " ".join(task.query.split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1].rstrip() + "…"


def _skills(miss: Miss) -> Sequence[str]:
    """The skills that the miss is about."""
    if miss.cause is Cause.ABSENT:
        return miss.task.missing
    return miss.wrong or miss.pair or [lost.skill for lost in miss.lost]


def _why(miss: Miss) -> str:
    if miss.cause is Cause.ABSENT:
        return f"{len(miss.task.missing)} of {miss.task.wanted} gold skills are not held"
    if miss.pair:
        return f"{miss.pair[1]} stands before {miss.pair[0]}"
    if miss.wrong:
        return "nothing fits this task" if miss.task.off_topic else "the query names it as wrong"
    reasons = [f"{lost.reason}: {lost.detail}" if lost.detail else lost.reason for lost in miss.lost]
    return "; ".join(dict.fromkeys(reasons))


# --- what it shows -----------------------------------------------------------------------------------


def _by_cause(judged: Sequence[_Judged]) -> Plot:
    tallies = [_Tally.of(one) for one in judged]
    shown = [cause for cause in Cause if any(tally.causes[cause] for tally in tallies)]
    return Plot(
        kind="bars",
        title="What stands between a task and its skills",
        x_label="cause",
        y_label="share of tasks (%)",
        series=tuple(
            Series(
                label=tally.queries.name,
                x=tuple(cause.value for cause in shown),
                y=tuple(100 * tally.causes[cause] / len(tally.queries.tasks) for cause in shown),
            )
            for tally in tallies
        ),
    )


def _by_rank(judged: Sequence[_Judged]) -> Plot:
    labels = (*(f"{low}–{high}" for low, high in RANK_BANDS), "none")
    return Plot(
        kind="bars",
        title="Where the gold skills that did not come are ranked",
        x_label="rank",
        y_label="gold skills",
        series=tuple(
            Series(label=queries.name, x=labels, y=_bands(misses)) for queries, misses in judged if misses
        ),
    )


def _bands(misses: Sequence[Miss]) -> tuple[float, ...]:
    ranks = [lost.rank for miss in misses for lost in miss.lost]
    inside = [
        float(sum(rank is not None and low <= rank <= high for rank in ranks)) for low, high in RANK_BANDS
    ]
    return (*inside, float(ranks.count(None)))

"""Whether knowing the step before finds the next one better than searching for each step.

With n steps, searching for each of them succeeds with pⁿ, where p is the chance that a search puts the right
skill first. Finding the entry by searching and every later step from the one before succeeds with p · qⁿ⁻¹,
where q is the chance that the step after a known one is right. From two steps on, p · qⁿ⁻¹ > pⁿ exactly if
q > p: p is the break-even of q. Both are products of chances: they assume that steps succeed or fail
independently, that every step is as hard as those measured, and that whoever follows the graph takes the
first step it shows.

*q* is measured on pairs of known order: the first next step that the product shows for ``before`` is one of
those known to follow. Beside it stands what a search for the description of ``before`` puts first. *p*
comes from the queries, if there are any: hit@1. Without queries it comes from tasks made of both
descriptions, the later skill's first: whether a bundle in rank order begins with the earlier skill.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from skillquiver.evaluate.bundle_order import Packed, packed_orders
from skillquiver.evaluate.direction import by_source, few_corpora
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.following import UNAIDED, Asked, asked_steps, unaided_steps
from skillquiver.evaluate.masking import cuts_of
from skillquiver.evaluate.metrics import hit_at
from skillquiver.evaluate.pooled import (
    Outcome,
    draw_sums,
    percentiles,
    pooled_difference,
    pooled_share,
    sums_of,
)
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Cell, Interval, Plot, Section, Series, Table
from skillquiver.evaluate.subject import RANKERS, Rebuild, Subject
from skillquiver.evaluate.wording import gap_text, share_text
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import EvalSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Model", "run", "success"]

STEPS = range(1, 9)
"""Lengths of a task: bundles of eight are the published comparison's."""

HOW = (
    "no pairs of known order: write JSON lines with `before`, `after`, `relation` (`next` or "
    "`prerequisite`) and `corpus`, and give the file with --order"
)

_SOURCE = (
    "Products of chances: pⁿ against p·qⁿ⁻¹; steps are assumed to be independent and equally hard. Shares of "
    "pairs are pooled, intervals are percentile bootstrap over corpora (Davison & Hinkley, 1997); p from "
    "queries over tasks."
)


@dataclass(frozen=True)
class Model:
    """Values of p, from ``origin``, and q; draws of both, shape (draws, 2). ``n`` counts corpora."""

    origin: str
    p: float
    q: float
    drawn: npt.NDArray[np.float64]
    n: int


def success(p: float, q: float, n: int) -> tuple[float, float]:
    """(pⁿ, p · qⁿ⁻¹): chance of n right steps by searching for each, and by following from a found entry."""
    return p**n, p * q ** (n - 1)


def run(subject: Subject, inputs: Inputs) -> Section:
    """Measure p and q, and set the two formulas against each other."""
    settings = inputs.settings
    warnings = [subject.graph_told] if subject.graph_told else []
    warnings += inputs.notes.get("order", ())
    if not inputs.order:
        return _section("Nothing can be said of sequences without pairs of known order.", (*warnings, HOW))
    asked = asked_steps(subject, inputs.order, RANKERS[settings.ranker])
    cuts = cuts_of(inputs.order)
    if cuts:
        asked += unaided_steps(subject.rebuilt(Rebuild(cuts=cuts)), asked, inputs.order)
    packed = packed_orders(subject, inputs.order, settings)
    models = _models(subject, inputs, asked, packed)
    warnings += _doubts(inputs, asked, models)
    tables = [_steps_table(asked, settings), _bundles(packed, settings)]
    tables += [_break_even(models, settings)] if models else []
    tables += [_model_table(model, settings) for model in models]
    return replace(
        _section(_answer(subject, inputs, asked, packed, models), tuple(warnings)),
        tables=tuple(tables),
        plots=tuple(_plot(model, settings) for model in models),
        samples=_samples(asked, packed),
        clusters={one.key: one.corpus for one in asked} | {one.key: one.corpus for one in packed},
    )


def _section(answer: str, warnings: tuple[str, ...]) -> Section:
    return Section(
        name="sequence",
        title="Sequence",
        question="Does knowing the step before find the next one better than searching does?",
        source=_SOURCE,
        answer=answer,
        warnings=warnings,
    )


# --- what was measured -------------------------------------------------------------------------------


def _steps_table(asked: Sequence[Asked], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure in dict.fromkeys(one.measure for one in asked):
        mine = [one for one in asked if one.measure == measure]
        graph = [(one.corpus, float(one.graph)) for one in mine]
        search = [(one.corpus, float(one.search)) for one in mine]
        rows.append(
            (
                measure,
                len(mine),
                sum(one.graph for one in mine),
                *(pooled_share(graph, settings), pooled_share(search, settings)),
                _gap(mine, settings),
            )
        )
    return Table(
        caption="The step beside a known one: shown by `quiver next`, found by a search for its description",
        columns=("measure", "asked", "right", "next", "search", "difference"),
        rows=tuple(rows),
    )


def _bundles(packed: Sequence[Packed], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for arm in Arm:
        mine = [one for one in packed if one.arm is arm]
        told = [(one.corpus, float(one.right)) for one in mine if one.right is not None]
        share = pooled_share(told, settings) if told else None
        rows.append((arm.value, len(mine), len(told), share))
    return Table(
        caption="Order in bundles: the task is both descriptions, the later skill's first",
        columns=("arm", "tasks", "both in the bundle", "in the right order"),
        rows=tuple(rows),
    )


# --- the model ---------------------------------------------------------------------------------------


def _models(
    subject: Subject, inputs: Inputs, asked: Sequence[Asked], packed: Sequence[Packed]
) -> list[Model]:
    """One for each query set; without any, one from the pairs themselves. None without `next` pairs."""
    q = [(one.corpus, float(one.graph)) for one in asked if one.measure == "next@1"]
    if not q:
        return []
    found = [
        _independent(f"hit@1 on {one.name}", _hits(subject, one, inputs.settings), q, inputs.settings)
        for one in inputs.sets
        if one.answerable
    ]
    entries = [(one.corpus, float(one.entry)) for one in packed if one.arm is Arm.FLAT]
    return found or [_joint("entry of tasks made of two descriptions", entries, q, inputs.settings)]


def _hits(subject: Subject, queries: QuerySet, settings: EvalSettings) -> list[Outcome]:
    """Hit@1 of every cluster of queries."""
    hits: dict[str, list[float]] = defaultdict(list)
    for task in queries.answerable:
        ranking = subject.rank(task.query, top_k=1, settings=RANKERS[settings.ranker])
        hits[task.cluster].append(hit_at(task, [result.id for result in ranking.results], 1))
    return [(cluster, fmean(values)) for cluster, values in sorted(hits.items())]


def _independent(origin: str, p: Sequence[Outcome], q: Sequence[Outcome], settings: EvalSettings) -> Model:
    """Draw p over tasks and q over corpora, apart."""
    import numpy as np

    columns = [_ratios(draw_sums(sums_of(o), settings, stream=at)) for at, o in enumerate((p, q))]
    corpora = min(len(sums_of(o)) for o in (p, q))
    return Model(origin, _mean(p), _mean(q), np.stack(columns, axis=1), corpora)


def _joint(origin: str, p: Sequence[Outcome], q: Sequence[Outcome], settings: EvalSettings) -> Model:
    """Draw p and q from the same corpora, together."""
    import numpy as np

    sums = {corpus: [*row, 0.0, 0.0] for corpus, row in sums_of(p).items()}
    for corpus, row in sums_of(q).items():
        sums[corpus] = [*sums.get(corpus, [0.0] * 4)[:2], *row]
    drawn = draw_sums(sums, settings)
    columns = [_ratios(drawn[:, :2]), _ratios(drawn[:, 2:])]
    return Model(origin, _mean(p), _mean(q), np.stack(columns, axis=1), len(sums))


def _ratios(drawn: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        found: npt.NDArray[np.float64] = drawn[:, 0] / drawn[:, 1]
    return found


def _mean(outcomes: Sequence[Outcome]) -> float:
    return math.fsum(value for _, value in outcomes) / len(outcomes)


def _cells(model: Model, n: int, settings: EvalSettings) -> tuple[Interval | float, ...]:
    """pⁿ, p·qⁿ⁻¹ and the gain; without intervals where all pairs are of one corpus."""
    alone, led = success(model.p, model.q, n)
    if model.n < 2:
        return alone, led, led - alone
    d = model.drawn
    return (
        percentiles(alone, d, lambda x: x[:, 0] ** n, settings, model.n),
        percentiles(led, d, lambda x: x[:, 0] * x[:, 1] ** (n - 1), settings, model.n),
        percentiles(led - alone, d, lambda x: x[:, 0] * x[:, 1] ** (n - 1) - x[:, 0] ** n, settings, model.n),
    )


def _model_table(model: Model, settings: EvalSettings) -> Table:
    return Table(
        caption=f"All of n steps right, with p: {model.origin}",
        columns=("n", "pⁿ, searching for each", "p·qⁿ⁻¹, following", "gain"),
        rows=tuple((str(n), *_cells(model, n, settings)) for n in STEPS),
    )


def _break_even(models: Sequence[Model], settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for model in models:
        cells: list[Cell] = [model.p, model.q, model.q - model.p]
        if model.n > 1:
            cells = [
                percentiles(model.p, model.drawn, lambda x: x[:, 0], settings, model.n),
                percentiles(model.q, model.drawn, lambda x: x[:, 1], settings, model.n),
                _lead(model, settings),
            ]
        rows.append((model.origin, *cells))
    return Table(
        caption="p and q: following pays for tasks of two and more steps if q is above p",
        columns=("p from", "p, break-even of q", "q, next@1", "q - p"),
        rows=tuple(rows),
    )


def _lead(model: Model, settings: EvalSettings) -> Interval:
    return percentiles(model.q - model.p, model.drawn, lambda x: x[:, 1] - x[:, 0], settings, model.n)


# --- answer ------------------------------------------------------------------------------------------


def _answer(
    subject: Subject,
    inputs: Inputs,
    asked: Sequence[Asked],
    packed: Sequence[Packed],
    models: Sequence[Model],
) -> str:
    settings = inputs.settings
    parts = []
    first = [one for one in asked if one.measure == "next@1"]
    if first:
        gap = _gap(first, settings)
        parts.append(
            f"{_verdict(gap)} Of {len(first)} skills with a known next one, the graph shows a right one "
            f"first for {sum(one.graph for one in first)}, a search for "
            f"{sum(one.search for one in first)}: difference {gap_text(gap)}."
        )
    unaided = [one for one in asked if one.measure == UNAIDED]
    if unaided:
        gap = _gap(unaided, settings)
        parts.append(
            f"Built without the lines that the labels quote, it shows a right one first for "
            f"{sum(one.graph for one in unaided)}: difference {gap_text(gap)}."
        )
    parts.append(_bundle_answer(packed, settings))
    carried = by_source(subject.graph, inputs.order)
    right = {name: counts["right"] for name, counts in carried.items() if counts["right"]}
    if right:
        told = ", ".join(f"{name} {n}" for name, n in right.items())
        parts.append(
            f"Known pairs that the graph states in the right direction, by candidate source: {told}."
        )
    parts += [_model_answer(model, settings) for model in models]
    return "\n".join(parts)


def _gap(asked: Sequence[Asked], settings: EvalSettings) -> Interval:
    """Share of the graph minus share of the search."""
    graph = [(one.corpus, float(one.graph)) for one in asked]
    return pooled_difference(graph, [(one.corpus, float(one.search)) for one in asked], settings)


def _model_answer(model: Model, settings: EvalSettings) -> str:
    alone, led = success(model.p, model.q, 4)
    told, verdict = f"{model.q - model.p:+.3f}", "which says nothing of other corpora"
    if model.n > 1:
        lead = _lead(model, settings)
        told, verdict = gap_text(lead), "which leaves open whether following pays"
        verdict = "so following pays" if lead.low > 0 else verdict
        verdict = "so searching for each step pays more" if lead.high < 0 else verdict
    return (
        f"With p = {model.p:.3f} ({model.origin}) and q = {model.q:.3f}, q - p is {told}, {verdict}; if "
        f"steps were independent, four would all be right in {led:.1%} by following, in {alone:.1%} by "
        "searching."
    )


def _verdict(gap: Interval) -> str:
    if gap.low > 0:
        return "On these pairs the graph helps order."
    if gap.high < 0:
        return "On these pairs the graph harms order."
    return "Whether the graph helps order is open: the interval holds zero."


def _bundle_answer(packed: Sequence[Packed], settings: EvalSettings) -> str:
    told = []
    for arm in (Arm.FLAT, Arm.REVERSE):
        known = [(one.corpus, float(one.right)) for one in packed if one.arm is arm and one.right is not None]
        if known:
            share = pooled_share(known, settings)
            told.append(f"{share_text(share)} of pairs in arm {arm.value}")
    return f"Bundles stand in the right order for {' and '.join(told)}." if told else "No bundle held a pair."


def _doubts(inputs: Inputs, asked: Sequence[Asked], models: Sequence[Model]) -> list[str]:
    told = [
        (
            "pairs that readers took out of the skills' own texts are found by whatever reads these texts: "
            "q says how well that is done, not what is known where nobody wrote it down"
        )
    ]
    corpora = {edge.corpus for edge in inputs.order}
    if len(corpora) == 1:
        told.append("all pairs are of one corpus: nothing can be said of others, and intervals are left out")
    told += few_corpora(inputs.order)
    if not any(one.measure == "next@1" for one in asked):
        told.append("no pair is labelled `next`: q cannot be measured")
    if not inputs.sets:
        told.append(
            "no queries: p comes from tasks made of descriptions, which are easy to find; give a query file"
        )
    if any(model.q in (0.0, 1.0) for model in models):
        told.append("all known next steps are right, or none: intervals of the model know no doubt about q")
    return told


def _samples(asked: Sequence[Asked], packed: Sequence[Packed]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for one in asked:
        found[f"next: {one.measure}"][one.key] = float(one.graph)
        found[f"search: {one.measure}"][one.key] = float(one.search)
    for pack in packed:
        if pack.right is not None:
            found[f"bundle order, {pack.arm.value}"][pack.key] = float(pack.right)
    return dict(found)


def _plot(model: Model, settings: EvalSettings) -> Plot:
    cells = [_cells(model, n, settings) for n in STEPS]
    return Plot(
        kind="lines",
        title=f"All of n steps right ({model.origin})",
        x_label="steps",
        y_label="chance",
        series=tuple(_series(label, [row[at] for row in cells]) for at, label in enumerate(("pⁿ", "p·qⁿ⁻¹"))),
    )


def _series(label: str, cells: Sequence[Interval | float]) -> Series:
    known = [cell for cell in cells if isinstance(cell, Interval)]
    return Series(
        label=label,
        x=tuple(map(float, STEPS)),
        y=tuple(cell.value if isinstance(cell, Interval) else cell for cell in cells),
        low=tuple(cell.low for cell in known),
        high=tuple(cell.high for cell in known),
    )

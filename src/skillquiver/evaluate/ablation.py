"""The product with one part switched off at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from skillquiver.evaluate.arm_answers import POOL, Answer, scores_of
from skillquiver.evaluate.arms import thin_warnings
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.metrics import hit_at, recall_at
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.significance import Paired, mean_interval, paired
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.evaluate.wording import Tested, cell, family, unchanged, verdict
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.ranking import Ranking
from skillquiver.settings import EvalSettings, RankSettings

__all__ = ["FULL", "Part", "parts_of", "run"]

FULL = "full product"
"""What every row is compared with."""

PROTOCOL = (
    "Ablation: the product's search and bundle, with one part off at a time. hit@1 and recall@k are of the "
    "ranking, bundle recall and completeness of what is packed, whatever its tier; gold that the library "
    "lacks does not count. Differences are part off minus full product, averaged over replicates and "
    "resampled over tasks (percentile bootstrap); p by flipping signs, corrected after Holm (1979) over all "
    "of this section."
)


@dataclass(frozen=True, slots=True)
class Part:
    """The product without something: how it ranks and how it follows the graph."""

    name: str
    ranker: RankSettings
    arm: Arm = Arm.REVERSE


Values = Mapping[str, Mapping[str, float]]
"""Measure → query id → value."""


def parts_of(ranker: str) -> tuple[Part, ...]:
    """The full product, which ranks as ``ranker`` says, and what is left without each part.

    There are rows only of parts that ``ranker`` has: of the second stage, and of lexical and dense channels
    by themselves where it has both.
    """
    full = RANKERS[ranker]
    lexical = full.full_weight + full.card_weight + full.name_weight > 0
    alone = [
        Part("lexical only", replace(full, dense_weight=0.0, rerank_depth=0)),
        Part("dense only", RANKERS["dense"]),
    ]
    parts = [
        Part(FULL, full),
        *(alone if lexical and full.dense_weight else ()),
        Part("without second stage", replace(full, rerank_depth=0)),
        Part("without graph", full, Arm.FLAT),
        Part("without reverse transitions", full, Arm.FORWARD),
    ]
    seen: dict[tuple[RankSettings, Arm], Part] = {}
    for part in parts:
        seen.setdefault((part.ranker, part.arm), part)
    return tuple(seen.values())


def run(subject: Subject, inputs: Inputs) -> Section:
    """Measure every part's loss on every set."""
    sets = [queries for queries in inputs.sets if queries.answerable]
    parts = parts_of(inputs.settings.ranker)
    values = {queries.name: _values(subject, queries, parts, inputs.settings) for queries in sets}
    compared = _compared(sets, values, inputs.settings)
    return Section(
        name="ablation",
        title="The product with parts off",
        question="What does each part of the product bring?",
        source=PROTOCOL,
        answer=_answer(sets, compared, inputs.settings),
        tables=tuple(
            table
            for queries in sets
            for table in (
                _levels(queries, values[queries.name], inputs.settings),
                _differences(queries, compared),
            )
        ),
        plots=tuple(_plot(queries, compared) for queries in sets),
        samples={
            f"{name}: {part}, {measure}": of_query
            for name, of_part in values.items()
            for part, scores in of_part.items()
            for measure, of_query in scores.items()
        },
        warnings=(*thin_warnings(subject, inputs), *_degraded(subject, sets)),
    )


# --- measuring ---------------------------------------------------------------------------------------


def _values(
    subject: Subject, queries: QuerySet, parts: Sequence[Part], settings: EvalSettings
) -> Mapping[str, Values]:
    """Part → values; parts that rank alike share the ranking."""
    found: dict[str, dict[str, dict[str, float]]] = {part.name: {} for part in parts}
    for task in queries.answerable:
        rankings: dict[RankSettings, Ranking] = {}
        for part in parts:
            if part.ranker not in rankings:
                rankings[part.ranker] = subject.rank(task.query, top_k=POOL, settings=part.ranker)
            scores = _scores(subject, task, part, (rankings[part.ranker], settings))
            for measure, value in scores.items():
                found[part.name].setdefault(measure, {})[task.query_id] = value
    return found


def _scores(
    subject: Subject, task: Task, part: Part, given: tuple[Ranking, EvalSettings]
) -> Mapping[str, float]:
    ranking, settings = given
    bundle = subject.bundle(
        task.query, arm=part.arm, budget=settings.budget, max_skills=settings.top_k, ranking=ranking
    )
    answer = Answer(tuple(entry.id for entry in bundle.entries), bundle.tokens, 0.0)
    packed = scores_of(task, answer)
    of_bundle = {
        "bundle recall": packed["available recall"],
        "bundle completeness": packed["completeness"],
    }
    if part.arm is not Arm.REVERSE:  # it ranks as the full product does
        return of_bundle
    ids = [result.id for result in ranking.results]
    return {
        "hit@1": hit_at(task, ids, 1),
        f"recall@{settings.top_k}": recall_at(task, ids, settings.top_k),
        **of_bundle,
    }


# --- comparison --------------------------------------------------------------------------------------


_Key = tuple[str, str, str]
"""Set, part, measure."""


def _compared(
    sets: Sequence[QuerySet], values: Mapping[str, Mapping[str, Values]], settings: EvalSettings
) -> Mapping[_Key, Tested]:
    found: dict[_Key, Paired] = {}
    for queries in sets:
        full = values[queries.name][FULL]
        for part, scores in values[queries.name].items():
            for measure, of_query in scores.items() if part != FULL else ():
                found[queries.name, part, measure] = paired(
                    of_query, full[measure], queries.clusters, settings
                )
    return family(found)


def _levels(queries: QuerySet, values: Mapping[str, Values], settings: EvalSettings) -> Table:
    measures = tuple(values[FULL])
    rows: list[tuple[Cell, ...]] = [
        (
            part,
            *(
                cell(mean_interval(scores[measure], queries.clusters, settings))
                if measure in scores
                else None
                for measure in measures
            ),
        )
        for part, scores in values.items()
    ]
    return Table(
        caption=f"{queries.name}: {len(queries.answerable)} queries with held gold",
        columns=("product", *measures),
        rows=tuple(rows),
    )


def _differences(queries: QuerySet, compared: Mapping[_Key, Tested]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            f"{part}, {measure}",
            one.found.difference,
            f"{one.found.won} : {one.found.lost}",
            one.found.p,
            one.adjusted,
        )
        for (name, part, measure), one in compared.items()
        if name == queries.name
    ]
    return Table(
        caption=f"{queries.name}: with a part off, minus the full product; tasks better : worse",
        columns=("part off, measure", "difference", "better : worse", "p", "p (Holm)"),
        rows=tuple(rows),
    )


def _plot(queries: QuerySet, compared: Mapping[_Key, Tested]) -> Plot:
    mine = {key[1:]: one.found.difference for key, one in compared.items() if key[0] == queries.name}
    series = []
    for part in dict.fromkeys(part for part, _ in mine):
        gaps = {measure: gap for (of, measure), gap in mine.items() if of == part}
        series.append(Series.of(part, gaps, gaps.values()))
    return Plot(
        kind="points",
        title=f"{queries.name}: what is lost without a part",
        x_label="measure",
        y_label="difference to the full product",
        series=tuple(series),
    )


# --- words -------------------------------------------------------------------------------------------


def _answer(sets: Sequence[QuerySet], compared: Mapping[_Key, Tested], settings: EvalSettings) -> str:
    """A sentence per set and part: on hit@1, or on the bundle where the ranking is the same."""
    if not sets:
        return "No query has a gold skill in this library."
    told = [_headline(compared, settings)]
    for queries in sets:
        mine = {key[1:]: one for key, one in compared.items() if key[0] == queries.name}
        told.append(f"{queries.name}: {'; '.join(_told(mine, settings))}.")
    return "\n".join(told)


def _measure(part: str, keys: Collection[tuple[str, str]]) -> str:
    """What a part is judged by: hit@1, or the bundle where the ranking is the same."""
    return "hit@1" if (part, "hit@1") in keys else "bundle completeness"


def _told(mine: Mapping[tuple[str, str], Tested], settings: EvalSettings) -> list[str]:
    """A sentence for each part of one set; those without which nothing changes share one."""
    told, same = [], list[str]()
    for part in dict.fromkeys(part for part, _ in mine):
        measure = _measure(part, mine)
        tested = mine[part, measure]
        if tested.found.won + tested.found.lost == 0 and measure != "hit@1":
            same.append(f"the product {part}")
            continue
        what = f"the product {part}" if part.startswith("without") else f"{part} ranking"
        told.append(verdict(what, measure, tested, settings))
    if same:
        n = next(iter(mine.values())).found.difference.n
        told.append(unchanged(" or ".join(same), "bundle completeness", n, settings))
    return told


def _headline(compared: Mapping[_Key, Tested], settings: EvalSettings) -> str:
    """Parts without which the product is worse, and on which sets, after correction."""
    worse: dict[str, list[str]] = {}
    for name, part, _ in compared:
        measure = _measure(part, {key[1:] for key in compared if key[0] == name})
        tested = compared[name, part, measure]
        sure = tested.adjusted <= 1 - settings.level and tested.found.difference.high < 0
        worse.setdefault(part, [])
        if sure and name not in worse[part]:
            worse[part].append(name)
    sets = {name for name, _, _ in compared}
    lost = [
        part if len(names) == len(sets) else f"{part} ({', '.join(names)})"
        for part, names in worse.items()
        if names
    ]
    same = [part for part, names in worse.items() if not names]
    told = [f"Beyond chance worse than the whole product: {', '.join(lost)}."] if lost else []
    told += [f"No evidence of a difference: {', '.join(same)}."] if same else []
    return " ".join(told)


def _degraded(subject: Subject, sets: Sequence[QuerySet]) -> tuple[str, ...]:
    """Why channels are missing: their rows then show nothing of them."""
    if not sets:
        return ()
    why = subject.rank(sets[0].answerable[0].query, top_k=1).degraded
    return (f"the ranking is degraded, so rows of missing parts say nothing: {why}",) if why else ()

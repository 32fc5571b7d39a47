"""Entry retrieval, rung by rung: the graph alone, the ranking, and both, at equal budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from skillquiver.evaluate import budgets, reach, reordering
from skillquiver.evaluate.arm_answers import near
from skillquiver.evaluate.arms import thin_warnings
from skillquiver.evaluate.budgets import SIZES, Test, World, hit
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.joining import joined
from skillquiver.evaluate.layers import Closeness, Head, Layer, main_layers, neighbours, single_layers
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Plot, Section, Series, Table
from skillquiver.evaluate.significance import mean_interval
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.evaluate.wording import Tested, gap_text, p_text, share_text, verdict
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.expand import expand, seeds_of
from skillquiver.retrieve.ranking import Ranking
from skillquiver.retrieve.trained_on import normalised
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

__all__ = ["ALL_SETS", "run"]

RANKS = 30
"""Ranks that are kept: six cards may be long, and more of the ranking may fit their tokens."""

DEEP = 1000
"""Ranks that are kept of a miss: as many as the ranker scores, and more than three steps reach."""

ALL_SETS = "all sets"
"""Name of all queries together."""

PROTOCOL = (
    "The ladder of the comparative study (Palatine). A query hits if a gold skill is among what is shown. "
    "Graph alone: up to five neighbours of the skill whose name and description match best (BM25), that "
    "skill left out. Neighbours come strongest first: confidence of the skill stepped from × weight of "
    "the step, then cosine, then id. Substitution: the exact test of McNemar (1947) and the interval of "
    "Newcombe (1998, method 10) over tasks; replicates of a task count once. Chance of reach: random "
    "skills with the gold's degree in that layer, outside the first ten; p is the exact tail of the sum "
    "of those chances. Each kind of test is one family for Holm's correction (1979), over all sets."
)


def run(subject: Subject, inputs: Inputs) -> Section:
    """Climb on every set and, if there are several, on all of them together."""
    sets = _with_all([queries for queries in inputs.sets if queries.answerable])
    found = _found(subject, sets, inputs)
    return Section(
        name="ladder",
        title="The ladder of entry retrieval",
        question="Do graph neighbours help to find the entry, and which of them?",
        source=PROTOCOL,
        answer=_answer(found, inputs) if sets else "No query has a gold skill in this library.",
        tables=tuple(table for queries in sets for table in found.tables(queries)) + found.recovery(),
        plots=tuple(plot for queries in sets for plot in found.plots(queries)),
        samples={
            f"{queries.name}: {rung}": {
                task.query_id: float(hit(task, ids(task))) for task in queries.answerable
            }
            for queries in sets
            if queries.name != ALL_SETS
            for rung, ids in found.rungs.items()
        },
        warnings=(*thin_warnings(subject, inputs), *found.warnings),
    )


@dataclass(frozen=True)
class _Found:
    """All that was compared."""

    world: World
    sets: Sequence[QuerySet]
    layers: Sequence[Layer]
    single: Sequence[Layer]
    rungs: Mapping[str, Callable[[Task], Sequence[SkillId]]]
    substitutions: Mapping[tuple[str, ...], Test]
    by_layer: Mapping[tuple[str, ...], Test]
    reached: Sequence[reach.Reach]
    reordered: Mapping[tuple[str, ...], Test]
    warnings: tuple[str, ...]

    def tables(self, queries: QuerySet) -> list[Table]:
        """Those of one set, in the order of reading; none without rows but the ladder."""
        name, ranker = queries.name, self.world.ranker
        mine = [one for one in self.reached if one.queries == name]
        tables = [
            self._ladder(queries),
            budgets.substitution_table(name, self.substitutions, ranker),
            budgets.layer_table(name, self.by_layer, self.single),
            reach.table(name, mine, ranker),
            reordering.table(name, self.reordered, ranker),
        ]
        return [table for table in tables if table.rows]

    def recovery(self) -> tuple[Table, ...]:
        """What helps where the first rank is wrong, on every set."""
        rows = tuple(
            budgets.recovery_rows(self.world, queries, layer)
            for queries in self.sets
            for layer in self.layers
        )
        columns = (
            "set, layer",
            "wrong entries",
            "neighbours",
            "ranks 2-6",
            "both",
            "only neighbours",
            "only ranks",
        )
        caption = (
            f"Where {self.world.ranker}@1 is wrong: share with gold among up to five neighbours of that "
            "wrong skill, and among the next five ranks"
        )
        return (Table(caption=caption, columns=columns, rows=rows),) if rows else ()

    def plots(self, queries: QuerySet) -> list[Plot]:
        """The ladder as bars, reach as lines."""
        levels = {rung: self._level(queries, ids) for rung, ids in self.rungs.items()}
        bars = Series.of(queries.name, levels, levels.values())
        title = f"{queries.name}: gold among what is shown"
        plots = [Plot(kind="bars", title=title, x_label="rung", y_label="share of queries", series=(bars,))]
        mine = [one for one in self.reached if one.queries == queries.name]
        return [*plots, reach.plot(queries.name, mine)] if mine else plots

    def _level(self, queries: QuerySet, ids: Callable[[Task], Sequence[SkillId]]) -> Interval:
        values = {task.query_id: float(hit(task, ids(task))) for task in queries.answerable}
        return mean_interval(values, queries.clusters, self.world.settings)

    def _ladder(self, queries: QuerySet) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (
                rung,
                self._level(queries, ids),
                round(fmean(len(ids(task)) for task in queries.answerable), 2),
                round(fmean(self.world.tokens(ids(task)) for task in queries.answerable), 1),
            )
            for rung, ids in self.rungs.items()
        ]
        return Table(
            caption=f"{queries.name}: {len(queries.answerable)} queries, gold among what is shown",
            columns=("rung", "hit", "skills", "card tokens"),
            rows=tuple(rows),
        )


# --- running -----------------------------------------------------------------------------------------


def _with_all(sets: Sequence[QuerySet]) -> list[QuerySet]:
    """The sets and, of several, their union; ids carry the set's name there, so that none meet.

    Tasks that have a query in common are one unit there, whichever sets they are of.
    """
    if len(sets) < 2:
        return list(sets)
    tasks = [
        replace(task, query_id=f"{queries.name}: {task.query_id}", cluster=f"{queries.name}: {task.cluster}")
        for queries in sets
        for task in queries.tasks
    ]
    units = joined([{("text", normalised(task.query)), ("unit", task.cluster)} for task in tasks])
    whole = tuple(
        replace(task, cluster=tasks[first].cluster) for task, first in zip(tasks, units, strict=True)
    )
    return [*sets, QuerySet(ALL_SETS, whole)]


def _found(subject: Subject, sets: Sequence[QuerySet], inputs: Inputs) -> _Found:
    ranker, settings = inputs.settings.ranker, inputs.settings
    queries = dict.fromkeys(task.query for of in sets for task in of.answerable)
    rankings = {query: subject.rank(query, top_k=RANKS, settings=RANKERS[ranker]) for query in queries}
    named = {query: _head(subject.rank(query, top_k=1, settings=RANKERS["bm25 card"])) for query in queries}
    heads = {query: _head(ranking) for query, ranking in rankings.items()}
    cards = {skill_id: skill.tokens.card for skill_id, skill in subject.skills.items()}
    world = World(ranker, heads, cards, _closeness(subject), settings)
    missed = dict.fromkeys(task.query for of in sets for task in reach.missed_of(world, of))
    deep = {query: _head(subject.rank(query, top_k=DEEP, settings=RANKERS[ranker])).ids for query in missed}
    world = replace(world, deep=deep)
    layers, single = main_layers(subject.graph), single_layers(subject.graph)
    degraded = sorted({ranking.degraded for ranking in rankings.values() if ranking.degraded})
    reached = [one for of in sets for one in reach.reach(world, of, layers)]
    ways = reordering.ways_of(world, layers, _expanded(subject, rankings)) if layers else {}
    return _Found(
        world,
        sets,
        layers,
        single,
        _rungs(world, named, layers),
        budgets.substitutions(world, sets, layers, SIZES),
        budgets.substitutions(world, sets, single, SIZES[:1]),
        reach.adjust(reached),
        reordering.tests_of(world, sets, ways),
        tuple(f"the ranking is degraded: {why}" for why in degraded),
    )


def _head(ranking: Ranking) -> Head:
    results = ranking.results
    return Head(
        tuple(result.id for result in results),
        tuple(result.score for result in results),
        tuple(result.confidence for result in results),
    )


def _closeness(subject: Subject) -> Closeness:
    vectors, place = subject.vectors(), subject.graph.position
    if vectors is None:
        return _nothing_known
    return lambda a, b: round(float(vectors[place[a]] @ vectors[place[b]]), 6)


def _nothing_known(_one: SkillId, _other: SkillId) -> float:
    return 0.0


def _expanded(subject: Subject, rankings: Mapping[str, Ranking]) -> Mapping[str, SkillId]:
    """The first of the product's expansion of the first ten, among these."""
    settings = DiffuseSettings()
    first = {}
    for query, ranking in rankings.items():
        top = replace(ranking, results=ranking.results[: reordering.DEPTH])
        around = near(subject.graph, seeds_of(top, settings), settings)
        ranked = {result.id for result in top.results}
        skills = expand(top, around, arm=Arm.REVERSE, settings=settings).skills
        ordered = [one.id for one in skills if one.id in ranked]
        if ordered:
            first[query] = ordered[0]
    return first


def _rungs(
    world: World, named: Mapping[str, Head], layers: Sequence[Layer]
) -> Mapping[str, Callable[[Task], Sequence[SkillId]]]:
    ranker = world.ranker
    rungs: dict[str, Callable[[Task], Sequence[SkillId]]] = {
        "name match@1": lambda task: named[task.query].ids
    }
    for layer in layers:
        rungs[f"graph alone, {layer.name}"] = _beside(world, named, layer)
    rungs[f"{ranker}@1"] = _ranks(world, 1)
    for layer in layers:
        rungs[f"{ranker}@1 + {layer.name}"] = _entry_and(world, layer)
    rungs[f"{ranker}@6"] = _ranks(world, 6)
    rungs[f"{ranker}@10"] = _ranks(world, 10)
    return rungs


def _ranks(world: World, count: int) -> Callable[[Task], Sequence[SkillId]]:
    return lambda task: world.heads[task.query].ids[:count]


def _beside(world: World, heads: Mapping[str, Head], layer: Layer) -> Callable[[Task], Sequence[SkillId]]:
    return lambda task: neighbours(layer, heads[task.query], world.closeness, base=1, count=5)


def _entry_and(world: World, layer: Layer) -> Callable[[Task], Sequence[SkillId]]:
    around = _beside(world, world.heads, layer)
    return lambda task: (*world.heads[task.query].ids[:1], *around(task))


# --- words -------------------------------------------------------------------------------------------


def _answer(found: _Found, inputs: Inputs) -> str:
    if not found.layers:
        return "The graph holds no relation: it can neither help nor harm."
    name, ranker = found.sets[-1].name, found.world.ranker
    main = {layer.name: found.substitutions[name, layer.name, SIZES[0].name] for layer in found.layers}
    told = [
        verdict(
            f"showing {layer} neighbours of {ranker}@1 instead of as many more ranks",
            "the share of queries with gold shown",
            Tested(test.found, test.adjusted, len(found.substitutions)),
            inputs.settings,
        )
        + _by_gold(test)
        for layer, test in main.items()
    ]
    told.append(_carriers(found, name))
    told += [_told_reach(one) for one in found.reached if (one.queries, one.start, one.hops) == (name, 5, 2)]
    told.append(_told_order(found, name, 1 - inputs.settings.level))
    short = _short(main, 1 - inputs.settings.level)
    return "\n".join(
        [f"Does the graph help entry retrieval here? {short}", *(f"On {name}: {one}." for one in told)]
    )


def _short(main: Mapping[str, Test], alpha: float) -> str:
    """Yes, no, or no evidence, by the published comparison."""
    sure = [test.found.difference for test in main.values() if test.adjusted <= alpha]
    if any(gap.low > 0 for gap in sure):
        return "Yes: its neighbours beat as many more ranks."
    if any(gap.high < 0 for gap in sure):
        return "No: at equal budget more ranks are better."
    return "There is no evidence that it does."


def _by_gold(test: Test) -> str:
    more, less = test.by_gold
    return f", by gold skill {more} : {less}, {p_text(test.p_by_gold)}" if more or less else ""


def _carriers(found: _Found, name: str) -> str:
    """Which kind of relation shows gold that as many ranks do not."""
    mine = {key[1]: test for key, test in found.by_layer.items() if key[0] == name}
    above = [layer for layer, test in mine.items() if test.found.difference.low > 0]
    won = [layer for layer, test in mine.items() if test.found.won]
    if above:
        return f"better than as many ranks, before correction: {', '.join(above)}"
    if not won:
        return "no kind of relation alone shows gold that as many ranks miss"
    shown = ", ".join(f"{layer} ({mine[layer].found.won} : {mine[layer].found.lost})" for layer in won)
    return f"no kind of relation beats as many ranks; with gold that only it shows : only they: {shown}"


def _told_reach(one: reach.Reach) -> str:
    share = one.reached
    return (
        f"of {share.n} queries without gold in the first ten, {share_text(share)} have it within two "
        f"{one.layer} steps of the first five, among {one.near:.0f} "
        f"skills; as many further ranks hold it in {one.ranked.value:.1%}, and random skills of its degree "
        f"would be within these steps in {one.expected:.1%} ({p_text(one.adjusted)} after Holm)"
    )


def _told_order(found: _Found, name: str, alpha: float) -> str:
    """Ways of ordering anew that change hit@1 beyond chance, on all queries and on single sets."""
    mine = {way: test.found.difference for (of, way), test in found.reordered.items() if of == name}
    sure = [
        f"{way} on {of} ({gap_text(test.found.difference)}{_by_gold(test)})"
        for (of, way), test in found.reordered.items()
        if test.found.difference.low > 0 and test.adjusted <= alpha
    ]
    best = max(mine, key=lambda way: (mine[way].value, way))
    told = ", ".join(sure) if sure else "none of them raises hit@1 beyond chance on any set"
    shown = f"the best is {best} ({gap_text(mine[best])})"
    return f"of {len(mine)} ways to order the first ten anew, {shown}; {told}"

"""Graph neighbours against more ranked results, at equal budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from skillquiver.evaluate.layers import Closeness, Head, Layer, neighbours
from skillquiver.evaluate.metrics import hit_at
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Table
from skillquiver.evaluate.significance import Paired, holm, mcnemar_exact, newcombe_paired, wilson
from skillquiver.settings import EvalSettings
from skillquiver.types import SkillId

__all__ = [
    "SIZES",
    "TEST_COLUMNS",
    "Size",
    "Test",
    "World",
    "compare",
    "corrected",
    "hit",
    "layer_table",
    "recovery_rows",
    "substitution_table",
    "substitutions",
    "units",
]


@dataclass(frozen=True, slots=True)
class World:
    """What is compared on: rankings by query, the tokens of every card, and how close two skills are.

    ``deep`` has many more ranks of the queries that need them.
    """

    ranker: str
    heads: Mapping[str, Head]
    cards: Mapping[SkillId, int]
    closeness: Closeness
    settings: EvalSettings
    deep: Mapping[str, Sequence[SkillId]] = field(default_factory=dict)

    def tokens(self, ids: Sequence[SkillId]) -> int:
        """Tokens of the cards."""
        return sum(self.cards.get(skill_id, 0) for skill_id in ids)


@dataclass(frozen=True, slots=True)
class Size:
    """``base`` ranks and at most ``extra`` neighbours of theirs; ``budget`` says what ranks alone may show.

    ``skills``: as many skills. ``tokens``: the ranks whose cards fit the tokens of the other's cards.
    ``filled``: ``base + extra`` skills, and where neighbours are too few the next ranks follow them.
    """

    base: int
    extra: int
    budget: str

    @property
    def name(self) -> str:
        """For a table."""
        return f"{self.base} + {self.extra}, {self.budget}"


SIZES = (
    Size(1, 5, "skills"),
    Size(1, 5, "tokens"),
    Size(1, 5, "filled"),
    Size(3, 3, "skills"),
    Size(3, 3, "tokens"),
    Size(5, 5, "skills"),
    Size(5, 5, "tokens"),
)
"""The first is the published comparison: one entry and five neighbours against six ranks."""


@dataclass(frozen=True, slots=True)
class Test:
    """Two ways on the same tasks: shares that hit, the difference, who hit alone, and McNemar's exact p.

    ``by_gold`` counts gold skills for which one way hits more often, and those for which the other does:
    many queries may want one skill, and then they are no independent proof.
    """

    one: float
    other: float
    found: Paired
    by_gold: tuple[int, int]
    neighbours: float = 0.0
    adjusted: float = 1.0

    @property
    def p_by_gold(self) -> float:
        """Exact sign test over gold skills."""
        return mcnemar_exact(*self.by_gold)

    def cells(self) -> tuple[Cell, ...]:
        """For a table, under ``TEST_COLUMNS``."""
        more, less = self.by_gold
        found = self.found
        score = f"{found.won} : {found.lost}"
        return (found.difference, score, found.p, self.adjusted, f"{more} : {less}", self.p_by_gold)


TEST_COLUMNS = ("difference", "only one : only other", "p", "p (Holm)", "by gold skill", "p by gold skill")
"""Of ``Test.cells``."""


def hit(task: Task, ids: Sequence[SkillId]) -> bool:
    """Whether a gold skill is among ``ids``."""
    return bool(hit_at(task, ids, len(ids)))


def units(values: Mapping[str, bool], clusters: Mapping[str, str]) -> dict[str, bool]:
    """One outcome per unit of resampling: that of most of its replicates, a hit where they are even."""
    groups: dict[str, list[bool]] = {}
    for query_id, value in values.items():
        groups.setdefault(clusters.get(query_id, query_id), []).append(value)
    return {name: 2 * sum(group) >= len(group) for name, group in sorted(groups.items())}


def compare(
    one: Mapping[str, bool], other: Mapping[str, bool], queries: QuerySet, settings: EvalSettings
) -> Test:
    """Compare two outcomes per query: Newcombe's interval of the difference, McNemar's exact test."""
    a, b = units(one, queries.clusters), units(other, queries.clusters)
    both = sum(a[name] and b[name] for name in a)
    first = sum(a[name] and not b[name] for name in a)
    second = sum(b[name] and not a[name] for name in a)
    gap = newcombe_paired(both, first, second, len(a) - both - first - second, level=settings.level)
    paired = Paired(gap, mcnemar_exact(first, second), first, second)
    n = max(len(a), 1)
    return Test((both + first) / n, (both + second) / n, paired, _by_gold(one, other, queries))


def _by_gold(one: Mapping[str, bool], other: Mapping[str, bool], queries: QuerySet) -> tuple[int, int]:
    """Sets of gold skills whose queries one way answers more often, and fewer."""
    gaps: dict[tuple[SkillId, ...], int] = defaultdict(int)
    for task in queries.answerable:
        gold = tuple(sorted(min(group) for group in task.gold))
        gaps[gold] += one[task.query_id] - other[task.query_id]
    return sum(gap > 0 for gap in gaps.values()), sum(gap < 0 for gap in gaps.values())


def corrected(tests: Mapping[tuple[str, ...], Test]) -> Mapping[tuple[str, ...], Test]:
    """The tests of one family with their p-values after Holm."""
    adjusted = holm([test.found.p for test in tests.values()])
    return {key: replace(test, adjusted=p) for (key, test), p in zip(tests.items(), adjusted, strict=True)}


# --- substitution ------------------------------------------------------------------------------------


def _graph_side(world: World, task: Task, layer: Layer, size: Size) -> tuple[SkillId, ...]:
    head = world.heads[task.query]
    found = neighbours(layer, head, world.closeness, base=size.base, count=size.extra)
    ids = (*head.ids[: size.base], *found)
    if size.budget == "filled":
        rest = [skill_id for skill_id in head.ids if skill_id not in ids]
        ids = (*ids, *rest[: size.base + size.extra - len(ids)])
    return ids


def _rank_side(world: World, task: Task, shown: Sequence[SkillId], size: Size) -> tuple[SkillId, ...]:
    head = world.heads[task.query]
    if size.budget != "tokens":
        return head.ids[: len(shown)]
    ids: list[SkillId] = []
    room = world.tokens(shown)
    for skill_id in head.ids:
        if world.cards.get(skill_id, 0) <= room:
            ids.append(skill_id)
            room -= world.cards.get(skill_id, 0)
    return tuple(ids)


def _substitute(world: World, queries: QuerySet, layer: Layer, size: Size) -> Test:
    """Compare neighbours with ranks at one size on one set."""
    sides = {task.query_id: (task, _graph_side(world, task, layer, size)) for task in queries.answerable}
    graph = {query_id: hit(task, ids) for query_id, (task, ids) in sides.items()}
    ranks = {
        query_id: hit(task, _rank_side(world, task, ids, size)) for query_id, (task, ids) in sides.items()
    }
    test = compare(graph, ranks, queries, world.settings)
    added = [
        len(neighbours(layer, world.heads[task.query], world.closeness, base=size.base, count=size.extra))
        for task in queries.answerable
    ]
    return replace(test, neighbours=fmean(added) if added else 0.0)


def substitutions(
    world: World, sets: Sequence[QuerySet], layers: Sequence[Layer], sizes: Sequence[Size]
) -> Mapping[tuple[str, ...], Test]:
    """(set, layer, size) → test, all of them one family."""
    return corrected(
        {
            (queries.name, layer.name, size.name): _substitute(world, queries, layer, size)
            for queries in sets
            for layer in layers
            for size in sizes
        }
    )


_COLUMNS = ("neighbours", "with graph", "ranks alone", *TEST_COLUMNS)


def _row(test: Test) -> tuple[Cell, ...]:
    return (round(test.neighbours, 2), test.one, test.other, *test.cells())


def substitution_table(name: str, tests: Mapping[tuple[str, ...], Test], ranker: str) -> Table:
    """Every layer and size on one set."""
    return Table(
        caption=f"{name}: first ranks of {ranker} and their graph neighbours, against as much of the ranking "
        "alone; share of queries with gold among what is shown",
        columns=("layer, size, budget", *_COLUMNS),
        rows=tuple(
            (f"{layer} {size}", *_row(test)) for (of, layer, size), test in tests.items() if of == name
        ),
    )


def layer_table(name: str, tests: Mapping[tuple[str, ...], Test], layers: Sequence[Layer]) -> Table:
    """The published size with one layer at a time on one set."""
    sizes = {layer.name: layer.size for layer in layers}
    return Table(
        caption=f"{name}: the first rank and up to five neighbours by one kind of relation only, against as "
        "many ranks",
        columns=("layer", "relations", *_COLUMNS),
        rows=tuple(
            (layer, sizes[layer], *_row(test)) for (of, layer, _), test in tests.items() if of == name
        ),
    )


# --- recovery ----------------------------------------------------------------------------------------


def recovery_rows(world: World, queries: QuerySet, layer: Layer) -> tuple[Cell, ...]:
    """Queries whose first rank is wrong: gold among its five neighbours, and among ranks 2 to 6."""
    wrong = [task for task in queries.answerable if not hit(task, world.heads[task.query].ids[:1])]
    graph = _outcomes(
        wrong,
        lambda task: neighbours(layer, world.heads[task.query], world.closeness, base=1, count=5),
        queries,
    )
    ranks = _outcomes(wrong, lambda task: world.heads[task.query].ids[1:6], queries)
    level = world.settings.level
    return (
        f"{queries.name}, {layer.name}",
        len(graph),
        _share(graph, level),
        _share(ranks, level),
        sum(graph[name] and ranks[name] for name in graph),
        sum(graph[name] and not ranks[name] for name in graph),
        sum(ranks[name] and not graph[name] for name in graph),
    )


def _outcomes(
    tasks: Sequence[Task], shown: Callable[[Task], Sequence[SkillId]], queries: QuerySet
) -> dict[str, bool]:
    return units({task.query_id: hit(task, shown(task)) for task in tasks}, queries.clusters)


def _share(outcomes: Mapping[str, bool], level: float) -> Interval | None:
    return wilson(sum(outcomes.values()), len(outcomes), level=level) if outcomes else None

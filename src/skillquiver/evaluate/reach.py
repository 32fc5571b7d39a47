"""Whether gold that the ranking misses lies near what it found, against what chance would give."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, prod
from statistics import fmean

from skillquiver.evaluate.budgets import World, hit
from skillquiver.evaluate.layers import Layer
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Plot, Series, Table
from skillquiver.evaluate.significance import holm, wilson
from skillquiver.types import SkillId

__all__ = ["DEPTH", "HOPS", "Reach", "adjust", "at_least", "chance_of", "missed_of", "plot", "reach", "table"]

DEPTH = 10
"""A miss has no gold among so many first ranks."""

HOPS = 3
"""Steps looked at: beyond, half of a library is near."""

STARTS = (1, 5)
"""First ranks that steps start from."""

PEERS = 20
"""Least skills that stand for chance: with fewer of the same degree, the nearest degrees join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Misses of one set, seen from the first ``start`` ranks in one layer, ``hops`` steps at most.

    ``reached`` of them have gold there; ``expected`` is what random skills of the gold's degree would give.
    ``p`` is the chance of as many or more, exact. ``near`` is the mean number of skills within the steps,
    ``ranked`` the share of misses with gold among as many further ranks, query by query.
    """

    queries: str
    layer: str
    start: int
    hops: int
    reached: Interval
    ranked: Interval
    expected: float
    near: float
    p: float
    adjusted: float = 1.0


def reach(world: World, queries: QuerySet, layers: Sequence[Layer]) -> list[Reach]:
    """Every layer, start and number of steps; nothing if no query is missed."""
    missed = missed_of(world, queries)
    if not missed:
        return []
    found = []
    for layer in layers:
        peers = _Peers.of(layer, world.cards)
        for start in STARTS:
            found += _of_layer(world, queries, missed, (layer, peers, start))
    return found


def missed_of(world: World, queries: QuerySet) -> Sequence[Task]:
    """Queries without gold in the first ranks, one for each unit of resampling."""
    missed: dict[str, Task] = {}
    for task in queries.answerable:
        if not hit(task, world.heads[task.query].ids[:DEPTH]):
            missed.setdefault(task.cluster, task)
    return tuple(missed.values())


def _of_layer(
    world: World, queries: QuerySet, missed: Sequence[Task], at: tuple[Layer, _Peers, int]
) -> list[Reach]:
    layer, peers, start = at
    seen = [
        [_seen(world, task, ball, peers, layer) for ball in _balls(world, task, layer, start)]
        for task in missed
    ]
    level = world.settings.level
    found = []
    for hop, of_hop in enumerate(zip(*seen, strict=True), start=1):
        reached = sum(one.reached for one in of_hop)
        found.append(
            Reach(
                queries=queries.name,
                layer=layer.name,
                start=start,
                hops=hop,
                reached=wilson(reached, len(missed), level=level),
                ranked=wilson(sum(one.ranked for one in of_hop), len(missed), level=level),
                expected=fmean(one.chance for one in of_hop),
                near=fmean(one.near for one in of_hop),
                p=at_least(reached, [one.chance for one in of_hop]),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """One miss: whether gold is within the steps, or among as many further ranks; the chance of the first."""

    reached: bool
    ranked: bool
    chance: float
    near: int


def _balls(world: World, task: Task, layer: Layer, start: int) -> Sequence[frozenset[SkillId]]:
    """Skills within 1, 2, … steps that the first ranks do not show."""
    head = world.heads[task.query].ids
    return [ball - set(head[:DEPTH]) for ball in layer.within(head[:start], HOPS)]


def _seen(world: World, task: Task, ball: frozenset[SkillId], peers: _Peers, layer: Layer) -> _Seen:
    gold: frozenset[SkillId] = frozenset().union(*task.gold)
    further = world.deep[task.query][DEPTH : DEPTH + len(ball)]
    others = peers.without(world.heads[task.query].ids[:DEPTH])
    return _Seen(
        bool(gold & ball), bool(gold & set(further)), chance_of(gold, ball, others, layer), len(ball)
    )


# --- chance ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Peers:
    """Skills by degree in one layer."""

    by_degree: Mapping[int, frozenset[SkillId]]
    left_out: frozenset[SkillId] = frozenset()

    @classmethod
    def of(cls, layer: Layer, ids: Collection[SkillId]) -> _Peers:
        groups: dict[int, set[SkillId]] = defaultdict(set)
        for skill_id in ids:
            groups[layer.degree(skill_id)].add(skill_id)
        return cls({degree: frozenset(group) for degree, group in groups.items()})

    def without(self, ids: Collection[SkillId]) -> _Peers:
        return _Peers(self.by_degree, frozenset(ids))

    def like(self, degree: int) -> frozenset[SkillId]:
        """Skills of this degree or, if they are too few, of the nearest degrees; 0 stays by itself."""
        found: frozenset[SkillId] = self.by_degree.get(degree, frozenset()) - self.left_out
        for other in sorted(self.by_degree, key=lambda one: (abs(one - degree), one)):
            if len(found) >= PEERS:
                break
            if (other > 0) == (degree > 0):  # what nothing leads to is never reached, the rest may be
                found |= self.by_degree[other] - self.left_out
        return found


def chance_of(gold: Collection[SkillId], near: Collection[SkillId], peers: _Peers, layer: Layer) -> float:
    """Chance that ``near`` holds one of as many random skills with the degrees of ``gold``."""
    missing = []
    for skill_id in sorted(gold):
        like = peers.like(layer.degree(skill_id))
        missing.append(1 - len(like & set(near)) / len(like) if like else 1.0)
    return 1 - prod(missing)


def at_least(count: int, chances: Sequence[float]) -> float:
    """Chance of ``count`` or more successes in independent trials with these chances (Poisson binomial)."""
    ways = [1.0]
    for chance in chances:
        ways = [a * (1 - chance) + b * chance for a, b in zip([*ways, 0.0], [0.0, *ways], strict=True)]
    return min(1.0, fsum(ways[count:]))


# --- shown -------------------------------------------------------------------------------------------


def adjust(found: Sequence[Reach]) -> list[Reach]:
    """The same with p-values after Holm over all of them."""
    adjusted = holm([one.p for one in found])
    return [replace(one, adjusted=p) for one, p in zip(found, adjusted, strict=True)]


def table(name: str, found: Sequence[Reach], ranker: str) -> Table:
    """Reached and expected shares on one set."""
    rows: list[tuple[Cell, ...]] = [
        (
            f"{one.layer}, from the first {one.start}, {one.hops} hops",
            one.reached,
            one.ranked,
            one.expected,
            round(one.near, 1),
            one.p,
            one.adjusted,
        )
        for one in found
    ]
    missed = found[0].reached.n if found else 0
    return Table(
        caption=f"{name}: {missed} queries without gold in {ranker}@{DEPTH}; share whose gold lies near the "
        "first ranks, among as many further ranks, and what random skills of the same degree would give",
        columns=(
            "layer, start, steps",
            "reached",
            "as many ranks",
            "chance",
            "skills in reach",
            "p",
            "p (Holm)",
        ),
        rows=tuple(rows),
    )


def plot(name: str, found: Sequence[Reach]) -> Plot:
    """Reached and expected shares by steps, from the most first ranks; the others are in the table."""
    series = []
    most = max((one.start for one in found), default=0)
    for layer in dict.fromkeys(one.layer for one in found):
        mine = [one for one in found if (one.layer, one.start) == (layer, most)]
        hops = tuple(float(one.hops) for one in mine)
        label = f"{layer}, from the first {most}"
        series += [
            Series.of(label, hops, [one.reached for one in mine]),
            Series(label=f"{label}: as many ranks", x=hops, y=tuple(one.ranked.value for one in mine)),
            Series(label=f"{label}: chance", x=hops, y=tuple(one.expected for one in mine)),
        ]
    return Plot(
        kind="lines",
        title=f"{name}: missed gold within reach of the graph",
        x_label="steps",
        y_label="share of misses",
        series=tuple(series),
    )

"""How near missed gold lies: against networkx, scipy and by hand."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import networkx as nx
import pytest
from scipy.stats import binom, poisson_binom

from skillquiver.evaluate import reach
from skillquiver.evaluate.layers import Layer
from skillquiver.evaluate.qrels import Task
from skillquiver.evaluate.results import Interval
from skillquiver.graph.skillgraph import SkillGraph
from tests.evaluate.graph_subjects import relation
from tests.evaluate.ranked_subjects import layer, query_set, sid, sids, task, world

FIRST = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10"
"""The first ten ranks of every query here."""

CHAIN = layer(
    relation("r1", "requires", "x"),  # x is one step from r1, y two, z three, zz four
    relation("x", "precedes", "y"),
    relation("z", "precedes", "y"),
    relation("z", "precedes", "zz"),
    relation("r4", "complements", "w"),  # w is one step from r4
    relation("r1", "conflicts_with", "lone"),
)

LIBRARY = (*FIRST.split(), "x", "y", "z", "zz", "w", "lone", "f1", "f2", "f3")


def found(
    *tasks: Task, further: str = "f1 f2 f3", among: Layer = CHAIN
) -> dict[tuple[int, int], reach.Reach]:
    """By start and steps, where the ranks after the tenth are the same for all."""
    heads = {one.query: FIRST for one in tasks}
    deep = {one.query: sids(f"{FIRST} {further}") for one in tasks}
    here = world(heads, dict.fromkeys(LIBRARY, 1), deep=deep)
    return {(one.start, one.hops): one for one in reach.reach(here, query_set(*tasks), [among])}


def values(**given: dict[tuple[int, int], reach.Reach]) -> list[float]:
    (rows,) = given.values()
    return [rows[1, hops].reached.value for hops in (1, 2, 3)]


# --- steps -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_what_is_within_reach_is_what_networkx_says(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"s{at}" for at in range(30)]
    types = ("requires", "precedes", "complements", "similar_to")
    pairs = {tuple(rng.sample(names, 2)) for _ in range(32)}
    relations = [relation(a, rng.choice(types), b) for a, b in sorted(pairs)]
    one = Layer("all", SkillGraph.of([sid(name) for name in names], relations))
    theirs = nx.Graph([(r.source, r.target) for r in relations])
    theirs.add_nodes_from(sid(name) for name in names)
    starts = [sid(name) for name in rng.sample(names, 3)]
    far = nx.multi_source_dijkstra_path_length(theirs, set(starts), weight=None)
    for hops, ball in enumerate(one.within(starts, 3), start=1):
        assert ball == {node for node, steps in far.items() if 0 < steps <= hops}
    assert {node: one.degree(node) for node in one.graph.ids} == dict(theirs.degree)


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("x", [1, 1, 1]),
        ("y", [0, 1, 1]),  # whichever way the relation points
        ("z", [0, 0, 1]),
        ("zz", [0, 0, 0]),
        ("lone", [0, 0, 0]),  # a conflict is no way
        ("w", [0, 0, 0]),  # stands beside the fourth rank
        ("zz|x", [1, 1, 1]),  # either will do
        ("zz y", [0, 1, 1]),  # one of two is enough
    ],
)
def test_steps_from_the_first_rank(gold: str, expected: list[float]) -> None:
    assert values(rows=found(task("q", gold))) == expected


def test_steps_from_the_first_five_ranks() -> None:
    rows = found(task("q", "w"))
    assert [rows[5, hops].reached.value for hops in (1, 2, 3)] == [1, 1, 1]


def test_only_queries_without_gold_in_the_first_ten_are_missed() -> None:
    rows = found(task("hit", "r10"), task("q", "x"), task("again", "x", cluster="q"))
    assert rows[1, 1].reached.n == 1
    assert found(task("hit", "r10")) == {}


def test_the_control_is_as_many_further_ranks_as_skills_are_in_reach() -> None:
    rows = found(task("q", "y"), task("r", "f1"), task("s", "f2"), task("t", "f3"))
    assert [rows[1, hops].near for hops in (1, 2, 3)] == [1, 2, 3]  # x, x y, x y z
    assert [rows[1, hops].ranked.value for hops in (1, 2, 3)] == [1 / 4, 2 / 4, 3 / 4]
    assert [rows[5, hops].near for hops in (1, 2, 3)] == [2, 3, 4]  # and w
    assert [rows[1, hops].reached.value for hops in (1, 2, 3)] == [0, 1 / 4, 1 / 4]


def test_ranks_that_are_shown_are_not_in_reach() -> None:
    inner = layer(relation("r1", "requires", "r2"), relation("r2", "requires", "x"))
    rows = found(task("q", "x"), among=inner)
    assert [rows[1, hops].near for hops in (1, 2, 3)] == [0, 1, 1]  # r2 leads on, but does not count


# --- chance ------------------------------------------------------------------------------------------


def test_chance_is_the_share_of_like_skills_that_are_in_reach() -> None:
    # wired skills outside the first ten: x y z (degree 2), zz w (1); fewer than 20, so all are alike
    rows = found(task("q", "y"))
    assert [rows[1, hops].expected for hops in (1, 2, 3)] == pytest.approx([1 / 5, 2 / 5, 3 / 5])
    assert [rows[1, hops].p for hops in (1, 2, 3)] == pytest.approx([1.0, 2 / 5, 3 / 5])


def test_two_gold_skills_are_two_chances() -> None:
    rows = found(task("q", "y zz"))
    assert rows[1, 2].expected == pytest.approx(1 - (1 - 2 / 5) ** 2)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_what_nothing_leads_to_has_no_chance_of_being_reached(hops: int) -> None:
    assert found(task("q", "f1"))[1, hops].expected == 0.0
    assert found(task("q", "f1"))[1, hops].p == 1.0


def test_like_skills_have_the_same_degree_where_there_are_enough() -> None:
    pairs = [relation(f"u{at}", "precedes", f"v{at}") for at in range(12)]  # 24 skills of degree 1
    hub = [relation("hub", "precedes", f"w{at}") for at in range(3)]
    one = layer(*pairs, *hub)
    peers = reach._Peers.of(one, one.graph.ids)
    ball = sids("u0 u1 hub")
    ends = {sid(f"{letter}{at}") for letter in "uv" for at in range(12)} | set(sids("w0 w1 w2"))
    assert peers.like(1) == ends
    assert reach.chance_of([sid("u5")], ball, peers, one) == pytest.approx(2 / 27)
    assert peers.like(3) == ends | {sid("hub")}  # alone of its degree: the nearest join


@pytest.mark.parametrize("count", range(6))
def test_equal_chances_have_a_binomial_tail(count: int) -> None:
    assert reach.at_least(count, [0.3] * 5) == pytest.approx(float(binom.sf(count - 1, 5, 0.3)))


@pytest.mark.parametrize("count", range(5))
def test_unequal_chances_are_summed_over_all_outcomes(count: int) -> None:
    chances = [0.1, 0.5, 0.9, 0.25]
    outcomes = [
        (sum(hits), prod(c if hit else 1 - c for c, hit in zip(chances, hits, strict=True)))
        for hits in product((0, 1), repeat=4)
    ]
    by_hand = sum(chance for total, chance in outcomes if total >= count)
    assert reach.at_least(count, chances) == pytest.approx(by_hand)
    assert reach.at_least(count, chances) == pytest.approx(float(poisson_binom.sf(count - 1, chances)))


def test_p_is_the_tail_of_the_chances_of_all_misses() -> None:
    rows = found(task("q", "x"), task("r", "y"), task("s", "f1"))
    chances = [2 / 5, 2 / 5, 0.0]
    assert rows[1, 2].reached.value == 2 / 3
    assert rows[1, 2].expected == pytest.approx(sum(chances) / 3)
    assert rows[1, 2].p == pytest.approx(0.4 * 0.4)


# --- shown -------------------------------------------------------------------------------------------


def test_rows_are_corrected_together_and_say_what_they_are_of() -> None:
    rows = list(found(task("q", "x")).values())
    adjusted = reach.adjust(rows)
    assert [one.adjusted for one in adjusted] == [1.0] * 6  # the smallest is 1/5, times 6
    table = reach.table("set", adjusted, "hybrid")
    assert table.caption.startswith("set: 1 queries without gold in hybrid@10")
    assert [row[0] for row in table.rows[:2]] == [
        "typed, from the first 1, 1 hops",
        "typed, from the first 1, 2 hops",
    ]
    first = table.rows[0][1]
    assert isinstance(first, Interval)
    assert (first.value, first.n) == (1.0, 1)
    labels = [series.label for series in reach.plot("set", adjusted).series]
    assert labels[:3] == [f"typed, from the first 5{more}" for more in ("", ": as many ranks", ": chance")]
    assert reach.table("set", [], "hybrid").rows == ()

"""The first ten in another order: z-scores by hand, diffusion by networkx, Newcombe by statsmodels."""

from __future__ import annotations

import math

import networkx as nx
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from skillquiver.evaluate import reordering
from skillquiver.evaluate.layers import Head, Layer
from skillquiver.retrieve.diffuse import Arm, moves_of
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import relation
from tests.evaluate.ranked_subjects import head, layer, query_set, sid, sids, task, world

ABC = Head(sids("a b c"), (3.0, 2.0, 1.0), (0.5, 0.5, 0.5))
"""z-scores 1.22, 0, -1.22."""


@pytest.mark.parametrize(
    ("weight", "order"),
    [
        (0.25, "a b c"),  # 1.22 - 0.18, 0 - 0.18, -1.22 + 0.35
        (1.0, "a c b"),  # 0.52, -0.71, 0.19
        (2.0, "c a b"),  # -0.19, -1.41, 1.60
    ],
)
def test_evidence_counts_as_much_as_its_weight_says(weight: float, order: str) -> None:
    assert reordering.reordered(ABC, (0.0, 0.0, 3.0), weight) == sids(order)  # z: -0.71, -0.71, 1.41


def test_evidence_that_tells_nothing_apart_changes_nothing() -> None:
    assert reordering.reordered(ABC, (7.0, 7.0, 7.0), 1.0) == ABC.ids


def test_equal_sums_keep_the_order_of_the_ranking() -> None:
    even = Head(sids("b a"), (2.0, 1.0), (0.5, 0.5))
    assert reordering.reordered(even, (1.0, 2.0), 1.0) == even.ids  # 1 - 1 and -1 + 1


def test_degrees_lift_a_hub_and_only_of_the_layer() -> None:
    hub = layer(*(relation("b", "precedes", f"x{at}") for at in range(6)))
    other = layer(relation("c", "similar_to", "x0"), name="similar_to")
    ways = reordering.ways_of(world({"q": "a b c"}), [hub, other], {"q": sid("c")})
    assert ways[reordering.PRODUCT]["q"] == sid("c")
    # scores 1, 1/2, 1/3: z 1.40, -0.39, -0.98 + ...; of log degree 0, log 7, 0: z -0.71, 1.41, -0.71
    assert ways["degree, typed, weight 1"]["q"] == sid("b")  # 0.69 against 1.02
    assert ways["degree, typed, weight 0.25"]["q"] == sid("a")
    assert ways["degree, similar_to, weight 1"]["q"] == sid("a")  # 0.66 against 0.48 of c
    assert len(ways) == 1 + 2 * 2 * 2


def test_a_query_that_finds_nothing_has_no_first() -> None:
    ways = reordering.ways_of(world({"q": "", "r": "a"}), [layer(relation("a", "precedes", "b"))], {})
    assert all("q" not in of for of in ways.values())
    assert ways["diffusion, typed, weight 1"] == {"r": sid("a")}


def by_networkx(one: Layer, ids: tuple[SkillId, ...]) -> list[float]:
    """PageRank from ``ids`` alike; what a skill's steps lack to 1 goes back to them."""
    graph = nx.DiGraph()
    graph.add_nodes_from({*ids, *one.graph.ids})
    moves = moves_of(one.graph, Arm.REVERSE, DiffuseSettings())
    for node in list(graph):
        leaving = [move for move in moves if move.origin == node]
        total = sum(move.weight for move in leaving)
        shares = [(move.goal, move.weight / max(1.0, total)) for move in leaving]
        shares += [(seed, max(0.0, 1.0 - total) / len(ids)) for seed in ids]
        for goal, share in shares:
            before = graph.get_edge_data(node, goal, {"weight": 0.0})["weight"]
            graph.add_edge(node, goal, weight=before + share)
    seeds = dict.fromkeys(ids, 1 / len(ids))
    found = nx.pagerank(graph, alpha=0.7, personalization=seeds, dangling=seeds, tol=1e-12, max_iter=500)
    return [found[node] for node in ids]


def test_diffusion_from_the_first_ten_is_networkx_pagerank() -> None:
    one = layer(
        relation("b", "requires", "x"),
        relation("c", "requires", "x"),
        relation("x", "precedes", "d"),
        relation("a", "requires", "d"),
        relation("b", "complements", "c"),
        relation("d", "feeds_into", "b"),
        relation("a", "conflicts_with", "d"),
    )
    top = head("a b c d e")
    theirs = by_networkx(one, top.ids)
    assert reordering._diffused(top, one) == pytest.approx(theirs, abs=1e-7)
    ways = reordering.ways_of(world({"q": "a b c d e"}), [one], {})
    for weight in reordering.WEIGHTS:
        first = reordering.reordered(top, theirs, weight)[0]
        assert ways[f"diffusion, typed, weight {weight:g}"]["q"] == first


def test_only_the_first_ten_are_ordered_anew() -> None:
    names = [f"s{at}" for at in range(12)]
    hub = layer(*(relation("s11", "precedes", f"x{at}") for at in range(9)))
    ways = reordering.ways_of(world({"q": " ".join(names)}), [hub], {})
    assert {of["q"] for of in ways.values() if of} == {sid("s0")}


# --- the test ----------------------------------------------------------------------------------------


def test_hit_at_one_after_and_before_with_newcombes_interval() -> None:
    """Of 20 queries 8 stay right, 5 become right, 3 become wrong, 4 stay wrong."""
    gold = ["a"] * 8 + ["b"] * 5 + ["a"] * 3 + ["c"] * 4
    after = ["a"] * 8 + ["b"] * 5 + ["b"] * 3 + ["b"] * 4
    queries = query_set(*(task(f"q{at}", name) for at, name in enumerate(gold)))
    here = world({f"q{at}": "a b c" for at in range(20)})
    ways = {"new": {f"q{at}": sid(name) for at, name in enumerate(after)}}
    (test,) = reordering.tests_of(here, [queries], ways).values()
    assert (test.one, test.other) == (13 / 20, 11 / 20)
    assert (test.found.won, test.found.lost) == (5, 3)
    assert test.found.p == pytest.approx(2 * (1 + 8 + 28 + 56) / 2**8)
    # 8 * 4 - 5 * 3 = 17, and 7 above 20 / 2; Wilson's limits are statsmodels', squared and added here
    phi = 7 / math.sqrt(13 * 7 * 11 * 9)
    (low1, high1), (low2, high2) = (proportion_confint(k, 20, method="wilson") for k in (13, 11))
    below, above = (0.65 - low1, high2 - 0.55), (high1 - 0.65, 0.55 - low2)
    low, high = (math.sqrt(one**2 - 2 * phi * one * two + two**2) for one, two in (below, above))
    gap = test.found.difference
    assert [gap.low, gap.value, gap.high] == pytest.approx([0.1 - low, 0.1, 0.1 + high])


def test_uncorrelated_pairs_have_newcombes_interval_of_statsmodels() -> None:
    """5 both, 5 only after, 4 only before, 6 neither: 30 - 20 is no more than 20 / 2, so they are not."""
    gold = ["a"] * 5 + ["b"] * 5 + ["a"] * 4 + ["c"] * 6
    after = ["a"] * 5 + ["b"] * 15
    queries = query_set(*(task(f"q{at}", name) for at, name in enumerate(gold)))
    here = world({f"q{at}": "a b c" for at in range(20)})
    ways = {"new": {f"q{at}": sid(name) for at, name in enumerate(after)}}
    (test,) = reordering.tests_of(here, [queries], ways).values()
    low, high = confint_proportions_2indep(10, 20, 9, 20, method="newcomb", compare="diff")
    assert [test.found.difference.low, test.found.difference.high] == pytest.approx([low, high])


def test_a_way_without_a_first_skill_misses() -> None:
    (test,) = reordering.tests_of(world({"q": "a"}), [query_set(task("q", "a"))], {"new": {}}).values()
    assert (test.one, test.other, test.found.lost) == (0.0, 1.0, 1)
    table = reordering.table("set", {("set", "new"): test}, "hybrid")
    assert table.rows[0][:3] == ("new", 0.0, 1.0)

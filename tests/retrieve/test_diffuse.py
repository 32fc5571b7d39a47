from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillquiver.graph.relations import RELATION_TYPES, Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm, Move, Transitions, Way, diffuse, moves_of, transitions_of
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

SETTINGS = DiffuseSettings()
LENIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure, and the first call imports scipy."""


def matrix(n: int, *edges: tuple[int, int, float]) -> Transitions:
    origins, goals, weights = zip(*edges, strict=True) if edges else ((), (), ())
    return Transitions(
        n, np.array(origins, dtype=np.int64), np.array(goals, dtype=np.int64), np.array(weights, dtype=float)
    )


def relation(source: str, type_: RelationType, target: str, confidence: float = 1.0) -> Relation:
    return Relation(
        source=SkillId(source),
        target=SkillId(target),
        type=type_,
        provenance=Provenance.CURATED,
        confidence=confidence,
    )


def graph_of(*relations: Relation) -> SkillGraph:
    return SkillGraph.of({end for r in relations for end in (r.source, r.target)}, relations)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Transitions, np.ndarray, float]:
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    names = [SkillId(f"s{at}") for at in range(n)]
    weight = st.floats(0.01, 1.0)
    edges = draw(st.lists(st.tuples(node, node, weight), max_size=20))
    moves = [Move(names[a], names[b], RelationType.REQUIRES, Way.UP, w) for a, b, w in edges]
    seeds = np.array(draw(st.lists(st.floats(0.0, 1.0), min_size=n, max_size=n)))
    seeds[draw(node)] += 0.5
    return transitions_of(names, moves), seeds, draw(st.floats(0.05, 1.0))


# --- diffusion ---------------------------------------------------------------------------------------


@LENIENT
@given(problems())
def test_scores_sum_to_one_and_none_is_negative(problem: tuple[Transitions, np.ndarray, float]) -> None:
    transitions, seeds, restart_prob = problem
    scores = diffuse(transitions, seeds, restart_prob=restart_prob)
    assert scores.sum() == pytest.approx(1.0, abs=1e-12)
    assert (scores >= 0).all()


@LENIENT
@given(problems(), st.randoms(use_true_random=False))
def test_numbering_nodes_otherwise_only_renumbers_the_scores(
    problem: tuple[Transitions, np.ndarray, float], random: object
) -> None:
    transitions, seeds, restart_prob = problem
    order = list(range(transitions.n))
    random.shuffle(order)  # type: ignore[attr-defined]
    new = np.array(order)
    shuffled_seeds = np.zeros(transitions.n)
    shuffled_seeds[new] = seeds
    renamed = Transitions(
        transitions.n, new[transitions.origins], new[transitions.goals], transitions.weights
    )
    scores = diffuse(transitions, seeds, restart_prob=restart_prob, max_iter=50, tolerance=0.0)
    again = diffuse(renamed, shuffled_seeds, restart_prob=restart_prob, max_iter=50, tolerance=0.0)
    assert again[new] == pytest.approx(scores, abs=1e-10)


@LENIENT
@given(problems())
def test_the_scores_are_those_of_networkx(problem: tuple[Transitions, np.ndarray, float]) -> None:
    transitions, seeds, restart_prob = problem
    oracle = nx.DiGraph()
    oracle.add_nodes_from(range(transitions.n))
    full = np.zeros((transitions.n, transitions.n))
    np.add.at(full, (transitions.origins, transitions.goals), transitions.weights)
    start = seeds / seeds.sum()
    full += np.outer(1 - full.sum(axis=1).clip(max=1.0), start)  # what a row lacks returns to the seeds
    for origin, goal in zip(*np.nonzero(full), strict=True):
        oracle.add_edge(int(origin), int(goal), weight=float(full[origin, goal]))
    given_seeds = dict(enumerate(seeds))
    expected = nx.pagerank(
        oracle,
        alpha=1 - restart_prob,
        personalization=given_seeds,
        dangling=given_seeds,
        tol=1e-13,
        max_iter=2000,
    )
    scores = diffuse(transitions, seeds, restart_prob=restart_prob, tolerance=1e-14, max_iter=2000)
    assert scores == pytest.approx([expected[at] for at in range(transitions.n)], abs=1e-9)


def test_two_nodes_share_as_the_equation_says() -> None:
    # p0 = 0.3 + 0.7·p1 (all of node 1 dangles, half of node 0 does), p1 = 0.7·0.5·p0:
    # p1 = 0.35·p0 and p0 + p1 = 1, so p0 = 1 / 1.35.
    scores = diffuse(matrix(2, (0, 1, 0.5)), np.array([1.0, 0.0]), restart_prob=0.3)
    assert scores == pytest.approx([1 / 1.35, 0.35 / 1.35], abs=1e-8)


def test_without_edges_the_scores_are_the_seeds() -> None:
    scores = diffuse(matrix(3), np.array([3.0, 1.0, 0.0]), restart_prob=0.2)
    assert scores == pytest.approx([0.75, 0.25, 0.0])


def test_a_node_that_no_seed_reaches_gets_nothing_and_changes_no_bit() -> None:
    edges = ((0, 1, 0.5), (1, 0, 0.3), (1, 2, 0.2))
    alone = diffuse(matrix(3, *edges), np.array([0.7, 0.0, 0.1]), restart_prob=0.3)
    more = diffuse(
        matrix(5, *edges, (3, 4, 0.9), (4, 0, 0.9)), np.array([0.7, 0.0, 0.1, 0.0, 0.0]), restart_prob=0.3
    )
    assert more.tolist() == [*alone.tolist(), 0.0, 0.0]


def test_no_step_returns_the_seeds_and_one_step_their_neighbours_share() -> None:
    chain = matrix(3, (0, 1, 1.0), (1, 2, 1.0))
    seeds = np.array([1.0, 0.0, 0.0])
    assert diffuse(chain, seeds, restart_prob=0.4, max_iter=0).tolist() == [1.0, 0.0, 0.0]
    assert diffuse(chain, seeds, restart_prob=0.4, max_iter=1) == pytest.approx([0.4, 0.6, 0.0])


def test_a_restart_at_every_step_never_leaves_the_seeds() -> None:
    scores = diffuse(matrix(2, (0, 1, 1.0)), np.array([1.0, 0.0]), restart_prob=1.0)
    assert scores.tolist() == [1.0, 0.0]


def test_a_heavier_edge_brings_more_and_a_higher_restart_less() -> None:
    seeds = np.array([1.0, 0.0, 0.0])
    scores = diffuse(matrix(3, (0, 1, 0.6), (0, 2, 0.2)), seeds, restart_prob=0.3)
    closer = diffuse(matrix(3, (0, 1, 0.6), (0, 2, 0.2)), seeds, restart_prob=0.6)
    assert scores[1] == pytest.approx(3 * scores[2])
    assert closer[1] < scores[1]


@pytest.mark.parametrize("restart_prob", [0.0, -0.1, 1.1, float("nan")])
def test_a_restart_probability_outside_its_range_is_refused(restart_prob: float) -> None:
    with pytest.raises(ValueError, match="restart_prob"):
        diffuse(matrix(1), np.array([1.0]), restart_prob=restart_prob)


@pytest.mark.parametrize("seeds", [[0.0, 0.0], [1.0, -0.5], [1.0], [float("nan"), 1.0]])
def test_seeds_that_are_no_distribution_are_refused(seeds: list[float]) -> None:
    with pytest.raises(ValueError, match="seeds must be 2 numbers"):
        diffuse(matrix(2), np.array(seeds), restart_prob=0.3)


# --- relations become transitions --------------------------------------------------------------------


def test_weights_of_one_origin_are_scaled_only_where_they_exceed_one() -> None:
    names = [SkillId(name) for name in "abcd"]
    moves = [
        Move(names[0], names[1], RelationType.REQUIRES, Way.UP, 0.9),
        Move(names[0], names[2], RelationType.REQUIRES, Way.UP, 0.9),
        Move(names[3], names[0], RelationType.REQUIRES, Way.UP, 0.4),
    ]
    assert transitions_of(names, moves).weights.tolist() == [0.5, 0.5, 0.4]


def test_up_leads_to_the_end_that_comes_first_with_weight_times_confidence() -> None:
    graph = graph_of(relation("form", RelationType.REQUIRES, "pdf", 0.5))
    assert moves_of(graph, Arm.REVERSE, SETTINGS) == (
        Move(SkillId("form"), SkillId("pdf"), RelationType.REQUIRES, Way.UP, SETTINGS.requires_up * 0.5),
        Move(SkillId("pdf"), SkillId("form"), RelationType.REQUIRES, Way.DOWN, SETTINGS.requires_down * 0.5),
    )


def test_a_checker_is_downstream_of_what_it_checks() -> None:
    graph = graph_of(relation("lint", RelationType.VERIFIES, "write"))
    down = [m for m in moves_of(graph, Arm.REVERSE, SETTINGS) if m.way is Way.DOWN]
    assert [(m.origin, m.goal) for m in down] == [("write", "lint")]


def test_types_without_a_time_lead_up_from_source_to_target() -> None:
    graph = graph_of(relation("new", RelationType.SUPERSEDES, "old"))
    assert [(m.origin, m.goal, m.way) for m in moves_of(graph, Arm.REVERSE, SETTINGS)] == [
        ("old", "new", Way.DOWN)
    ]


def test_the_arms_differ_in_the_ways_they_go() -> None:
    graph = graph_of(
        relation("a", RelationType.REQUIRES, "b"),
        relation("a", RelationType.COMPLEMENTS, "c"),
        relation("a", RelationType.CONFLICTS_WITH, "d"),
    )
    ways = {arm: {(m.goal, m.way) for m in moves_of(graph, arm, SETTINGS)} for arm in Arm}
    across = {("a", Way.ACROSS), ("c", Way.ACROSS)}
    assert ways == {
        Arm.FLAT: set(),
        Arm.FORWARD: {("a", Way.DOWN), *across},
        Arm.REVERSE: {("a", Way.DOWN), ("b", Way.UP), *across},
        Arm.ONE_HOP: {("a", Way.DOWN), ("b", Way.UP), *across},
    }


def test_forward_on_a_graph_is_reverse_without_the_way_down_on_its_mirror() -> None:
    # feeds_into has its first end at the source: mirroring it swaps up and down.
    ends = [("a", "b"), ("b", "c"), ("a", "c")]
    there = graph_of(*(relation(a, RelationType.FEEDS_INTO, b) for a, b in ends))
    back = graph_of(*(relation(b, RelationType.FEEDS_INTO, a) for a, b in ends))
    one_way = DiffuseSettings(feeds_into_up=0.4, feeds_into_down=0.0)
    other_way = DiffuseSettings(feeds_into_up=0.9, feeds_into_down=0.4)
    ids = [SkillId(name) for name in "abc"]
    seeds = np.array([0.6, 0.3, 0.0])
    forward = transitions_of(ids, moves_of(there, Arm.FORWARD, other_way))
    reverse = transitions_of(ids, moves_of(back, Arm.REVERSE, one_way))
    scores = diffuse(forward, seeds, restart_prob=0.3)
    assert scores[2] > 0
    assert diffuse(reverse, seeds, restart_prob=0.3).tolist() == scores.tolist()


def test_every_relation_type_has_weights_that_are_probabilities() -> None:
    for type_ in RelationType:
        for move in moves_of(graph_of(relation("a", type_, "b")), Arm.REVERSE, SETTINGS):
            assert 0 < move.weight <= 1
            assert (move.way is Way.ACROSS) == RELATION_TYPES[type_].symmetric

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillquiver.graph.relations import RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.bundle import Role
from skillquiver.retrieve.diffuse import Arm, Way
from skillquiver.retrieve.expand import Expanded, Expansion, expand, seeds_of
from skillquiver.retrieve.ranking import Evidence, Ranked, Ranking
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId, Status
from tests.retrieve.test_diffuse import graph_of, relation

SETTINGS = DiffuseSettings()


def ranking(**confidences: float) -> Ranking:
    """A ranking in the order of the keywords; score falls with the rank, confidence need not."""
    results = tuple(
        Ranked(
            rank=rank,
            row=rank,
            id=SkillId(name),
            name=name,
            description="",
            path=name,
            kind="skill",
            hidden=False,
            score=10.0 - rank,
            confidence=confidence,
            evidence=Evidence(channels={}),
        )
        for rank, (name, confidence) in enumerate(confidences.items(), start=1)
    )
    best = max(confidences.values(), default=0.0)
    return Ranking(query="q", status=Status.HIT, confidence=best, results=results)


def order(expansion: Expansion) -> list[str]:
    return [one.id for one in expansion.skills]


def one_of(expansion: Expansion, name: str) -> Expanded:
    return next(one for one in expansion.skills if one.id == name)


def grown(found: Ranking, graph: SkillGraph, arm: Arm = Arm.REVERSE) -> Expansion:
    return expand(found, graph, arm=arm, settings=SETTINGS)


NEEDS = graph_of(
    relation("form", RelationType.REQUIRES, "pdf"),
    relation("pdf", RelationType.REQUIRES, "python"),
    relation("form", RelationType.FEEDS_INTO, "report"),
    relation("lint", RelationType.VERIFIES, "report"),
)


@pytest.mark.parametrize("arm", list(Arm))
def test_without_relations_every_arm_keeps_the_ranking_also_where_confidences_cross(arm: Arm) -> None:
    found = ranking(z=0.4, a=0.6, m=0.6, b=0.0)
    expansion = grown(found, SkillGraph.of([], []), arm)
    assert order(expansion) == ["z", "a", "m", "b"]
    assert [one.confidence for one in expansion.skills] == [0.4, 0.6, 0.6, 0.0]
    assert {one.role for one in expansion.skills} == {Role.MATCH}


def test_flat_ignores_the_graph() -> None:
    found = ranking(form=0.8)
    assert order(grown(found, NEEDS, Arm.FLAT)) == ["form"]


def test_a_prerequisite_comes_with_its_chain_and_the_probability_of_it() -> None:
    expansion = grown(ranking(form=0.8), NEEDS)
    pdf, python = one_of(expansion, "pdf"), one_of(expansion, "python")
    up = SETTINGS.requires_up
    assert (pdf.role, python.role) == (Role.PREREQUISITE, Role.PREREQUISITE)
    assert pdf.confidence == pytest.approx(0.8 * up)
    assert python.confidence == pytest.approx(0.8 * up * up)
    assert [(m.origin, m.way, m.goal) for m in python.path] == [
        ("form", Way.UP, "pdf"),
        ("pdf", Way.UP, "python"),
    ]


def test_what_follows_and_what_checks_it_have_their_roles() -> None:
    expansion = grown(ranking(form=0.8), NEEDS)
    assert one_of(expansion, "report").role is Role.FOLLOW_UP
    assert one_of(expansion, "lint").role is Role.VERIFIER


def test_what_does_the_same_job_is_a_match() -> None:
    graph = graph_of(relation("new", RelationType.SUPERSEDES, "old"))
    assert one_of(grown(ranking(old=0.9), graph), "new").role is Role.MATCH


@pytest.mark.parametrize(
    "type_", [RelationType.SIMILAR_TO, RelationType.COMPLEMENTS, RelationType.ALTERNATIVE_TO]
)
def test_a_topical_relation_lifts_what_the_ranker_found_and_brings_nothing_else(type_: RelationType) -> None:
    graph = graph_of(relation("a", type_, "b"), relation("a", type_, "c"))
    expansion = grown(ranking(a=0.9, other=0.011, b=0.01), graph)
    assert order(expansion) == ["a", "b", "other"]
    b = one_of(expansion, "b")
    assert b.role is Role.MATCH
    assert [(m.origin, m.goal, m.type) for m in b.path] == [("a", "b", type_)]


def test_a_topical_lift_multiplies_the_odds() -> None:
    # One seed of 0.8, one edge of weight 0.5 there and back, r = 0.3: with f = 0.7 * 0.5 = 0.35,
    # p(b) = f * p(a) and p(a) + p(b) = 1, so t = 0.8 * 0.35 / 1.35; odds 0.01 / 0.99 times 1 + 10 t.
    graph = graph_of(relation("a", RelationType.COMPLEMENTS, "b"))
    half = DiffuseSettings(complements=0.5, restart_prob=0.3, topical_lift=10.0)
    b = one_of(expand(ranking(a=0.8, b=0.01), graph, arm=Arm.REVERSE, settings=half), "b")
    odds = (1 + 10 * 0.8 * 0.35 / 1.35) * 0.01 / 0.99
    assert b.score == b.confidence == pytest.approx(odds / (1 + odds))


def test_one_hop_stops_at_the_neighbours() -> None:
    assert sorted(order(grown(ranking(form=0.8), NEEDS, Arm.ONE_HOP))) == ["form", "pdf", "report"]


def test_forward_goes_to_what_follows_only() -> None:
    assert sorted(order(grown(ranking(form=0.8), NEEDS, Arm.FORWARD))) == ["form", "lint", "report"]


def test_chains_end_after_the_hops_of_the_settings() -> None:
    graph = graph_of(*(relation(a, RelationType.REQUIRES, b) for a, b in ["ab", "bc", "cd"]))
    assert order(grown(ranking(a=0.9), graph)) == ["a", "b", "c"]


def test_a_skill_scores_the_confidence_that_flows_in() -> None:
    # One seed of 0.8 and one edge of weight w: p(goal) = 0.7·w / (1 + 0.7·w), see test_diffuse.
    graph = graph_of(relation("form", RelationType.REQUIRES, "pdf"))
    half = DiffuseSettings(requires_up=0.5, requires_down=0.0, restart_prob=0.3)
    expansion = expand(ranking(form=0.8), graph, arm=Arm.REVERSE, settings=half)
    assert one_of(expansion, "pdf").score == pytest.approx(0.8 * 0.35 / 1.35)
    assert one_of(expansion, "form").score == pytest.approx(0.8)


def test_a_match_rises_by_what_flows_in_and_stays_a_match() -> None:
    found = ranking(form=0.8, other=0.31, pdf=0.3)
    pdf = one_of(grown(found, NEEDS), "pdf")
    assert order(grown(found, NEEDS)).index("pdf") < order(grown(found, NEEDS)).index("other")
    assert (pdf.role, pdf.confidence) == (Role.MATCH, 0.3)


def test_a_result_that_is_no_seed_is_as_likely_as_its_rank_and_its_path_together() -> None:
    pdf = one_of(grown(ranking(form=0.8, pdf=0.1), NEEDS), "pdf")
    assert pdf.confidence == pytest.approx(0.1 + 0.9 * 0.8 * SETTINGS.requires_up)


def test_a_result_too_weak_for_a_seed_takes_the_role_of_its_path() -> None:
    assert one_of(grown(ranking(form=0.8, pdf=0.001), NEEDS), "pdf").role is Role.PREREQUISITE


def test_a_skill_reached_by_less_than_the_floor_is_left_out() -> None:
    graph = graph_of(relation("a", RelationType.REQUIRES, "b", 0.02))
    assert order(grown(ranking(a=0.9), graph)) == ["a"]


def test_seeds_end_where_confidence_drops() -> None:
    strict = DiffuseSettings(seed_ratio=0.5, min_seed=0.01, max_seeds=2)
    assert dict(seeds_of(ranking(a=0.8, b=0.3, c=0.5, d=0.6), strict)) == {"a": 0.8, "c": 0.5}
    assert dict(seeds_of(ranking(a=0.001), strict)) == {}
    assert dict(seeds_of(ranking(), strict)) == {}


def test_nothing_found_expands_to_nothing() -> None:
    assert grown(ranking(), NEEDS).skills == ()


def test_a_circle_of_relations_does_not_lift_the_match_it_starts_from() -> None:
    graph = graph_of(relation("a", RelationType.COMPLEMENTS, "b"))
    a = one_of(grown(ranking(a=0.5), graph), "a")
    assert (a.score, a.confidence, a.path) == (0.5, 0.5, ())


_NAMES = "abcdefgh"


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Ranking, SkillGraph]:
    ends = st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES)).filter(lambda pair: pair[0] < pair[1])
    edges = draw(st.lists(st.tuples(ends, st.sampled_from(list(RelationType)), st.floats(0.05, 1.0))))
    names = draw(st.lists(st.sampled_from(_NAMES), unique=True))
    found = ranking(**{name: draw(st.floats(0.0, 1.0)) for name in names})
    relations = {(pair, type_): relation(pair[0], type_, pair[1], w) for pair, type_, w in edges}
    return found, SkillGraph.of(_NAMES, relations.values())


@pytest.mark.parametrize("arm", list(Arm))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
@given(world=worlds())
def test_every_match_stays_and_no_stranger_passes_a_match_more_confident_than_its_path(
    world: tuple[Ranking, SkillGraph], arm: Arm
) -> None:
    found, graph = world
    expansion = grown(found, graph, arm)
    ids = order(expansion)
    matched = {result.id: result.confidence for result in found.results}
    assert len(ids) == len(set(ids))
    assert set(matched) <= set(ids)
    for at, one in enumerate(expansion.skills):
        assert 0 <= one.score <= 1
        assert one.confidence <= 1
        if one.id not in matched:
            assert one.path[0].origin in expansion.seeds
            assert all(matched[late] <= one.confidence for late in ids[at + 1 :] if late in matched)


@pytest.mark.parametrize("arm", list(Arm))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
@given(world=worlds())
def test_an_unrelated_skill_changes_nothing(world: tuple[Ranking, SkillGraph], arm: Arm) -> None:
    found, graph = world
    strangers = (
        relation("Y", RelationType.REQUIRES, "zz"),
        relation("bb", RelationType.COMPLEMENTS, "zz"),
    )
    larger = SkillGraph.of([*_NAMES, "Y", "zz", "bb"], [*graph.relations, *strangers])
    assert grown(found, larger, arm) == grown(found, graph, arm)

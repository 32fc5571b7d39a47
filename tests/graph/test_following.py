from __future__ import annotations

from collections.abc import Sequence

import pytest

from skillquiver.graph.following import Group, Step, first, follow, seen_from
from skillquiver.graph.relations import Evidence, Provenance, Relation
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import SkillId
from tests.graph.helpers import relation


def graph(*relations: Relation | str) -> SkillGraph:
    edges = [relation(one) if isinstance(one, str) else one for one in relations]
    return SkillGraph.of({end for r in edges for end in r.pair} | {"me"}, edges)


def steps(of: SkillGraph, *done: str) -> dict[Group, Sequence[Step]]:
    return dict(follow(of, SkillId("me"), done={SkillId(name) for name in done}))


def told(found: Sequence[Step]) -> list[str]:
    return [f"{step.of} {step.seen} {step.id}" for step in found]


def test_each_relation_is_seen_from_either_end() -> None:
    edge = relation("a requires b")
    assert seen_from(edge, SkillId("a")) == "requires"
    assert seen_from(edge, SkillId("b")) == "required_by"


def test_every_relation_stands_in_the_group_of_what_it_means_to_the_skill() -> None:
    found = steps(
        graph(
            "me requires need",
            "maker feeds_into me",
            "before precedes me",
            "me precedes after",
            "me feeds_into eater",
            "me routes_to handed",
            "needer requires me",
            "checker verifies me",
            "me alternative_to other",
            "newer supersedes me",
            "me supersedes older",
            "enemy conflicts_with me",
        )
    )
    assert told(found[Group.PREREQUISITES]) == ["me requires need", "me fed_by maker", "me follows before"]
    assert told(found[Group.NEXT_STEPS]) == [
        "me precedes after",
        "me feeds_into eater",
        "me routes_to handed",
        "me required_by needer",
    ]
    assert told(found[Group.VERIFIERS]) == ["me verified_by checker"]
    assert told(found[Group.ALTERNATIVES]) == [
        "me superseded_by newer",
        "me alternative_to other",
        "me supersedes older",
    ]
    assert told(found[Group.CONFLICTS]) == ["me conflicts_with enemy"]


def test_what_says_nothing_about_before_or_after_is_no_step() -> None:
    found = steps(
        graph(
            "me similar_to a",
            "me complements b",
            "me specializes c",
            "d specializes me",
            "router routes_to me",
            "me verifies e",
        )
    )
    assert not any(found.values())


def test_a_skill_without_relations_has_empty_groups() -> None:
    assert steps(graph()) == dict.fromkeys(Group, ())


def test_the_score_is_confidence_times_weight_and_a_product_along_a_path() -> None:
    found = steps(
        graph(
            relation("me requires a", confidence=0.8),
            relation("b feeds_into a", confidence=0.5),
            relation("c precedes b", confidence=1.0),
            relation("me routes_to d", confidence=0.7),
        )
    )
    scores = {step.id: step.score for steps_ in found.values() for step in steps_}
    assert scores == pytest.approx(
        {"a": 0.8, "b": 0.8 * 0.5 * 0.9, "c": 0.8 * 0.5 * 0.9 * 1.0 * 0.8, "d": 0.63}
    )


def test_of_several_paths_the_strongest_counts() -> None:
    found = steps(
        graph(
            relation("me requires a", confidence=0.9),
            relation("a requires c", confidence=0.9),
            relation("me requires c", confidence=0.5),
        )
    )
    assert told(found[Group.PREREQUISITES]) == ["me requires a", "a requires c"]


def test_only_a_chain_of_requires_is_needed() -> None:
    found = steps(graph("me requires a", "a requires b", "c precedes me", "c requires d", "e feeds_into b"))
    needed = {step.id: step.needed for step in found[Group.PREREQUISITES]}
    assert needed == {"a": True, "b": True, "c": False, "d": False, "e": False}


def test_a_weak_chain_of_needs_is_still_needed_where_a_stronger_path_is_not() -> None:
    found = steps(
        graph(
            relation("me requires a", confidence=0.1),
            relation("b precedes me", confidence=1.0),
            relation("b requires a", confidence=1.0),
        )
    )
    assert {step.id: step.needed for step in found[Group.PREREQUISITES]} == {"a": True, "b": False}


def test_what_is_done_is_left_out_with_what_comes_before_it() -> None:
    wired = graph("me requires a", "a requires b", "me precedes c", "me precedes d", "v verifies me")
    found = steps(wired, "a", "c", "v")
    assert told(found[Group.PREREQUISITES]) == []
    assert told(found[Group.NEXT_STEPS]) == ["me precedes d"]
    assert told(found[Group.VERIFIERS]) == []


def test_what_another_open_skill_needs_is_asked_for_although_one_that_needs_it_is_done() -> None:
    wired = graph("me requires a", "me requires x", "a requires b", "x requires b")
    assert told(steps(wired, "a")[Group.PREREQUISITES]) == ["me requires x", "x requires b"]


def test_a_conflict_and_an_alternative_with_what_is_done_are_told() -> None:
    found = steps(graph("a conflicts_with me", "me alternative_to b"), "a", "b")
    assert told(found[Group.CONFLICTS]) == ["me conflicts_with a"]
    assert told(found[Group.ALTERNATIVES]) == ["me alternative_to b"]


def test_a_direct_relation_outweighs_an_indirect_order_but_not_a_need() -> None:
    soft = graph("p precedes me", "p requires x", "x requires y", "me alternative_to x")
    assert told(steps(soft)[Group.PREREQUISITES]) == ["me follows p"]
    needed = graph("me requires p", "p requires x", "me routes_to x")
    assert told(steps(needed)[Group.PREREQUISITES]) == ["me requires p", "p requires x"]


def test_a_skill_is_a_next_step_or_an_alternative_whichever_is_surer() -> None:
    found = steps(
        graph(
            relation("me routes_to a", confidence=0.7),  # 0.63
            relation("a alternative_to me", confidence=0.75),  # 0.675
            relation("me routes_to b", confidence=0.95),  # 0.855
            relation("b alternative_to me", confidence=0.7),  # 0.63
            relation("me routes_to c", confidence=0.8),  # 0.72, as the next
            relation("c alternative_to me", confidence=0.8),
        )
    )
    assert told(found[Group.NEXT_STEPS]) == ["me routes_to b", "me routes_to c"]
    assert told(found[Group.ALTERNATIVES]) == ["me alternative_to a"]


def test_two_relations_to_one_skill_are_one_step_the_stronger() -> None:
    found = steps(
        graph(relation("me precedes a", confidence=0.6), relation("me feeds_into a", confidence=0.7))
    )
    assert told(found[Group.NEXT_STEPS]) == ["me feeds_into a"]


def test_equal_scores_go_by_trust_then_as_the_text_names_them_then_by_id() -> None:
    def said(target: str, place: str, quote: str, provenance: Provenance = Provenance.DERIVED) -> Relation:
        return relation(f"me precedes {target}", provenance, evidence=Evidence(quote, place))

    found = steps(
        graph(
            said("x/zeta", "me:5 [Next]", "`zeta`, then `alpha`"),
            said("x/alpha", "me:5 [Next]", "`zeta`, then `alpha`"),
            said("x/beta", "me:12", "`beta`"),
            said("x/early", "other:1", "`early`"),
            said("x/deep", "me#description", "`deep`"),
            said("x/zz", "me:99", "declared", Provenance.CURATED),
        )
    )
    assert [step.id for step in found[Group.NEXT_STEPS]] == [
        "x/zz",
        "x/zeta",
        "x/alpha",
        "x/beta",
        "x/deep",
        "x/early",
    ]


def test_the_first_are_in_the_order_of_doing_and_needs_are_never_cut() -> None:
    wired = graph(
        relation("me requires a", confidence=0.9),
        relation("a requires b", confidence=0.9),
        relation("b requires c", confidence=0.9),
        relation("d precedes me", confidence=1.0),
        relation("e precedes me", confidence=0.9),
    )
    found = steps(wired)[Group.PREREQUISITES]
    assert [step.id for step in found] == ["a", "b", "d", "c", "e"]  # .9, .81, .8, .729, .72
    assert [step.id for step in first(wired, found, 1)] == ["c", "b", "a"]
    assert [step.id for step in first(wired, found, 3)] == ["d", "c", "b", "a"]
    assert [step.id for step in first(wired, found, 9)] == ["d", "c", "b", "a", "e"]


def test_a_cycle_that_should_not_be_there_ends() -> None:
    wired = graph("me requires a", "a requires b", "b requires a", "b requires me")
    found = steps(wired)[Group.PREREQUISITES]
    assert told(found) == ["me requires a", "a requires b"]
    assert [step.id for step in first(wired, found, 5)] == ["a", "b"]

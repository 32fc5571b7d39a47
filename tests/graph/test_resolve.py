"""The published graph has no unknown end, no contradiction and no forbidden cycle."""

from __future__ import annotations

import random

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.graph.relations import RELATION_TYPES, Provenance, Relation, RelationType
from skillquiver.graph.resolve import ORDER_TYPES, contradictions, resolve
from skillquiver.types import SkillId
from tests.graph.helpers import lines, relation

PATHS = {SkillId(name): f"/lib/{name}/SKILL.md" for name in "abcdefg"}


def codes(relations: list[Relation]) -> list[str]:
    return [finding.code for finding in resolve(relations, PATHS).findings]


def test_unknown_ids_and_self_loops_are_dropped_and_reported() -> None:
    relations = [relation("a requires ghost"), relation("a requires a"), relation("a requires b")]
    result = resolve(relations, PATHS)
    assert lines(result.relations) == ["a requires b"]
    assert [f.code for f in result.findings] == ["relation-self-loop", "relation-unknown-skill"]


def test_a_more_trusted_relation_overrides_a_less_trusted_one_of_the_same_pair() -> None:
    relations = [
        relation("a requires b", Provenance.INFERRED, 0.99),
        relation("b alternative_to a", Provenance.CURATED, 0.5),
    ]
    assert lines(resolve(relations, PATHS).relations) == ["a alternative_to b"]
    assert codes(relations) == ["relation-overridden"]


def test_opposite_directions_are_a_contradiction_and_the_surer_one_stands() -> None:
    relations = [relation("a requires b", confidence=0.7), relation("b requires a", confidence=0.9)]
    assert lines(resolve(relations, PATHS).relations) == ["b requires a"]
    assert codes(relations) == ["relation-contradiction"]


def test_two_types_that_disagree_about_the_order_contradict_each_other() -> None:
    relations = [relation("a requires b", confidence=0.9), relation("a precedes b", confidence=0.7)]
    assert lines(resolve(relations, PATHS).relations) == ["a requires b"]


def test_equally_strong_claims_of_different_types_are_both_dropped() -> None:
    relations = [relation("a requires b"), relation("a precedes b")]
    assert lines(resolve(relations, PATHS).relations) == []
    assert codes(relations) == ["relation-contradiction", "relation-contradiction"]


def test_skills_that_route_to_each_other_keep_one_direction() -> None:
    relations = [relation("a routes_to b"), relation("b routes_to a")]
    assert len(resolve(relations, PATHS).relations) == 1
    assert codes(relations) == ["relation-contradiction"]
    assert resolve(relations, PATHS) == resolve(relations[::-1], PATHS)


def test_types_that_agree_about_the_order_stand_together() -> None:
    relations = [relation("a precedes b"), relation("b requires a")]
    assert lines(resolve(relations, PATHS).relations) == ["a precedes b", "b requires a"]


def test_complements_says_nothing_beside_a_type_that_says_more() -> None:
    relations = [relation("a complements b", confidence=0.9), relation("a requires b", confidence=0.6)]
    result = resolve(relations, PATHS)
    assert lines(result.relations) == ["a requires b"]
    assert result.findings == ()


def test_a_cycle_is_broken_at_its_weakest_edge() -> None:
    relations = [
        relation("a requires b", confidence=0.9),
        relation("b requires c", confidence=0.6),
        relation("c requires a", confidence=0.8),
    ]
    result = resolve(relations, PATHS)
    assert lines(result.relations) == ["a requires b", "c requires a"]
    (finding,) = result.findings
    assert finding.code == "relation-cycle"
    assert finding.message == "b requires c closes the cycle c → b → a → c (derived, 0.6)"


def test_a_cycle_over_several_order_types_is_broken_too() -> None:
    relations = [
        relation("a precedes b"),
        relation("b feeds_into c"),
        relation("a requires c", confidence=0.5),
    ]
    assert lines(resolve(relations, PATHS).relations) == ["a precedes b", "b feeds_into c"]


def test_routing_in_a_circle_is_allowed() -> None:
    relations = [relation("a routes_to b"), relation("b routes_to c"), relation("c routes_to a")]
    assert len(resolve(relations, PATHS).relations) == 3


def test_the_same_relation_from_two_sources_is_one_with_both_names() -> None:
    relations = [
        relation("a complements b", proposed_by=("x",)),
        relation("b complements a", Provenance.INFERRED, proposed_by=("y",)),
    ]
    (edge,) = resolve(relations, PATHS).relations
    assert (edge.provenance, edge.proposed_by) == (Provenance.DERIVED, ("x", "y"))


RELATIONS = st.builds(
    lambda source, type_, target, provenance, confidence: Relation(
        source=SkillId(source),
        target=SkillId(target),
        type=type_,
        provenance=provenance,
        confidence=confidence,
    ),
    st.sampled_from("abcdefgh"),
    st.sampled_from(RelationType),
    st.sampled_from("abcdefgh"),
    st.sampled_from(Provenance),
    st.sampled_from([0.5, 0.7, 0.9]),
)


@given(st.lists(RELATIONS, max_size=40))
def test_whatever_judges_say_the_published_graph_is_consistent(relations: list[Relation]) -> None:
    published = resolve(relations, PATHS).relations
    assert contradictions(published) == []
    layers = [{t} for t, info in RELATION_TYPES.items() if info.acyclic] + [set(ORDER_TYPES)]
    for types in layers:
        ordered = [(r.upstream or r.source, r.downstream or r.target) for r in published if r.type in types]
        assert nx.is_directed_acyclic_graph(nx.DiGraph(ordered))
    for edge in published:
        assert edge.source != edge.target
        assert edge.source in PATHS
        assert edge.target in PATHS


@given(st.lists(RELATIONS, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_relations_does_not_matter(relations: list[Relation], dice: random.Random) -> None:
    shuffled = list(relations)
    dice.shuffle(shuffled)
    assert resolve(shuffled, PATHS) == resolve(relations, PATHS)

"""Parts of a graph: what belongs to them, and who stands beside whom in which order."""

from __future__ import annotations

from dataclasses import replace

from skillquiver.evaluate.layers import main_layers, neighbours, single_layers
from skillquiver.graph.relations import Provenance
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import relation
from tests.evaluate.ranked_subjects import apart, head, layer, sid, sids

MIXED = (
    replace(relation("a", "requires", "b"), proposed_by=("reference", "wording")),
    relation("b", "precedes", "c", Provenance.CURATED, by="declared"),
    relation("a", "similar_to", "c", Provenance.INFERRED, by="embedding"),
)


def test_main_layers_are_typed_relations_and_embedding_neighbours() -> None:
    graph = SkillGraph.of(sids("a b c"), MIXED)
    assert [(one.name, one.size) for one in main_layers(graph)] == [("typed", 2), ("similar_to", 1)]
    assert [one.name for one in main_layers(SkillGraph.of(sids("a b c"), MIXED[2:]))] == ["similar_to"]
    assert main_layers(SkillGraph.of(sids("a"), ())) == ()


def test_single_layers_leave_none_out_and_a_relation_of_two_sources_is_in_both() -> None:
    sizes = {one.name: one.size for one in single_layers(SkillGraph.of(sids("a b c"), MIXED))}
    assert sizes == {
        "type precedes": 1,
        "type requires": 1,
        "type similar_to": 1,
        "provenance curated": 1,
        "provenance derived": 1,
        "provenance inferred": 1,
        "source declared": 1,
        "source embedding": 1,
        "source reference": 1,
        "source wording": 1,
    }


def test_neighbours_come_by_confidence_times_weight() -> None:
    one = layer(
        relation("a", "precedes", "late"),  # 0.5 * 0.25 * 0.8 = 0.10
        relation("a", "requires", "early"),  # 0.5 * 0.60 * 0.8 = 0.24
        relation("user", "requires", "a"),  # 0.5 * 0.10 * 0.8 = 0.04
        relation("b", "precedes", "surely"),  # 0.9 * 0.25 * 0.8 = 0.18
    )
    found = neighbours(one, head("a=0.5 b=0.9"), apart, base=2, count=5)
    assert found == list(sids("early surely late user"))
    assert neighbours(one, head("a=0.5 b=0.9"), apart, base=1, count=2) == list(sids("early late"))


def test_equal_steps_are_told_apart_by_the_cosine_then_the_id() -> None:
    one = layer(*(relation("a", "precedes", name) for name in ("x", "y", "z")))
    close = {sid("y"): 0.5}

    def closeness(_one: SkillId, other: SkillId) -> float:
        return close.get(other, 0.1)

    assert neighbours(one, head("a"), closeness, base=1, count=3) == list(sids("y x z"))


def test_of_two_relations_to_one_skill_the_stronger_counts_once() -> None:
    one = layer(
        relation("a", "precedes", "b"), relation("b", "requires", "a"), relation("a", "precedes", "c")
    )
    assert one.steps[sid("a")] == {sid("b"): 0.25 * 0.8, sid("c"): 0.25 * 0.8}  # not 0.1 * 0.8
    assert one.degree(sid("a")) == 2


def test_what_is_shown_is_no_neighbour_and_conflicts_lead_nowhere() -> None:
    one = layer(relation("a", "precedes", "b"), relation("a", "conflicts_with", "c"))
    assert neighbours(one, head("a b"), apart, base=2, count=5) == []
    assert neighbours(one, head("a b"), apart, base=1, count=5) == [sid("b")]
    assert (one.degree(sid("c")), one.degree(sid("stranger"))) == (0, 0)

"""The relation table of docs/relations.md, as code."""

from __future__ import annotations

from skillquiver.graph.relations import RELATION_TYPES, End, Family, Provenance, Relation, RelationType
from skillquiver.types import SkillId


def relation(source: str, type_: RelationType, target: str) -> Relation:
    return Relation(
        source=SkillId(source),
        target=SkillId(target),
        type=type_,
        provenance=Provenance.DERIVED,
        confidence=0.8,
    )


def test_every_type_has_a_row_and_a_family() -> None:
    assert set(RELATION_TYPES) == set(RelationType)
    assert {info.family for info in RELATION_TYPES.values()} == set(Family)


def test_a_requirement_comes_before_the_skill_that_has_it() -> None:
    edge = relation("a", RelationType.REQUIRES, "b")
    assert (edge.upstream, edge.downstream) == ("b", "a")


def test_a_skill_that_feeds_another_comes_before_it() -> None:
    edge = relation("a", RelationType.FEEDS_INTO, "b")
    assert (edge.upstream, edge.downstream) == ("a", "b")


def test_a_symmetric_relation_has_no_order() -> None:
    edge = relation("b", RelationType.COMPLEMENTS, "a")
    assert (edge.upstream, edge.downstream, edge.pair) == (None, None, ("a", "b"))


def test_symmetric_types_have_no_upstream_end_and_no_acyclicity() -> None:
    for info in RELATION_TYPES.values():
        if info.symmetric:
            assert info.upstream is None
            assert not info.acyclic


def test_acyclic_types_are_the_five_of_the_table() -> None:
    assert {t for t, info in RELATION_TYPES.items() if info.acyclic} == {
        RelationType.REQUIRES,
        RelationType.FEEDS_INTO,
        RelationType.PRECEDES,
        RelationType.SPECIALIZES,
        RelationType.SUPERSEDES,
    }


def test_verifiers_come_after_what_they_check() -> None:
    assert RELATION_TYPES[RelationType.VERIFIES].upstream is End.TARGET


def test_trust_falls_from_curated_to_inferred() -> None:
    order = ["curated", "derived", "artifact", "learned", "llm", "inferred"]
    assert [p.value for p in sorted(Provenance, key=lambda p: -p.trust)] == order

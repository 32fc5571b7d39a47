from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skillquiver.graph.relations import Provenance, RelationType
from skillquiver.retrieve.order import ORDERING, in_order
from skillquiver.types import SkillId
from tests.graph.helpers import relation


def order(ids: str, *texts: str, **stands_for: str) -> str:
    stand_ins = {SkillId(a): SkillId(b) for a, b in stands_for.items()}
    return "".join(in_order([SkillId(i) for i in ids], [relation(t) for t in texts], stand_ins))


def test_without_relations_the_order_stays() -> None:
    assert order("bca") == "bca"


def test_what_is_needed_stands_directly_before_what_needs_it() -> None:
    assert order("abc", "a requires c") == "cab"
    assert order("abc", "b requires c") == "acb"


def test_each_type_of_order_puts_its_upstream_end_first() -> None:
    assert order("ab", "b feeds_into a") == "ba"
    assert order("ab", "b precedes a") == "ba"
    assert order("ab", "b routes_to a") == "ba"
    assert order("ab", "a verifies b") == "ba"


def test_a_type_that_says_nothing_about_time_changes_nothing() -> None:
    assert order("ab", "b complements a", "b specializes a", "a conflicts_with b") == "ab"


def test_a_relation_to_a_skill_elsewhere_changes_nothing() -> None:
    assert order("ab", "a requires x", "x requires b") == "ab"


def test_the_skill_that_stands_for_another_takes_its_place_in_the_order() -> None:
    assert order("ab", "a requires x", x="b") == "ba"
    assert order("ab", "a requires x", x="a") == "ab"


def test_a_circle_is_opened_where_trust_is_least() -> None:
    # a before b by a curated word, b before a by a derived one: the curated one holds.
    strong = relation("a precedes b", Provenance.CURATED, 0.6)
    weak = relation("b feeds_into a", Provenance.DERIVED, 0.9)
    assert in_order([SkillId("b"), SkillId("a")], [weak, strong]) == ("a", "b")


def test_a_requirement_outweighs_every_other_word_about_order() -> None:
    needs = relation("a requires b", Provenance.LLM, 0.6)
    other = relation("a precedes b", Provenance.CURATED, 1.0)
    assert in_order([SkillId("a"), SkillId("b")], [other, needs]) == ("b", "a")


RELATIONS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(sorted(RelationType)),
        st.sampled_from("abcdef"),
        st.sampled_from(sorted(Provenance)),
        st.sampled_from([0.5, 0.7, 0.9]),
    ).map(lambda r: relation(f"{r[0]} {r[1]} {r[2]}", r[3], r[4])),
    max_size=12,
)


@settings(max_examples=100, deadline=None)
@given(st.permutations("abcdef"), RELATIONS, st.randoms())
def test_every_skill_stands_once_and_the_order_of_relations_does_not_matter(
    ids: list[str], relations: list[object], random: object
) -> None:
    skills = [SkillId(i) for i in ids]
    found = in_order(skills, relations)  # type: ignore[arg-type]
    assert sorted(found) == sorted(skills)
    random.shuffle(relations)  # type: ignore[attr-defined]
    assert in_order(skills, relations) == found  # type: ignore[arg-type]


def test_every_type_of_order_has_an_upstream_end() -> None:
    assert [t for t in ORDERING if relation(f"a {t} b").upstream is None] == []

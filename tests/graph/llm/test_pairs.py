from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from skillquiver.graph.llm.pairs import Call, cover
from skillquiver.graph.relations import pair_of
from skillquiver.types import SkillId

NAMES = st.sampled_from([SkillId(name) for name in "abcdefghij"])
PAIRS = st.sets(
    st.tuples(NAMES, NAMES).filter(lambda p: p[0] != p[1]).map(lambda p: pair_of(*p)), max_size=30
)


def skill(name: str) -> SkillId:
    return SkillId(name)


def test_a_star_is_one_call_about_its_centre() -> None:
    pairs = [pair_of(skill("m"), skill(other)) for other in "abz"]
    assert cover(pairs, 10) == (Call(skill("m"), (skill("a"), skill("b"), skill("z"))),)


def test_two_edited_skills_are_two_calls_and_their_common_pair_is_asked_once() -> None:
    pairs = [(skill(a), skill(b)) for a, b in ("ax", "bx", "cx", "dy", "ey", "xy")]
    assert [(call.focus, "".join(call.others)) for call in cover(pairs, 10)] == [("x", "abcy"), ("y", "de")]


def test_a_chain_takes_every_other_skill() -> None:
    pairs = [(skill(a), skill(b)) for a, b in ("ab", "bc", "cd", "de")]
    assert [call.focus for call in cover(pairs, 10)] == ["b", "d"]


@given(PAIRS, st.integers(min_value=1, max_value=5))
def test_every_pair_is_asked_about_exactly_once_within_the_bound(
    pairs: set[tuple[SkillId, SkillId]], most: int
) -> None:
    calls = cover(sorted(pairs), most)
    asked = Counter(pair_of(call.focus, other) for call in calls for other in call.others)
    assert asked == Counter(pairs)
    assert all(1 <= len(call.others) <= most for call in calls)


@given(PAIRS)
def test_the_order_of_pairs_changes_nothing_and_no_skill_is_the_focus_twice(
    pairs: set[tuple[SkillId, SkillId]],
) -> None:
    calls = cover(sorted(pairs), 100)
    assert cover(sorted(pairs, reverse=True), 100) == calls
    assert len({call.focus for call in calls}) == len(calls)

from __future__ import annotations

from skillquiver.evaluate.causes import NEVER_A_CANDIDATE, UNRANKED, Answer, Cause, Lost, diagnose
from skillquiver.evaluate.qrels import Task
from skillquiver.retrieve.bundle import Bundle, BundleEntry, Omission, Omitted, Role, Tier
from skillquiver.types import SkillId, Status


def skill_ids(text: str) -> tuple[SkillId, ...]:
    return tuple(map(SkillId, text.split()))


def task(gold: str = "", *, missing: str = "", not_gold: str = "") -> Task:
    """``a|b`` is a gold skill that ``b`` does as well as."""
    groups = tuple(frozenset(map(SkillId, group.split("|"))) for group in gold.split())
    return Task(
        query_id="q",
        query="do it",
        gold=groups,
        missing=tuple(missing.split()),
        not_gold=frozenset(skill_ids(not_gold)),
    )


def entry(skill_id: SkillId) -> BundleEntry:
    return BundleEntry(
        id=skill_id,
        name=skill_id,
        role=Role.MATCH,
        tier=Tier.BODY,
        tokens=1,
        path="/x",
        score=1.0,
        confidence=1.0,
    )


def answer(
    ranked: str, packed: str = "", *, status: Status = Status.HIT, omitted: dict[str, Omission] | None = None
) -> Answer:
    left = tuple(Omitted(id=SkillId(i), reason=why, detail=f"why {i}") for i, why in (omitted or {}).items())
    bundle = Bundle(
        status=status,
        budget=100,
        tokens=1,
        entries=tuple(map(entry, skill_ids(packed))),
        omitted=left,
        text="",
    )
    return Answer(
        ranked=skill_ids(ranked), status=status, bundle=bundle, parts={SkillId("c"): "the last part"}
    )


def cause(wanted: Task, got: Answer, before: str = "") -> Cause | None:
    pairs = {(a, b) for a, b in (skill_ids(pair.replace("<", " ")) for pair in before.split())}
    miss = diagnose(wanted, got, top_k=2, before=pairs)
    return miss.cause if miss else None


def test_a_task_that_got_everything_in_order_misses_nothing() -> None:
    assert cause(task("a b"), answer("a b", "b a"), before="b<a") is None


def test_an_equivalent_of_a_gold_skill_is_as_good() -> None:
    assert cause(task("a|b"), answer("b", "b")) is None


def test_a_task_none_of_whose_gold_skills_is_held_is_not_in_the_library() -> None:
    assert cause(task(missing="x"), answer("a b", "a")) is Cause.ABSENT


def test_a_task_that_got_all_that_is_held_lacks_what_is_not() -> None:
    assert cause(task("a", missing="x"), answer("a", "a")) is Cause.ABSENT


def test_what_was_lost_on_the_way_comes_before_what_is_not_held() -> None:
    assert cause(task("a", missing="x"), answer("b c d a", "b")) is Cause.RETRIEVAL


def test_a_ranker_that_says_nothing_fits_has_abstained_whatever_it_ranked_first() -> None:
    assert cause(task("a"), answer("a b", status=Status.NONE)) is Cause.ABSTAINED


def test_no_gold_skill_among_the_first_ranks_is_a_retrieval_miss() -> None:
    assert cause(task("c"), answer("a b c", "a b")) is Cause.RETRIEVAL


def test_a_gold_skill_among_the_first_ranks_that_was_not_packed_is_a_partial_bundle() -> None:
    assert cause(task("b"), answer("a b c", "a")) is Cause.PARTIAL


def test_one_gold_skill_of_two_is_a_partial_bundle_even_if_a_relation_brought_it() -> None:
    assert cause(task("x z"), answer("a b c", "a x")) is Cause.PARTIAL


def test_a_skill_that_stands_before_what_it_needs_is_out_of_order() -> None:
    miss = diagnose(task("a b"), answer("a b", "b a"), top_k=2, before={(SkillId("a"), SkillId("b"))})
    assert miss is not None
    assert (miss.cause, miss.pair) == (Cause.ORDER, ("a", "b"))


def test_order_counts_among_gold_skills_only() -> None:
    assert cause(task("b"), answer("b", "b a"), before="a<b") is None


def test_anything_is_unwanted_where_nothing_fits() -> None:
    assert cause(task(), answer("a", "a")) is Cause.UNWANTED
    assert cause(task(), answer("a", "", status=Status.NONE)) is None


def test_a_skill_that_the_query_names_as_wrong_is_unwanted_even_beside_the_right_one() -> None:
    assert cause(task("a", not_gold="b"), answer("a b", "a b")) is Cause.UNWANTED
    assert cause(task("a", not_gold="b"), answer("a b", "a")) is None


def test_each_lost_skill_has_its_rank_and_the_reason_that_the_bundle_gives() -> None:
    got = answer("a b c", "a", omitted={"b": Omission.NEAR_DUPLICATE})
    miss = diagnose(task("a b c d"), got, top_k=8, before=())
    assert miss is not None
    assert miss.lost == (
        Lost(SkillId("b"), 2, "near-duplicate", "why b"),
        Lost(SkillId("c"), 3, NEVER_A_CANDIDATE, part="the last part"),
        Lost(SkillId("d"), None, UNRANKED),
    )
    assert (miss.rank, miss.came, miss.rivals) == (2, ("a",), ())


def test_the_rivals_are_the_best_skills_that_are_not_gold() -> None:
    miss = diagnose(task("z"), answer("a b c d z"), top_k=2, before=())
    assert miss is not None
    assert miss.rivals == ("a", "b", "c")

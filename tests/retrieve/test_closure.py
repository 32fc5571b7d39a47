"""Bundles with relations: what comes with a skill, what it excludes, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillquiver.errors import UnknownSkillError, UsageError
from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.retrieve.bundle import Bundle, Candidate, Omission, PackContext, Role, Tier, Wishes
from skillquiver.retrieve.pack import pack
from skillquiver.settings import PackSettings
from skillquiver.skills.records import Skill
from skillquiver.skills.tokens import count_tokens
from skillquiver.testing import make_skill
from skillquiver.types import SkillId, Status
from tests.graph.helpers import relation

ROOMY = 20_000


def skill(name: str, *, words: int = 60, **fields: Any) -> Skill:
    """A skill with the id ``name``, whose words are its own."""
    body = f"# {name}\n\n" + " ".join(f"{name}{number}" for number in range(words)) + ".\n"
    return make_skill(name, f"Does {name} with {name}s for {name}.", body, id=SkillId(name), **fields)


def ranked(names: str, confidence: float = 0.5, **fields: Any) -> list[Candidate]:
    """One candidate for each letter, best first."""
    return [
        Candidate(skill=skill(name, **fields), score=9.0 - at, confidence=confidence)
        for at, name in enumerate(names)
    ]


def packed(
    candidates: Sequence[Candidate],
    *relations: Relation | str,
    support: str = "",
    budget: int = ROOMY,
    max_skills: int = 12,
    **wishes: str,
) -> Bundle:
    """Pack with relations such as ``"a requires b"`` and wishes such as ``must="ab"``."""
    context = PackContext(
        relations=[relation(r) if isinstance(r, str) else r for r in relations],
        support={SkillId(name): skill(name) for name in support},
        wishes=Wishes(
            must=tuple(map(SkillId, wishes.get("must", ""))),
            without=frozenset(map(SkillId, wishes.get("without", ""))),
            loaded=frozenset(map(SkillId, wishes.get("loaded", ""))),
        ),
    )
    return pack(candidates, budget=budget, settings=PackSettings(max_skills=max_skills), context=context)


def names(bundle: Bundle) -> str:
    return "".join(entry.id for entry in bundle.entries)


def reasons(bundle: Bundle) -> dict[str, str]:
    return {omitted.id: omitted.reason.value for omitted in bundle.omitted}


# --- requirements ------------------------------------------------------------------------------------


def test_a_skill_comes_with_everything_it_requires_over_any_number_of_steps() -> None:
    bundle = packed(ranked("a"), "a requires x", "x requires y", support="xy")
    assert names(bundle) == "yxa"
    assert [entry.role for entry in bundle.entries] == [Role.PREREQUISITE, Role.PREREQUISITE, Role.MATCH]
    assert bundle.entries[0].required_by == ("x",)
    assert bundle.entries[0].evidence == "required by x"


def test_a_requirement_is_as_likely_as_its_dependant_times_the_relation() -> None:
    bundle = packed(ranked("a", confidence=0.5), "a requires x", support="x")
    assert bundle.entries[0].confidence == pytest.approx(0.8 * 0.5)


def test_the_text_says_what_a_prerequisite_is_needed_by() -> None:
    bundle = packed(ranked("ab"), "a requires x", "b requires x", support="x")
    assert "## 1. x\nprerequisite, needed by 2, 3, full text of /nowhere/x/SKILL.md\n" in bundle.text


def test_a_low_ranked_requirement_is_lifted_and_counted_once() -> None:
    low = replace(ranked("z")[0], score=0.1, confidence=0.0001)
    bundle = packed([*ranked("ab"), low], "a requires z")
    assert names(bundle) == "zab"
    assert bundle.entries[0].role is Role.PREREQUISITE
    assert bundle.omitted == ()


def test_a_match_that_another_match_requires_stays_a_match() -> None:
    bundle = packed(ranked("ba"), "a requires b")
    assert [(e.id, e.role) for e in bundle.entries] == [("b", Role.MATCH), ("a", Role.MATCH)]
    assert bundle.entries[0].required_by == ("a",)


def test_requirements_in_a_circle_come_together_once() -> None:
    bundle = packed(ranked("a"), "a requires x", "x requires a", support="x")
    assert sorted(names(bundle)) == ["a", "x"]


def test_a_skill_whose_requirement_is_not_known_hidden_or_unwanted_stays_out() -> None:
    unknown = packed(ranked("ab"), "a requires x")
    assert (names(unknown), reasons(unknown)) == ("b", {"a": "missing-requirement"})
    assert unknown.omitted[0].detail == "requires x, which is not known"
    unwanted = packed(ranked("ab"), "a requires x", support="x", without="x")
    assert (names(unwanted), reasons(unwanted)) == ("b", {"a": "missing-requirement"})
    hidden = [*ranked("ab"), replace(ranked("x", hidden=True)[0], score=1.0)]
    bundle = packed(hidden, "a requires x")
    assert (names(bundle), reasons(bundle)) == ("b", {"a": "missing-requirement", "x": "hidden"})


def test_a_doubtful_requirement_comes_if_it_can_and_is_named_if_it_cannot() -> None:
    doubtful = relation("a requires x", Provenance.DERIVED, 0.6)
    assert names(packed(ranked("a"), doubtful, support="x")) == "xa"
    alone = packed(ranked("a"), doubtful)
    assert (names(alone), alone.entries[0].missing) == ("a", ("x",))
    full = packed(ranked("a"), doubtful, support="x", max_skills=1)
    assert (names(full), full.entries[0].missing) == ("a", ("x",))


@pytest.mark.parametrize(("provenance", "confidence"), [(Provenance.INFERRED, 1.0), (Provenance.LLM, 0.5)])
def test_a_requirement_that_is_not_trusted_brings_nothing(provenance: Provenance, confidence: float) -> None:
    bundle = packed(ranked("a"), relation("a requires x", provenance, confidence), support="x")
    assert names(bundle) == "a"


def test_what_the_agent_has_counts_as_met_and_is_left_out() -> None:
    bundle = packed(ranked("ab"), "a requires b", loaded="b")
    assert (names(bundle), reasons(bundle)) == ("a", {"b": "loaded"})


def test_a_dependant_steps_down_so_that_what_it_requires_fits() -> None:
    candidates = ranked("a", words=400)
    alone = packed(candidates).tokens
    bundle = packed(candidates, "a requires x", support="x", budget=alone)
    assert names(bundle) == "xa"
    assert bundle.entries[1].tier is not Tier.BODY


def test_a_dependant_leaves_if_even_the_cards_do_not_fit() -> None:
    card = packed(ranked("a", words=400), budget=190).tokens
    bundle = packed(ranked("a", words=400), "a requires x", support="x", budget=card + 5)
    assert (names(bundle), reasons(bundle)) == ("", {"a": "missing-requirement"})


def test_a_closure_larger_than_the_most_skills_stays_out_and_others_take_the_places() -> None:
    chain = ["a requires x", "x requires y", "y requires z"]
    bundle = packed(ranked("abc"), *chain, support="xyz", max_skills=3)
    assert (names(bundle), reasons(bundle)) == ("bc", {"a": "max-skills"})
    assert names(packed(ranked("abc"), *chain, support="xyz", max_skills=5)) == "zyxab"


def test_a_copy_of_a_requirement_that_is_there_already_meets_it() -> None:
    first = ranked("o")[0]
    copy = replace(first, skill=replace(first.skill, id=SkillId("p")), score=0.5)
    bundle = packed([*ranked("oa"), copy], "a requires p")
    assert (names(bundle), reasons(bundle)) == ("oa", {"p": "near-duplicate"})
    assert bundle.entries[0].required_by == ("a",)


# --- one of several -----------------------------------------------------------------------------------


def test_of_two_in_conflict_the_better_comes() -> None:
    bundle = packed(ranked("abc"), "b conflicts_with a")
    assert (names(bundle), reasons(bundle)) == ("ac", {"b": "conflict"})


def test_a_requirement_in_conflict_keeps_its_dependant_out() -> None:
    bundle = packed(ranked("ab"), "b requires x", "x conflicts_with a", support="x")
    assert (names(bundle), reasons(bundle)) == ("a", {"b": "missing-requirement"})


def test_what_conflicts_with_a_loaded_skill_stays_out() -> None:
    assert reasons(packed(ranked("ab"), "a conflicts_with x", loaded="x")) == {"a": "conflict"}


def test_one_of_two_alternatives_is_enough_if_a_trusted_source_says_so() -> None:
    curated = relation("a alternative_to b", Provenance.CURATED, 0.9)
    assert reasons(packed(ranked("ab"), curated)) == {"b": "alternative"}
    from_text = relation("a alternative_to b", Provenance.DERIVED, 0.85)
    assert names(packed(ranked("ab"), from_text)) == "ab"


def test_an_alternative_meets_a_requirement() -> None:
    curated = relation("a alternative_to x", Provenance.CURATED, 0.9)
    bundle = packed(ranked("ab"), curated, "b requires x", support="x")
    assert names(bundle) == "ab"
    assert bundle.entries[0].required_by == ("b",)


def test_a_superseded_skill_gives_its_place_to_the_last_of_its_successors() -> None:
    bundle = packed(ranked("ab"), "x supersedes a", "y supersedes x", support="xy")
    assert (names(bundle), reasons(bundle)) == ("yb", {"a": "superseded"})
    assert bundle.entries[0].evidence == "replaces a"
    assert bundle.entries[0].role is Role.MATCH


def test_a_superseded_skill_stays_if_its_successor_is_not_there() -> None:
    assert names(packed(ranked("a"), "x supersedes a")) == "a"
    assert names(packed(ranked("a"), "x supersedes a", support="x", without="x")) == "a"


def test_a_superseded_requirement_is_met_by_its_successor() -> None:
    bundle = packed(ranked("a"), "a requires x", "y supersedes x", support="xy")
    assert names(bundle) == "ya"
    ranked_heir = packed(ranked("ya"), "a requires x", "y supersedes x", support="x")
    assert names(ranked_heir) == "ya"


def test_a_successor_that_ranks_by_itself_takes_the_better_place_once() -> None:
    bundle = packed(ranked("abc"), "c supersedes a")
    assert (names(bundle), reasons(bundle)) == ("cb", {"a": "superseded"})
    assert reasons(packed(ranked("ca"), "c supersedes a")) == {"a": "superseded"}


# --- wishes ---------------------------------------------------------------------------------------------


def test_what_must_come_comes_first_whatever_the_ranking_says() -> None:
    bundle = packed(ranked("ab"), "x requires y", support="xy", must="x", max_skills=3)
    assert (names(bundle), reasons(bundle)) == ("yxa", {"b": "max-skills"})
    nothing = pack([], budget=ROOMY, settings=PackSettings(), status=Status.NONE, context=_must("x"))
    assert names(nothing) == "x"


def _must(name: str) -> PackContext:
    known = {SkillId(name): skill(name)}
    return PackContext(support=known, wishes=Wishes(must=(SkillId(name),)))


def test_what_must_come_comes_without_its_requirement_if_there_is_no_way_and_names_it() -> None:
    bundle = packed(ranked("a"), "a requires x", must="a")
    assert (names(bundle), bundle.entries[0].missing) == ("a", ("x",))


def test_an_unknown_wish_is_an_error() -> None:
    with pytest.raises(UnknownSkillError):
        packed(ranked("a"), must="x")


def test_wishes_that_contradict_each_other_are_an_error_that_names_them() -> None:
    with pytest.raises(UsageError, match="a and b conflict"):
        packed(ranked("ab"), "a conflicts_with b", must="ab")
    with pytest.raises(UsageError, match="a is asked for and"):
        packed(ranked("ab"), must="a", without="a")
    with pytest.raises(UsageError, match="1 skills at most"):
        packed(ranked("ab"), must="ab", max_skills=1)


def test_wishes_beyond_the_budget_are_an_error_that_says_what_they_take() -> None:
    candidates = ranked("abc", words=300)
    with pytest.raises(UsageError, match="the 2 skills asked for take 135 tokens as cards"):
        packed(candidates, must="ab", budget=134)
    assert names(packed(candidates, must="ab", budget=135)) == "ab"


def test_what_is_unwanted_stays_out() -> None:
    assert reasons(packed(ranked("ab"), without="a")) == {"a": "without"}


def test_a_copy_of_a_loaded_skill_stays_out() -> None:
    first = ranked("a")[0]
    copy = replace(first, skill=replace(first.skill, id=SkillId("b")), score=1.0)
    assert reasons(packed([first, copy], loaded="a")) == {"a": "loaded", "b": "near-duplicate"}


# --- for every input -----------------------------------------------------------------------------------

IDS = "abcdefgh"
TYPES = st.sampled_from(
    ["requires", "precedes", "conflicts_with", "alternative_to", "supersedes", "verifies"]
)
EDGES = st.lists(
    st.tuples(st.sampled_from(IDS), TYPES, st.sampled_from(IDS), st.sampled_from([0.6, 0.8, 0.95])),
    max_size=14,
)
SKILL = {name: skill(name, words=20 * at) for at, name in enumerate(IDS)}


def acyclic(edges: list[tuple[str, str, str, float]]) -> list[Relation]:
    """Directed edges point from later to earlier letters, as in a published graph; no self-loops."""
    kept = [(*sorted((a, b), reverse=True), t, c) for a, t, b, c in edges if a != b]
    return sorted({relation(f"{a} {t} {b}", Provenance.CURATED, c) for a, b, t, c in kept})


@settings(max_examples=150, deadline=None)
@given(
    st.permutations(IDS).flatmap(lambda p: st.integers(1, len(IDS)).map(lambda n: (p[:n], p[n:]))),
    EDGES,
    st.sampled_from([0, 60, 150, 300, 600, 1200, 5000]),
    st.integers(1, 9),
    st.randoms(),
)
def test_closure_conflicts_order_budget_and_account_hold(
    split: tuple[list[str], list[str]],
    edges: list[tuple[str, str, str, float]],
    budget: int,
    most: int,
    random: object,
) -> None:
    order, others = split
    candidates = [
        Candidate(skill=SKILL[name], score=9.0 - at, confidence=0.5) for at, name in enumerate(order)
    ]
    relations = acyclic(edges)
    context = PackContext(relations=relations, support={SKILL[name].id: SKILL[name] for name in others})
    limits = PackSettings(max_skills=most)
    bundle = pack(candidates, budget=budget, settings=limits, context=context)
    place = {entry.id: at for at, entry in enumerate(bundle.entries)}
    assert count_tokens(bundle.text) == bundle.tokens <= budget
    assert len(place) <= most
    assert {c.id for c in candidates} <= place.keys() | {o.id for o in bundle.omitted}
    assert place.keys().isdisjoint(o.id for o in bundle.omitted)
    assert len(place) == len(bundle.entries)
    replaced = {r.target for r in relations if r.type is RelationType.SUPERSEDES}
    exchanged = {end for r in relations if r.type is RelationType.ALTERNATIVE_TO for end in r.pair}
    for one in relations:
        both = one.source in place and one.target in place
        if one.type is RelationType.CONFLICTS_WITH:
            assert not both
        if one.type is RelationType.REQUIRES and one.source in place:
            if both:
                assert place[one.target] < place[one.source]
            elif one.confidence >= limits.hard_requires_confidence:
                assert one.target in replaced | exchanged
    random.shuffle(candidates)  # type: ignore[attr-defined]
    random.shuffle(relations)  # type: ignore[attr-defined]
    assert pack(candidates, budget=budget, settings=limits, context=context) == bundle


@settings(max_examples=40, deadline=None)
@given(EDGES, st.integers(1, 12))
def test_one_more_unrelated_candidate_at_the_end_changes_nothing_while_there_is_room(
    edges: list[tuple[str, str, str, float]], most: int
) -> None:
    candidates = [Candidate(skill=SKILL[n], score=9.0 - at, confidence=0.5) for at, n in enumerate(IDS)]
    last = Candidate(skill=skill("zz"), score=-1.0, confidence=0.5)
    context = PackContext(relations=acyclic(edges))
    limits = PackSettings(max_skills=most)
    before = pack(candidates, budget=ROOMY, settings=limits, context=context)
    after = pack([*candidates, last], budget=ROOMY, settings=limits, context=context)
    assert [(e.id, e.tier) for e in after.entries if e.id != "zz"] == [(e.id, e.tier) for e in before.entries]
    assert [o for o in after.omitted if o.id != "zz"] == list(before.omitted)


def test_every_reason_is_a_word_of_its_own() -> None:
    assert len({reason.value for reason in Omission}) == len(Omission) == 11

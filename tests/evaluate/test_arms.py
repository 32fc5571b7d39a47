"""Four arms on rankings that are given: every measure by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skillquiver.evaluate.arm_answers import COMPARED, WAYS, Answer, near, retrieve, scores_of
from skillquiver.evaluate.arms import run
from skillquiver.evaluate.results import Cell, Interval
from skillquiver.graph.relations import Provenance
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import DiffuseSettings
from skillquiver.skills.records import TokenCounts
from skillquiver.testing import make_skill
from tests.evaluate.graph_subjects import SETTINGS, cells, inputs, relation, table_of, value
from tests.evaluate.ranked_subjects import CARD, query_set, ranked_subject, sid, sids, task

NEEDS = relation("b", "requires", "a")
"""Up from b to a; down from a to b."""

SUBJECT = ranked_subject(
    "a b c d", NEEDS, listed={"one": "b=0.9", "one again": "a=0.9 b=0.9", "two": "c=0.9 d=0.9"}
)
SET = query_set(
    task("one", "a b", cluster="one"),
    task("one again", "a b", cluster="one"),
    task("two", "c", missing=("gone",)),
    task("three", "", missing=("lost",)),
)


def answer(names: str) -> Answer:
    return Answer(sids(names), CARD * len(names.split()), 0.25)


# --- measures ----------------------------------------------------------------------------------------


def test_measures_of_one_answer_by_hand() -> None:
    scores = scores_of(task("q", "a b c", missing=("gone",)), answer("b x c y z"))
    assert scores == {
        "available recall": 2 / 3,  # b, c of the three that are held
        "full recall": 2 / 4,  # the fourth is not
        "completeness": 0.0,
        "precision": 2 / 5,
        "co-recovery": 1 / 3,  # b-c of a-b, a-c, b-c
        "skills": 5.0,
        "tokens": 50.0,
        "ms": 250.0,
    }


def test_all_that_is_held_completes_an_answer_whatever_the_library_lacks() -> None:
    scores = scores_of(task("q", "a b", missing=("gone",)), answer("b a"))
    assert (scores["completeness"], scores["available recall"]) == (1.0, 1.0)
    assert scores["full recall"] == 2 / 3


def test_an_equivalent_counts_once_for_recall_and_is_no_waste() -> None:
    scores = scores_of(task("q", "a|A b"), answer("a A x"))
    assert scores["available recall"] == 1 / 2
    assert scores["precision"] == 2 / 3
    assert scores["co-recovery"] == 0.0


def test_one_gold_skill_makes_no_pair() -> None:
    assert "co-recovery" not in scores_of(task("q", "a"), answer("a"))


def test_nothing_is_neither_precise_nor_complete() -> None:
    scores = scores_of(task("q", "a b"), answer(""))
    assert {scores[measure] for measure in COMPARED} == {0.0}


# --- the experiment ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        # "one" and "one again" are averaged to one task. flat: b, and a b, of a b
        ("flat", {"available recall": (0.75 + 1) / 2, "full recall": (0.75 + 0.5 + 0) / 3}),
        ("flat", {"completeness": (0.5 + 1) / 2, "precision": (1 + 0.5) / 2, "co-recovery": 0.5}),
        ("forward", {"available recall": (0.75 + 1) / 2, "completeness": 0.75}),  # b has no later step
        ("one-hop", {"available recall": 1.0, "full recall": (1 + 0.5 + 0) / 3, "completeness": 1.0}),
        ("reverse", {"available recall": 1.0, "full recall": (1 + 0.5 + 0) / 3}),
        ("reverse", {"completeness": 1.0, "precision": 0.75, "co-recovery": 1.0}),
        ("flat", {"skills": 1.67, "tokens": 16.7}),  # (1 + 2 + 2) / 3 cards of 10
        ("reverse", {"skills": 2.0, "tokens": 20.0}),
    ],
)
def test_levels_by_hand(way: str, arm: str, expected: dict[str, float]) -> None:
    section = run(SUBJECT, inputs(sets=(SET,)))
    row = cells(table_of(section, f"set, {way}: {WAYS[way]}"), arm)
    for measure, wanted in expected.items():
        found = row[measure]
        assert (value(found) if isinstance(found, Interval) else found) == pytest.approx(wanted)


def test_units_are_tasks_and_only_full_recall_counts_those_without_held_gold() -> None:
    row = cells(table_of(run(SUBJECT, inputs(sets=(SET,))), "set, bundle: skills of"), "flat")
    units = {measure: found.n for measure in COMPARED if isinstance(found := row[measure], Interval)}
    assert units == {
        "available recall": 2,
        "full recall": 3,
        "completeness": 2,
        "precision": 2,
        "co-recovery": 1,
    }


def test_differences_are_of_tasks() -> None:
    table = table_of(run(SUBJECT, inputs(sets=(SET,))), "set, expansion: each arm minus flat")
    row = cells(table, "reverse, completeness")
    assert value(row["difference"]) == pytest.approx((0.5 + 0) / 2)  # half of one task, nothing of the other
    assert row["won : lost"] == "1 : 0"
    assert row["p"] == row["p (Holm)"] == 1.0  # one task that changes may do so either way
    assert cells(table, "forward, completeness")["won : lost"] == "0 : 0"


def test_what_an_arm_brought_in_is_counted_skill_by_skill() -> None:
    table = table_of(run(SUBJECT, inputs(sets=(SET,))), "set, bundle: skills over all tasks")
    assert tuple(cells(table, "reverse").values()) == ("reverse", 1, 1, 1, 1, 0, 0)  # a, to "one"
    assert tuple(cells(table, "forward").values()) == ("forward", 0, 0, 0, 0, 0, 0)


def test_what_an_arm_brings_in_may_push_out_gold() -> None:
    # a: 0.9 * 0.6 * 0.8 = 0.43 by its path, some 0.2 by flow: before x, which is no seed
    subject = replace(SUBJECT, listed={"q": "b=0.9 d=0.1"})
    section = run(subject, inputs(sets=(query_set(task("q", "b d")),), settings=replace(SETTINGS, top_k=2)))
    table = table_of(section, "set, expansion: skills over all tasks")
    assert tuple(cells(table, "reverse").values()) == ("reverse", 1, 0, 1, 0, 1, 1)
    row = cells(table_of(section, "set, expansion: each arm"), "reverse, completeness")
    assert (value(row["difference"]), row["won : lost"]) == (-1.0, "0 : 1")


def test_a_set_that_no_pair_stands_in_has_no_co_recovery() -> None:
    section = run(SUBJECT, inputs(sets=(query_set(task("two", "c")),)))
    assert cells(table_of(section, "set, bundle: skills of"), "flat")["co-recovery"] is None
    rows = [row[0] for row in table_of(section, "set, bundle: each arm").rows]
    assert "reverse, precision" in rows
    assert "reverse, co-recovery" not in rows


# --- budgets -----------------------------------------------------------------------------------------


def test_every_arm_keeps_to_the_same_budget() -> None:
    found = retrieve(SUBJECT, SET.tasks[0], SUBJECT.graph, replace(SETTINGS, budget=CARD))
    assert {arm: found.answers["expansion", arm].ids for arm in Arm} == dict.fromkeys(Arm, sids("b"))
    two = retrieve(SUBJECT, SET.tasks[0], SUBJECT.graph, replace(SETTINGS, budget=2 * CARD))
    assert two.answers["expansion", Arm.REVERSE].ids == sids("b a")
    assert two.answers["expansion", Arm.REVERSE].tokens == 2 * CARD


def test_a_card_that_does_not_fit_leaves_its_place_to_the_next() -> None:
    long = make_skill("c", tokens=TokenCounts(card=50))
    subject = replace(SUBJECT, skills={**SUBJECT.skills, sid("c"): long})
    found = retrieve(subject, SET.tasks[2], subject.graph, replace(SETTINGS, budget=40, top_k=1))
    assert found.answers["expansion", Arm.FLAT].ids == sids("d")


def test_a_skill_that_only_an_old_graph_knows_takes_no_place() -> None:
    graph = SkillGraph.of(
        (*SUBJECT.graph.ids, sid("gone")),
        (relation("b", "requires", "gone", confidence=1.0), relation("b", "requires", "a", confidence=0.5)),
    )
    found = retrieve(SUBJECT, SET.tasks[0], graph, replace(SETTINGS, top_k=2))
    assert found.answers["expansion", Arm.REVERSE].ids == sids("b a")


def test_the_neighbourhood_takes_the_most_trusted_first() -> None:
    graph = SkillGraph.of(
        sids("a b c d e"),
        (
            relation("a", "precedes", "b", Provenance.LLM, 0.9),
            relation("a", "precedes", "c", Provenance.CURATED, 0.6),
            relation("a", "similar_to", "d", Provenance.CURATED, 1.0),
            relation("c", "precedes", "e", Provenance.DERIVED, 0.6),
        ),
    )
    few = near(graph, sids("a"), replace(DiffuseSettings(), max_nodes=2))
    assert few.ids == sids("a c")
    assert near(graph, sids("a"), DiffuseSettings()).ids == sids("a b c e")  # similar_to leads nowhere
    assert near(graph, sids("a"), replace(DiffuseSettings(), hops=1)).ids == sids("a b c")


# --- words -------------------------------------------------------------------------------------------


def many(gold: str) -> tuple[str, dict[str, Cell]]:
    """Twenty pairs ``b0 requires a0``, …; a query finds b surely and d hardly."""
    names = " ".join(f"{letter}{at}" for at in range(20) for letter in "abd")
    subject = ranked_subject(
        names,
        *(relation(f"b{at}", "requires", f"a{at}") for at in range(20)),
        listed={f"q{at}": f"b{at}=0.9 d{at}=0.1" for at in range(20)},
    )
    tasks = [task(f"q{at}", " ".join(f"{letter}{at}" for letter in gold)) for at in range(20)]
    section = run(subject, inputs(sets=(query_set(*tasks),), settings=replace(SETTINGS, top_k=2)))
    return section.answer, cells(table_of(section, "set, bundle: each arm"), "reverse, completeness")


def test_twenty_tasks_that_only_the_graph_completes_are_evidence() -> None:
    answer, row = many("ab")
    assert answer.startswith("Does the graph help completeness here? Yes, of bundles on set.\nset: ")
    assert "It brought 20 skills into 20 bundles that flat did not show; 20 of them are gold." in answer
    assert row["p"] == 1 / 2001  # 2 of 2^20 flips reach it


def test_twenty_tasks_that_the_graph_spoils_are_evidence_of_harm() -> None:
    answer, row = many("bd")
    assert "here? It harms that of bundles on set.\nset: " in answer
    assert row["won : lost"] == "0 : 20"


def test_few_tasks_are_no_evidence_and_are_called_few() -> None:
    section = run(SUBJECT, inputs(sets=(SET,)))
    assert "There is no evidence that it does." in section.answer
    assert section.warnings == ("set: 2 tasks are few; one task more or less changes the outcome",)


def test_one_task_is_no_evidence_though_its_interval_leaves_zero_out() -> None:
    section = run(SUBJECT, inputs(sets=(query_set(task("one", "a b")),)))
    gap = cells(table_of(section, "set, bundle: each arm"), "reverse, completeness")["difference"]
    assert gap == Interval(1.0, 1.0, 1.0, 1)  # there is nothing else to draw
    assert "There is no evidence that it does.\nset: a hint, but no evidence" in section.answer


def test_what_makes_a_comparison_doubtful_is_told() -> None:
    bare = ranked_subject("a", listed={"one": "a"})
    lost = query_set(task("x", "", missing=("gone",)), name="lost")
    section = run(bare, inputs(sets=(query_set(task("one", "a"), task("nothing", "a")), lost)))
    told = " / ".join(section.warnings)
    assert "no graph is stored, so every arm is flat" in told
    assert "lost: no gold skill is in this library; the set is left out" in told
    assert "set: 1 of 2 bundles are empty" in told
    assert {table.caption.partition(",")[0] for table in section.tables} == {"set"}


def test_without_gold_nothing_is_said() -> None:
    section = run(SUBJECT, inputs(sets=(query_set(task("x", "", missing=("gone",))),)))
    assert section.answer == "No task has a gold skill in this library: nothing can be said."
    assert (section.tables, section.plots, section.samples) == ((), (), {})

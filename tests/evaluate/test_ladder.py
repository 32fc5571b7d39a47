"""The ladder from end to end, on rankings that are given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from statsmodels.stats.contingency_tables import mcnemar

from skillquiver.evaluate import ladder
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Interval, Section
from skillquiver.skills.records import TokenCounts
from skillquiver.testing import HashEncoder
from tests.evaluate.graph_subjects import cells, inputs, relation, table_of, value
from tests.evaluate.ranked_subjects import CARD, RankedSubject, query_set, ranked_subject, sid, task

FILLERS = " ".join(f"f{at}" for at in range(1, 21))
"""Skills that no relation joins."""

NEIGHBOURS = ("early", "late")
"""What typed relations join to ``entry``."""

RELATIONS = (
    relation("entry", "requires", "early"),
    relation("entry", "precedes", "late"),
    relation("far", "requires", "late"),
    relation("entry", "similar_to", "f1", by="embedding"),
    relation("named", "requires", "beside"),
)

LISTED = {
    "right": f"entry {FILLERS}",
    "beside": f"entry {FILLERS}",
    "second": f"entry {FILLERS}",
    "missed": f"entry {FILLERS}",
}

SET = query_set(task("right", "entry"), task("beside", "early"), task("second", "f1"), task("missed", "far"))


def subject(*relations: object, **options: object) -> RankedSubject:
    known = {"listed": LISTED, "by_ranker": {"bm25 card": dict.fromkeys(LISTED, "named entry")}}
    names = f"entry early late far named beside {FILLERS}"
    return ranked_subject(names, *(relations or RELATIONS), **(known | options))  # type: ignore[arg-type]


def run(*sets: QuerySet, of: RankedSubject | None = None) -> Section:
    return ladder.run(of or subject(), inputs(sets=sets or (SET,)))


# --- rungs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rung", "hits", "skills"),
    [
        ("name match@1", 0, 1.0),  # named
        ("graph alone, typed", 0, 1.0),  # beside
        ("graph alone, similar_to", 0, 0.0),
        ("hybrid@1", 1, 1.0),
        ("hybrid@1 + typed", 2, 3.0),  # entry, early, late
        ("hybrid@1 + similar_to", 2, 2.0),  # entry, f1
        ("hybrid@6", 2, 6.0),
        ("hybrid@10", 2, 10.0),
    ],
)
def test_rungs_by_hand(rung: str, hits: int, skills: float) -> None:
    row = cells(table_of(run(), "set: 4 queries, gold among"), rung)
    assert value(row["hit"]) == hits / 4
    assert (row["skills"], row["card tokens"]) == (skills, skills * CARD)


def test_samples_are_the_hits_of_every_query() -> None:
    samples = run().samples
    assert samples["set: hybrid@1 + typed"] == {"right": 1.0, "beside": 1.0, "second": 0.0, "missed": 0.0}


def test_replicates_are_averaged_on_every_rung() -> None:
    joined = query_set(*(replace(one, cluster="same") for one in SET.tasks[:2]), *SET.tasks[2:])
    found = cells(table_of(run(joined), "set: 4 queries, gold"), "hybrid@1")["hit"]
    assert isinstance(found, Interval)
    assert (found.value, found.n) == (pytest.approx((0.5 + 0 + 0) / 3), 3)


# --- tables ------------------------------------------------------------------------------------------


def test_substitution_is_tested_with_mcnemars_exact_test() -> None:
    row = cells(table_of(run(), "set: first ranks of hybrid"), "typed 1 + 5, skills")
    # entry early late against entry f1 f2: early is shown by neighbours alone, f1 by ranks alone
    assert (row["with graph"], row["ranks alone"]) == (2 / 4, 2 / 4)
    assert row["only one : only other"] == "1 : 1"
    assert row["p"] == pytest.approx(mcnemar([[1, 1], [1, 1]], exact=True).pvalue)
    assert row["neighbours"] == 2


def test_every_kind_of_relation_has_a_row_of_its_own() -> None:
    table = table_of(run(), "set: the first rank and up to five")
    assert {row[0]: row[1] for row in table.rows} == {
        "type precedes": 1,
        "type requires": 3,
        "type similar_to": 1,
        "provenance derived": 5,
        "source embedding": 1,
        "source reference": 4,
    }
    assert cells(table, "type requires")["with graph"] == 2 / 4
    assert cells(table, "type precedes")["with graph"] == 1 / 4


def test_the_reach_of_misses_counts_steps() -> None:
    table = table_of(run(), "set: 2 queries without gold in hybrid@10")  # early and far are missed
    shares = [value(cells(table, f"typed, from the first 1, {hops} hops")["reached"]) for hops in (1, 2, 3)]
    assert shares == [1 / 2, 1.0, 1.0]  # entry-early, entry-late-far
    assert value(cells(table, "similar_to, from the first 1, 3 hops")["reached"]) == 0.0


def test_a_wrong_entry_may_still_lead_to_gold() -> None:
    row = cells(table_of(run(), "Where hybrid@1 is wrong"), "set, typed")
    assert tuple(row.values())[1] == 3
    assert (value(row["neighbours"]), value(row["ranks 2-6"])) == (1 / 3, 1 / 3)  # early; f1
    assert (row["both"], row["only neighbours"], row["only ranks"]) == (0, 1, 1)


def test_the_products_expansion_is_one_way_to_order_anew() -> None:
    row = cells(table_of(run(), "set: the first 10 of hybrid"), "the product's expansion")
    assert (row["after"], row["before"]) == (1 / 4, 1 / 4)  # nothing lifts a filler above the entry


# --- several sets ------------------------------------------------------------------------------------


def test_several_sets_are_told_together_as_well() -> None:
    section = run(SET, replace(SET, name="other"))
    assert any(table.caption.startswith("all sets: 8 queries") for table in section.tables)
    assert "\nOn all sets: " in section.answer
    assert not any(name.startswith("all sets") for name in section.samples)


def test_a_query_that_stands_in_two_files_is_one_task_of_all_sets() -> None:
    again = QuerySet(
        "other", tuple(replace(one, query_id=f"{one.query_id}-2", cluster=one.query_id) for one in SET.tasks)
    )
    once = cells(table_of(run(SET), "set: 4 queries, gold"), "hybrid@1 + typed")["hit"]
    twice = cells(table_of(run(SET, again), "all sets: 8 queries"), "hybrid@1 + typed")["hit"]
    assert isinstance(once, Interval)
    assert isinstance(twice, Interval)
    assert (twice.n, twice.high - twice.low) == (once.n, once.high - once.low)


def test_equal_ids_of_two_files_are_not_the_same_query() -> None:
    other = query_set(task("1", "entry"), name="other")
    here = query_set(task("1", "far"), name="here")
    listed = subject(listed={"a": f"entry {FILLERS}", "b": f"entry {FILLERS}"}, by_ranker={"bm25 card": {}})
    section = run(
        *(QuerySet(of.name, (replace(of.tasks[0], query=text),)) for of, text in ((here, "a"), (other, "b"))),
        of=listed,
    )
    found = cells(table_of(section, "all sets: 2 queries"), "hybrid@1")["hit"]
    assert isinstance(found, Interval)
    assert (found.value, found.n) == (0.5, 2)


# --- words -------------------------------------------------------------------------------------------


def test_few_queries_are_no_evidence() -> None:
    section = run()
    assert section.answer.startswith(
        "Does the graph help entry retrieval here? There is no evidence that it does.\nOn set: no "
        "evidence that showing typed neighbours of hybrid@1 instead of as many more ranks changes"
    )
    assert "of 2 queries without gold in the first ten, 100.0%" in section.answer
    assert any("4 tasks are few" in warning for warning in section.warnings)


def wins(gold: str) -> str:
    """The answer on forty queries whose gold is the same side's."""
    names = " ".join(f"e{at} n{at} s{at}" for at in range(40))
    many = ranked_subject(
        f"{names} {FILLERS}",
        *(relation(f"e{at}", "requires", f"n{at}") for at in range(40)),
        listed={f"q{at}": f"e{at} s{at} {FILLERS}" for at in range(40)},
    )
    return run(query_set(*(task(f"q{at}", f"{gold}{at}") for at in range(40))), of=many).answer


def test_neighbours_that_alone_show_the_gold_of_forty_queries_are_evidence() -> None:
    answer = wins("n")
    assert "here? Yes: its neighbours beat as many more ranks." in answer
    assert "by gold skill 40 : 0, p < 0.0001" in answer
    assert "better than as many ranks, before correction: type requires" in answer
    assert "p = 0.0000" not in answer


def test_ranks_that_alone_show_the_gold_of_forty_queries_are_evidence_against() -> None:
    answer = wins("s")
    assert "here? No: at equal budget more ranks are better." in answer
    assert "no kind of relation alone shows gold that as many ranks miss" in answer


def test_the_answer_is_about_as_many_skills_not_as_many_tokens() -> None:
    few = subject()
    long = {i: replace(s, tokens=TokenCounts(card=60)) for i, s in few.skills.items() if s.name in NEIGHBOURS}
    section = run(query_set(task("right", "f5")), of=replace(few, skills={**few.skills, **long}))
    table = table_of(section, "set: first ranks of hybrid")
    assert cells(table, "typed 1 + 5, skills")["only one : only other"] == "0 : 0"
    assert cells(table, "typed 1 + 5, tokens")["only one : only other"] == "0 : 1"  # 130 tokens: 13 ranks
    assert "neighbours of hybrid@1 instead of as many more ranks" in section.answer
    assert "better in 0 and worse in 0 of 1 tasks" in section.answer
    assert "worse in 1" not in section.answer


def test_without_relations_or_gold_the_answer_says_so() -> None:
    bare = replace(subject(), graph=ranked_subject("entry").graph, degraded="no vectors")
    section = run(of=bare)
    assert section.answer == "The graph holds no relation: it can neither help nor harm."
    assert "the ranking is degraded: no vectors" in section.warnings
    assert len(section.tables) == 1  # the ladder: name match and ranks
    lost = query_set(task("x", "", missing=("gone",)))
    assert run(lost).answer == "No query has a gold skill in this library."


def test_equal_neighbours_come_by_cosine_and_without_vectors_by_id() -> None:
    names = [f"s{at}" for at in range(6)]
    made = ranked_subject(
        f"entry {' '.join(names)}",
        *(relation("entry", "precedes", name) for name in names),
        listed={"q": "entry"},
    )
    close = replace(made.skills[sid("s5")], description=made.skills[sid("entry")].description)
    wanted = query_set(task("q", "s5"))  # the sixth by id, and five are shown
    for encoder, hits in ((HashEncoder(), 1.0), (None, 0.0)):
        subject = replace(made, skills={**made.skills, sid("s5"): close}, encoder=encoder)
        rungs = table_of(run(wanted, of=subject), "set: 1 queries, gold")
        assert value(cells(rungs, "hybrid@1 + typed")["hit"]) == hits


def test_a_query_that_finds_nothing_misses_on_every_rung() -> None:
    section = run(query_set(task("unheard of", "entry")))
    assert {sum(sample.values()) for name, sample in section.samples.items() if "name" not in name} == {0.0}
    row = cells(table_of(section, "set: the first 10 of hybrid"), "the product's expansion")
    assert (row["after"], row["before"]) == (0.0, 0.0)

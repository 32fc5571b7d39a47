"""The product with parts off, on rankings that are given for each ranker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skillquiver.evaluate.ablation import FULL, Part, parts_of, run
from skillquiver.evaluate.results import Interval, Section
from skillquiver.evaluate.subject import RANKERS
from skillquiver.retrieve.diffuse import Arm
from tests.evaluate.graph_subjects import SETTINGS, cells, inputs, relation, table_of, value
from tests.evaluate.ranked_subjects import RankedSubject, query_set, ranked_subject, task

SECOND = {"one": "b=0.9 d=0.9", "one again": "b=0.9", "two": "c=0.9"}
HYBRID = {"one": "d=0.9 b=0.9", "one again": "b=0.9", "two": "c=0.9"}
DENSE = {"one": "d=0.9", "one again": "d=0.9", "two": "d=0.9 c=0.9"}

SUBJECT = ranked_subject(
    "a b c d e",
    relation("b", "requires", "a"),  # the graph leads up from b to a
    relation("c", "precedes", "e"),  # and on from c to e
    by_ranker={"second stage": SECOND, "hybrid": HYBRID, "dense": DENSE},
)
SET = query_set(
    task("one", "b a", cluster="one"), task("one again", "b a", cluster="one"), task("two", "c e")
)


def measured(ranker: str = "second stage", of: RankedSubject = SUBJECT) -> Section:
    return run(of, inputs(sets=(SET,), settings=replace(SETTINGS, ranker=ranker)))


# --- parts -------------------------------------------------------------------------------------------


def test_every_part_switches_off_one_thing() -> None:
    full = RANKERS["second stage"]
    assert parts_of("second stage") == (
        Part(FULL, full),
        Part("lexical only", replace(full, dense_weight=0.0, rerank_depth=0)),
        Part("dense only", RANKERS["dense"]),
        Part("without second stage", RANKERS["hybrid"]),
        Part("without graph", full, Arm.FLAT),
        Part("without reverse transitions", full, Arm.FORWARD),
    )


@pytest.mark.parametrize(
    ("ranker", "first"),
    [
        ("hybrid", ["lexical only", "dense only"]),
        ("bm25", []),  # it has one kind of channel only: nothing is left of the other
        ("bm25 card", []),
        ("dense", []),
    ],
)
def test_a_part_that_the_ranker_lacks_cannot_be_switched_off(ranker: str, first: list[str]) -> None:
    names = [part.name for part in parts_of(ranker)]
    assert names == [FULL, *first, "without graph", "without reverse transitions"]


@pytest.mark.parametrize("ranker", RANKERS)
def test_no_part_ranks_by_nothing_or_as_another_does(ranker: str) -> None:
    parts = parts_of(ranker)
    assert len({(part.ranker, part.arm) for part in parts}) == len(parts)
    for one in (part.ranker for part in parts):
        assert one.full_weight + one.card_weight + one.name_weight + one.dense_weight > 0


# --- figures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        # "one" and "one again" are one task. The full product: b first, a from b, c first, e from c
        (FULL, {"hit@1": 1.0, "recall@8": 0.5, "bundle recall": 1.0, "bundle completeness": 1.0}),
        ("without second stage", {"hit@1": (0.5 + 1) / 2, "recall@8": 0.5, "bundle completeness": 1.0}),
        ("dense only", {"hit@1": 0.0, "recall@8": (0 + 0.5) / 2, "bundle recall": (0 + 1) / 2}),
        ("dense only", {"bundle completeness": (0 + 1) / 2}),
        ("without graph", {"bundle recall": 0.5, "bundle completeness": 0.0}),
        ("without reverse transitions", {"bundle recall": (0.5 + 1) / 2, "bundle completeness": 0.5}),
    ],
)
def test_levels_by_hand(part: str, expected: dict[str, float]) -> None:
    row = cells(table_of(measured(), "set: 3 queries"), part)
    for measure, wanted in expected.items():
        assert value(row[measure]) == pytest.approx(wanted)


def test_parts_that_rank_alike_have_no_figures_of_ranking() -> None:
    section = measured()
    row = cells(table_of(section, "set: 3 queries"), "without graph")
    assert (row["hit@1"], row["recall@8"]) == (None, None)
    assert "set: without graph, hit@1" not in section.samples


@pytest.mark.parametrize(
    ("row", "difference", "score"),
    [
        ("without second stage, hit@1", -0.25, "0 : 1"),  # half of the first task
        ("dense only, hit@1", -1.0, "0 : 2"),
        ("without graph, bundle completeness", -1.0, "0 : 2"),
        ("without reverse transitions, bundle completeness", -0.5, "0 : 1"),
        ("without second stage, bundle recall", 0.0, "0 : 0"),
    ],
)
def test_differences_are_part_off_minus_full_over_tasks(row: str, difference: float, score: str) -> None:
    found = cells(table_of(measured(), "set: with a part off"), row)
    assert value(found["difference"]) == pytest.approx(difference)
    assert found["better : worse"] == score
    gap = found["difference"]
    assert isinstance(gap, Interval)
    assert gap.n == 2


def test_the_full_product_is_not_compared_with_itself() -> None:
    rows = [str(row[0]) for row in table_of(measured(), "set: with a part off").rows]
    assert not any(row.startswith(FULL) for row in rows)
    assert len(rows) == 3 * 4 + 2 * 2  # three parts with all four measures, two with those of bundles


# --- words -------------------------------------------------------------------------------------------


def test_the_answer_claims_nothing_of_two_tasks() -> None:
    answer = measured("hybrid").answer
    assert "a hint, but no evidence, that dense only ranking lowers hit@1 (-" in answer
    assert "that the product without graph lowers bundle completeness (-1.000" in answer
    assert "after Holm's correction for 12 tests" in answer  # two parts by four measures, two by two
    assert "p = 0.0000" not in answer


def test_a_degraded_ranking_is_told() -> None:
    section = measured(of=replace(SUBJECT, degraded="no vectors"))
    assert "rows of missing parts say nothing: no vectors" in section.warnings[-1]


def test_without_gold_nothing_is_compared() -> None:
    section = run(SUBJECT, inputs(sets=(query_set(task("x", "", missing=("gone",))),)))
    assert (section.answer, section.tables) == ("No query has a gold skill in this library.", ())

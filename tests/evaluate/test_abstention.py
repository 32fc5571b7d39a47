from __future__ import annotations

from collections.abc import Mapping

import pytest

from skillquiver.evaluate.abstention import Abstention, abstention, wrong_firsts
from skillquiver.evaluate.answers import Answer
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Cell, Interval, Table
from skillquiver.settings import EvalSettings
from tests.evaluate.scripted import task

FEW = EvalSettings(draws=500)
NONE, SOME = Answer(("x",), 0.0, none=True), Answer(("x",), 0.9, none=False)


def found(*said: tuple[Task, Answer], ranker: str = "hybrid") -> Abstention:
    queries = QuerySet("set", tuple(one for one, _ in said))
    return abstention([(queries, {ranker: {one.query_id: answer for one, answer in said}})], FEW)


def cells(table: Table, ranker: str = "hybrid") -> Mapping[str, Cell]:
    (row,) = [row for row in table.rows if row[0] == ranker]
    return dict(zip(table.columns, row, strict=True))


def values(table: Table) -> list[object]:
    return [cell.value if isinstance(cell, Interval) else cell for cell in table.rows[0][1:]]


def off(name: str, **fields: object) -> Task:
    return task(name, name, **fields)


def answerable(name: str) -> Task:
    return task(name, name, "x")


# --- saying "none" ---------------------------------------------------------------------------------


def test_precision_and_recall_of_none_by_hand() -> None:
    said = [(off(f"off{at}"), NONE if at < 3 else SOME) for at in range(4)]  # 3 of 4 declined
    said += [(answerable(f"q{at}"), NONE if at < 1 else SOME) for at in range(5)]  # 1 of 5 declined
    told = found(*said)
    (table,) = told.tables
    assert values(table) == [3 / 4, 3 / 4, 1 / 5]
    assert "4 queries are off topic" in table.caption
    assert "declines 0.750" in told.answer
    assert "and 0.200" in told.answer


def test_precision_and_recall_are_not_the_same_share() -> None:
    said = [(off("off0"), NONE), (off("off1"), SOME), (off("off2"), SOME), (answerable("q"), NONE)]
    assert values(found(*said).tables[0]) == [1 / 2, pytest.approx(1 / 3), 1.0]


def test_what_nobody_knows_the_answer_of_counts_for_neither() -> None:
    said = [
        (off("off"), NONE),
        (off("gone", missing=("elsewhere",)), NONE),
        (off("rejects", rejects=True), NONE),
    ]
    assert values(found(*said).tables[0]) == [1.0, 1.0, None]


def test_who_declines_nothing_has_no_precision() -> None:
    told = found((off("off"), SOME), (answerable("q"), SOME))
    assert values(told.tables[0]) == [None, 0.0, 0.0]
    assert "declines 0.000" in told.answer


def test_queries_that_are_resampled_together_are_one_unit() -> None:
    said = [(off("1", cluster="t"), NONE), (off("2", cluster="t"), NONE), (off("3"), SOME)]
    recall = cells(found(*said).tables[0])["recall"]
    assert isinstance(recall, Interval)
    assert (recall.value, recall.n) == (0.5, 2)


def test_without_an_off_topic_query_nothing_is_said() -> None:
    assert found((answerable("q"), NONE)) == Abstention()
    assert abstention([], FEW) == Abstention()


def test_only_rankers_whose_confidence_was_fitted_are_asked() -> None:
    assert found((off("off"), NONE), ranker="bm25") == Abstention()
    assert [row[0] for row in found((off("off"), NONE), ranker="second stage").tables[0].rows] == [
        "second stage"
    ]


def test_one_id_in_two_files_is_two_queries() -> None:
    sets = [
        (QuerySet(name, (off("1", cluster=name),)), {"hybrid": {"1": said}})
        for name, said in (("a", NONE), ("b", SOME))
    ]
    recall = cells(abstention(sets, FEW).tables[0])["recall"]
    assert isinstance(recall, Interval)
    assert (recall.value, recall.n) == (0.5, 2)


# --- skills that must not be found -----------------------------------------------------------------


def rejecting(name: str) -> Task:
    return off(name, rejects=True, not_gold=frozenset({"bad"}))


def test_how_often_what_must_not_be_found_comes_first_or_early() -> None:
    lists = [("bad", "a"), ("a", "bad"), ("a", "b", "c", "d", "bad"), ("a", "b", "c", "d", "e", "bad")]
    tasks = [rejecting(f"q{at}") for at in range(4)] + [answerable("other")]
    answers = {f"q{at}": Answer(ids, 0.5, none=at == 3) for at, ids in enumerate(lists)} | {"other": SOME}
    said = {"bm25": answers, "hybrid": answers}
    (table,) = wrong_firsts([(QuerySet("set", tuple(tasks)), said)], FEW)
    row = cells(table)
    assert row["queries"] == 4
    assert [row[name].value for name in ("first", "among the first 5", "declined")] == [0.25, 0.75, 0.25]  # type: ignore[union-attr]
    assert cells(table, "bm25")["declined"] is None


def test_a_file_that_names_nothing_wrong_has_no_such_table() -> None:
    said = {"hybrid": {"q": SOME}}
    assert wrong_firsts([(QuerySet("set", (answerable("q"),)), said)], FEW) == ()
    assert wrong_firsts([], FEW) == ()

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate.qrels import Query, Task, judge, read_equivalents, read_queries
from skillquiver.types import SkillId

IDS = [SkillId(i) for i in ("a/x/pdf", "b/x/pdf", "b/mail", "b/mail2")]


def line(**fields: object) -> str:
    return json.dumps({"query_id": "q", "query": "words", "gold": []} | fields)


def query(query_id: str, *gold: str, text: str = "", task: str = "", not_gold: Sequence[str] = ()) -> Query:
    return Query(query_id=query_id, query=text or query_id, gold=gold, task=task, not_gold=tuple(not_gold))


def one(asked: Query, **same: Sequence[str]) -> Task:
    return judge([asked], IDS, same, name="set").tasks[0]


# --- reading ---------------------------------------------------------------------------------------


def test_a_line_becomes_a_query() -> None:
    text = line(gold=["a", "a", "b"], not_gold=["c"], tags=["direct"], name_leak=True, task="t")
    assert read_queries(f"{text}\n\n", origin="file") == (
        Query(
            query_id="q",
            query="words",
            gold=("a", "b"),
            not_gold=("c",),
            tags=("direct", "name_leak"),
            task="t",
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "must be an object"),
        (line(query_id=""), "`query_id` must be a text"),
        (line(query=3), "`query` must be a text"),
        (line(task=3), "`task` must be a text"),
        (line(gold="a"), "`gold` must be a list of texts"),
        (line(not_gold=[1]), "`not_gold` must be a list of texts"),
        (json.dumps({"query_id": "q", "query": "w"}), "`gold` is missing"),
        (f"{line()}\n{line()}", "line 2: query_id 'q' was used before"),
        ("\n", "holds no query"),
    ],
)
def test_what_is_no_query_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_queries(text, origin="file")


def test_only_a_line_feed_ends_a_line() -> None:
    words = "one\u2028two\x85three"
    text = json.dumps({"query_id": "q", "query": words, "gold": []}, ensure_ascii=False)
    (found,) = read_queries(f"{text}\r\n", origin="file")
    assert found.query == words


def test_equivalents_are_an_object_of_lists() -> None:
    assert read_equivalents('{"a": ["b"]}', origin="file") == {"a": ("b",)}
    for text in ("{", "[]", '{"a": "b"}'):
        with pytest.raises(UsageError, match="file"):
            read_equivalents(text, origin="file")


# --- judging ---------------------------------------------------------------------------------------


def test_a_gold_id_without_its_root_label_means_any_root() -> None:
    assert one(query("q", "x/pdf")).gold == (frozenset({"a/x/pdf", "b/x/pdf"}),)
    assert one(query("q", "a/x/pdf")).gold == (frozenset({"a/x/pdf"}),)
    assert one(query("q", "elsewhere/mail")).gold == (frozenset({"b/mail"}),)


def test_gold_that_the_library_does_not_hold_is_missing() -> None:
    task = one(query("q", "b/mail", "b/gone"))
    assert (task.gold, task.missing, task.wanted) == ((frozenset({"b/mail"}),), ("b/gone",), 2)


def test_an_equivalent_counts_as_the_skill_also_where_the_skill_is_not_held() -> None:
    assert one(query("q", "b/gone"), **{"b/gone": ["b/mail"]}).gold == (frozenset({"b/mail"}),)


def test_gold_skills_that_do_as_well_as_one_another_are_one() -> None:
    task = one(query("q", "b/mail", "b/mail2", "a/x/pdf"), **{"b/mail": ["b/mail2"]})
    assert task.gold == (frozenset({"b/mail", "b/mail2"}), frozenset({"a/x/pdf"}))


def test_only_a_query_that_names_nothing_at_all_is_off_topic() -> None:
    assert one(query("q")).off_topic
    assert not one(query("q", "b/gone")).off_topic
    assert not one(query("q", not_gold=["b/gone"])).off_topic
    assert one(query("q", not_gold=["b/mail"])).not_gold == {"b/mail"}


def test_queries_with_one_task_or_one_text_are_one_unit() -> None:
    asked = [
        query("1", text="Merge  PDFs"),
        query("2", text="merge pdfs", task="t"),
        query("3", text="other", task="t"),
        query("4", text="alone"),
    ]
    tasks = judge(asked, IDS, {}, name="set").tasks
    assert [task.cluster for task in tasks] == ["1", "1", "1", "4"]


def test_a_set_is_measured_on_what_the_library_can_answer() -> None:
    found = judge([query("1", "b/mail"), query("2"), query("3", "b/gone")], IDS, {}, name="set")
    assert [task.query_id for task in found.answerable] == ["1"]

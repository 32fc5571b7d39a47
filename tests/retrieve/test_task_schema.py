"""The schema of a task: bounds, and the query composed from it."""

from __future__ import annotations

from skillquiver.retrieve.task_schema import (
    GOAL_CHARACTERS,
    ITEM_CHARACTERS,
    LIMITS,
    TaskSchema,
    bounded,
    compose,
)


def test_the_query_is_goal_operations_artifacts_and_keywords_a_line_each() -> None:
    schema = TaskSchema(
        goal="Chart the sales.",
        operations=("read the table", "draw a line chart"),
        artifacts=(".xlsx", "sales.xlsx"),
        constraints=("must be blue",),
        keywords=("sales", "quarter"),
    )
    assert compose(schema) == (
        "Chart the sales.\nread the table; draw a line chart\n.xlsx, sales.xlsx\nsales quarter"
    )


def test_an_empty_schema_is_an_empty_query_and_empty_parts_leave_no_lines() -> None:
    assert compose(TaskSchema()) == ""
    assert compose(TaskSchema(keywords=("pdf",))) == "pdf"


def test_items_are_cut_at_a_word_counted_and_named_once() -> None:
    long = "word " * 40
    schema = bounded(TaskSchema(operations=(long, long, " "), keywords=tuple(map(str, range(100)))))
    (operation,) = schema.operations
    assert len(operation) <= ITEM_CHARACTERS
    assert operation.split() == ["word"] * 24  # 24 words and 23 blanks: 119 characters
    assert schema.keywords == tuple(map(str, range(LIMITS["keywords"])))


def test_a_goal_without_blanks_is_cut_at_the_limit() -> None:
    assert bounded(TaskSchema(goal="x" * 1000)).goal == "x" * GOAL_CHARACTERS


def test_terminal_escapes_and_line_breaks_do_not_survive() -> None:
    schema = bounded(TaskSchema(goal="a\x1b[31mb\nc", artifacts=("x\u202ey",)))
    assert schema.goal == "ab c"
    assert schema.artifacts == ("x\N{REPLACEMENT CHARACTER}y",)

"""What the rules read out of a task."""

from __future__ import annotations

import pytest

from skillquiver.retrieve.task_rules import READ_CHARACTERS, schema_by_rules
from skillquiver.retrieve.task_schema import TaskSchema

TASK = """\
# Task: Publish the Rainfall Report

The weather office (https://weather.example/about) keeps its readings in `/data/readings/rain.csv`.
You need to publish a monthly report.

## Steps

1. **Read** the readings with `pandas`.
2. Plot the monthly totals: one bar a month.
- [ ] Save the chart to `/out/chart.png` in the following format:

```json
{"secret_key": "banana"}
```

| column | meaning |
| --- | --- |
| zebra | an animal |

Readings below zero must not be counted. The monthly totals are checked by Quality Control.
"""


def test_the_goal_is_the_title_the_first_sentence_and_what_is_wanted() -> None:
    assert schema_by_rules(TASK).goal == (
        "Publish the Rainfall Report. The weather office keeps its readings in /data/readings/rain.csv. "
        "You need to publish a monthly report."
    )


def test_operations_are_the_orders_up_to_their_asides() -> None:
    assert schema_by_rules(TASK).operations == (
        "Read the readings with pandas",
        "Plot the monthly totals",
        "Save the chart to /out/chart.png",
    )


def test_artifacts_are_types_by_frequency_and_file_names() -> None:
    assert schema_by_rules(TASK).artifacts == (".csv", ".png", "rain.csv", "chart.png")


def test_constraints_are_sentences_that_limit() -> None:
    assert schema_by_rules(TASK).constraints == ("Readings below zero must not be counted.",)


def test_keywords_begin_with_names_and_leave_out_fences_tables_headings_addresses_and_folders() -> None:
    keywords = schema_by_rules(TASK).keywords
    assert keywords[:5] == ("pandas", "Rainfall", "Report", "Quality", "Control")
    assert keywords[5:7] == ("readings", "monthly")  # three times each, in this order
    assert not {"banana", "zebra", "steps", "weather.example", "out"} & set(keywords)


def test_of_words_with_one_stem_the_most_frequent_is_named() -> None:
    keywords = schema_by_rules("We draw charts. A chart has axes. All charts have titles.").keywords
    assert [word for word in keywords if word.startswith("chart")] == ["charts"]


def test_a_line_broken_for_its_length_is_one_sentence() -> None:
    task = (
        "We run a small bakery in the harbour and every morning\nbefore six we count the loaves.\nThen rest."
    )
    assert schema_by_rules(task).goal == (
        "We run a small bakery in the harbour and every morning before six we count the loaves."
    )


def test_a_lead_into_a_list_is_no_sentence() -> None:
    schema = schema_by_rules(
        "The mesh is broken.\n\nYou need to:\n1. Repair the broken mesh\n2. Measure its volume now"
    )
    assert schema.goal == "The mesh is broken. Repair the broken mesh"
    assert schema.operations == ("Measure its volume now",)


def test_a_task_without_orders_keeps_its_first_sentence_and_its_words() -> None:
    schema = schema_by_rules("Rust borrow checker errors in my parser.")
    assert schema.goal == "Rust borrow checker errors in my parser."
    assert schema.operations == ()
    assert schema.keywords == ("rust", "borrow", "checker", "errors", "parser")


def test_words_for_file_types_are_artifacts() -> None:
    assert schema_by_rules("Turn the PDF into a spreadsheet, then another PDF.").artifacts == (
        ".pdf",
        ".xlsx",
    )


def test_an_unclosed_fence_ends_with_the_text() -> None:
    assert "banana" not in schema_by_rules("Parse the log.\n```\nbanana banana").keywords


@pytest.mark.parametrize("text", ["", " \n ", "```\n```", "|a|b|", "# \n#"])
def test_a_text_without_words_is_an_empty_schema(text: str) -> None:
    assert schema_by_rules(text) == TaskSchema()


@pytest.mark.parametrize(
    "run", ["-", "#", " ", "/", "`", "```\n", "a.", "{", "/a", "need to ", "(https://", "- ", "*a_", "A+"]
)
def test_long_runs_are_read_in_one_pass(run: str) -> None:
    """A pattern that backtracks over 40,000 characters would run for hours."""
    schema = schema_by_rules(f"x, {run * READ_CHARACTERS}")
    assert len(schema.goal) <= 400


def test_what_stands_beyond_the_limit_is_not_read() -> None:
    assert schema_by_rules("word " * (READ_CHARACTERS // 5) + "banana").keywords == ("word",)

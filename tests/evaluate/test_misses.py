from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate import misses
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.results import Section, Table
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject
from tests.evaluate.examples import QUICK, inputs, make_library


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibrarySubject]:
    with open_subject(make_library(tmp_path_factory.mktemp("misses") / "library")) as opened:
        yield opened


def lines(*queries: dict[str, object]) -> str:
    return "\n".join(json.dumps({"query_id": str(at), "gold": [], **q}) for at, q in enumerate(queries))


def rows(section: Section) -> dict[str, tuple[object, ...]]:
    """Rows of the table of misses, by query id."""
    return {str(row[0]): row for table in section.tables[2:] for row in table.rows}


TASKS = lines(
    {"query": "Load this semicolon separated csv", "gold": ["data-analysis/load-csv"]},
    {"query": "bake a chocolate cake", "gold": ["data-analysis/load-csv"]},
    {"query": "resize images to webp", "gold": ["kitchen/bake"]},
    {"query": "resize images to webp", "not_gold": ["media/resize-images"]},
    {"query": "resize images to webp", "gold": ["media/subtitle-burn"]},
)


def test_every_task_is_complete_or_has_one_cause(subject: LibrarySubject) -> None:
    section = misses.run(subject, inputs(subject, TASKS))
    assert {name: row[2] for name, row in rows(section).items()} == {
        "1": "abstained",
        "2": "not in library",
        "3": "unwanted answer",
        "4": "retrieval miss",
    }
    counts = section.tables[0]
    assert dict(zip(counts.columns, counts.rows[0], strict=True)) | {"complete": None} == {
        "queries": "set",
        "tasks": 5,
        "complete": None,
        "unwanted answer": 1,
        "not in library": 1,
        "abstained": 1,
        "retrieval miss": 1,
        "partial bundle": 0,
        "order": 0,
    }


def test_the_share_of_complete_tasks_counts_tasks_with_one_text_once(subject: LibrarySubject) -> None:
    section = misses.run(subject, inputs(subject, TASKS))
    share = section.tables[0].rows[0][2]
    assert (share.value, share.n) == (pytest.approx(1 / 3), 3)  # type: ignore[union-attr]
    assert section.samples == {"set: complete bundle": {"0": 1.0, "1": 0.0, "2": 0.0, "3": 0.0, "4": 0.0}}
    assert section.answer.startswith("set: 33.3% [")


def test_a_row_names_the_skill_the_reason_and_what_to_do(subject: LibrarySubject) -> None:
    found = rows(misses.run(subject, inputs(subject, TASKS)))
    assert found["2"][3:] == (
        "kitchen/bake",
        None,
        "1 of 1 gold skills are not held",
        "install kitchen/bake, or correct the ids in the query file",
    )
    assert found["3"][5] == "the query names it as wrong"
    assert found["4"][3] == "samples/media/subtitle-burn"


def test_pairs_of_the_order_data_are_looked_at(subject: LibrarySubject) -> None:
    text = lines(
        {
            "query": "plot a time series of the csv",
            "gold": ["data-analysis/plot-time-series", "data-analysis/load-csv"],
        }
    )
    given = inputs(subject, text)
    task = given.sets[0].tasks[0]
    first = misses.run(subject, given)
    packed = [entry.id for entry in _bundle(subject, task.query)]
    gold = [i for i in packed if any(i in group for group in task.gold)]
    if len(gold) < 2:
        pytest.fail(f"the sample query should bring both: {packed}")
    assert rows(first) == {}
    edge = type("Edge", (), {"before": gold[1], "after": gold[0]})()
    turned = Inputs(sets=given.sets, order=(edge,), settings=QUICK)
    found = rows(misses.run(subject, turned))["0"]
    assert (found[2], found[5]) == ("order", f"{gold[0]} stands before {gold[1]}")


def _bundle(subject: LibrarySubject, query: str) -> tuple[object, ...]:
    from skillquiver.retrieve.diffuse import Arm

    return subject.bundle(query, arm=Arm.REVERSE, budget=QUICK.budget, max_skills=QUICK.top_k).entries


def test_plots_show_only_causes_that_there_are_and_ranks_by_band(subject: LibrarySubject) -> None:
    causes, ranks = misses.run(subject, inputs(subject, TASKS)).plots
    assert causes.series[0].x == ("unwanted answer", "not in library", "abstained", "retrieval miss")
    assert causes.series[0].y == (20.0, 20.0, 20.0, 20.0)
    assert ranks.series[0].x == ("1–8", "9–20", "21–50", "51–100", "none")
    assert sum(ranks.series[0].y) == 2


def test_without_a_miss_there_is_no_table_of_them(subject: LibrarySubject) -> None:
    text = lines({"query": "Load this semicolon separated csv", "gold": ["data-analysis/load-csv"]})
    section = misses.run(subject, inputs(subject, text))
    assert [len(table.rows) for table in section.tables] == [1, 0]
    assert "100.0%" in section.answer


def test_a_long_text_is_shown_by_its_beginning(subject: LibrarySubject) -> None:
    section = misses.run(subject, inputs(subject, lines({"query": "cake " * 60, "gold": ["nowhere"]})))
    table: Table = section.tables[2]
    assert len(str(table.rows[0][1])) <= misses.EXCERPT
    assert str(table.rows[0][1]).endswith("…")


def test_a_library_without_a_graph_and_few_tasks_are_warned_of(tmp_path: Path) -> None:
    with open_subject(make_library(tmp_path / "library", graph=False)) as bare:
        section = misses.run(bare, inputs(bare, TASKS))
    assert [text.partition(";")[0] for text in section.warnings] == [
        "set: only 5 tasks",
        "the library has no graph: bundles follow no relations",
    ]


def test_no_query_file_is_a_usage_error(subject: LibrarySubject) -> None:
    with pytest.raises(UsageError, match="needs a query file"):
        misses.run(subject, Inputs(sets=(), settings=QUICK))

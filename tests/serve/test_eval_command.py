"""`quiver eval run`, `report` and `render` as a user calls them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from skillquiver.evaluate.experiment import EXPERIMENTS
from skillquiver.evaluate.results import REPORT_SCHEMA
from skillquiver.serve.cli.eval_command import command
from tests.libraries import index, put
from tests.serve.eval_library import QUERIES, call, document, make, refusal, write


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("eval"))


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    return write(tmp_path / "queries.jsonl")


def beginning(text: str) -> str:
    """What a test is called after."""
    return text[:9]


# --- run -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_one_json_document_and_the_same_as_text(
    library: Path, queries: Path, name: str
) -> None:
    result = call(library, "run", name, queries, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    data = document(result)
    assert (data["schema"], data["name"], data["question"]) == (REPORT_SCHEMA, name, EXPERIMENTS[name])
    assert data["command"] == f"quiver eval run {name} {queries} --library {library}"
    text = call(library, "run", name, queries)
    assert (text.exit_code, text.stderr) == (0, "")
    assert text.stdout.startswith(f"## {data['title']}\n\n{EXPERIMENTS[name]}\n")
    assert all(f"Warning: {told}" in text.stdout for told in data["warnings"])


def test_values_of_every_query_are_in_the_document(library: Path, queries: Path) -> None:
    data = document(call(library, "run", "rankers", queries, "--json"))
    assert data["samples"]["queries: hybrid, hit@1"] == {"1": 1, "2": 1, "3": 1, "4": 1}
    assert data["clusters"] == {}


def test_replicates_of_a_task_are_told_to_whoever_compares_runs(library: Path, tmp_path: Path) -> None:
    file = write(
        tmp_path / "q.jsonl", [{**QUERIES[0], "task": "t"}, {**QUERIES[1], "task": "t"}, *QUERIES[2:]]
    )
    data = document(call(library, "run", "rankers", file, "--json"))
    assert data["clusters"] == {"1": "t", "2": "t"}


def test_units_of_an_experiment_that_are_no_tasks_are_told_too(library: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.jsonl"
    pair = {"before": "knead-dough", "after": "proof-loaves", "relation": "next", "corpus": "baking"}
    order.write_text(json.dumps(pair), encoding="utf-8")
    census = document(call(library, "run", "census", "--order", order, "--json"))
    assert census["clusters"] == {"root/knead-dough > root/proof-loaves: next": "baking"}
    sequence = document(call(library, "run", "sequence", "--order", order, "--json"))
    assert set(sequence["clusters"].values()) == {"baking"}
    sampled = {key for values in sequence["samples"].values() for key in values}
    assert sampled <= set(sequence["clusters"])


def test_sizes_of_a_library_are_compared_by_task(library: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "q.jsonl", [{**QUERIES[0], "task": "t"}, {**QUERIES[1], "task": "t"}])
    data = document(call(library, "run", "scaling", file, "--json"))
    sampled = {key for values in data["samples"].values() for key in values}
    assert {key: data["clusters"][key] for key in sampled} == {"q: 1": "t", "q: 2": "t"}


def test_sets_are_called_after_their_files(library: Path, queries: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "queries.more.jsonl")
    data = document(call(library, "run", "misses", queries, other, "--json"))
    assert set(data["samples"]) == {"queries: complete bundle", "queries.more: complete bundle"}


def test_echoes_are_left_out_if_asked_for_and_warned_of_if_not(library: Path, tmp_path: Path) -> None:
    echo = {"query_id": "echo", "query": "maps glaciers from photographs", "gold": ["map-glacier"]}
    file = write(tmp_path / "q.jsonl", [*QUERIES, echo])
    kept = document(call(library, "run", "misses", file, "--json"))
    assert any("q: an echo set: " in told for told in kept["warnings"])
    left = document(call(library, "run", "misses", file, "--reject-echo", "--json"))
    assert "echo" not in left["samples"]["q: complete bundle"]
    assert any("repeat a description: left out" in told for told in left["warnings"])
    assert left["command"].endswith(f" --reject-echo --library {library}")


def test_equivalents_are_as_good_as_the_gold_skill(library: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "q.jsonl", [{"query_id": "1", "query": "knead sourdough", "gold": ["gone"]}])
    same = tmp_path / "same.json"
    same.write_text(json.dumps({"gone": ["root/knead-dough"]}), encoding="utf-8")
    assert not document(call(library, "run", "rankers", file, "--json"))["samples"]
    data = document(call(library, "run", "rankers", file, "--equivalents", same, "--json"))
    assert data["samples"]["q: hybrid, hit@1"] == {"1": 1}


# --- report ----------------------------------------------------------------------------------------


def report(library: Path, queries: Path, out: Path, *words: str | Path) -> tuple[Result, dict[str, Any]]:
    result = call(library, "report", queries, "--out", out, *words)
    assert result.exit_code == 0, result.output
    return result, json.loads((out / "report.json").read_text(encoding="utf-8"))


def ran(result: Result) -> list[str]:
    """Experiments that standard error says were run."""
    return [line.partition(" ")[0] for line in result.stderr.splitlines()]


def names(data: dict[str, Any]) -> list[str]:
    return [section["name"] for section in data["sections"]]


def test_a_report_is_json_markdown_a_page_and_figures(library: Path, queries: Path, tmp_path: Path) -> None:
    result, data = report(library, queries, tmp_path / "r", "--only", "misses,rankers")
    assert result.stdout.splitlines() == [
        str(tmp_path / "r" / f"report.{kind}") for kind in ("json", "md", "html")
    ]
    assert (data["schema"], names(data), ran(result)) == (
        REPORT_SCHEMA,
        ["rankers", "misses"],
        ["rankers", "misses"],
    )
    about = data["about"]
    assert (about["library"], about["skills"], about["resumed"]) == ("library", 5, [])
    assert [file["name"] for file in about["files"]] == ["queries.jsonl"]
    assert "## What we found" in (tmp_path / "r" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "r" / "figures" / "rankers-1.svg").is_file()


def test_texts_that_no_encoding_holds_do_not_break_a_report(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    query = {
        "query_id": "\ud800",
        "query": "knead \ud800\u0000\x1b[2J",
        "gold": ["\udc00"],
        "tags": ["\ud800"],
    }
    file.write_text(f"{json.dumps(query)}\n{json.dumps(QUERIES[1])}\n", encoding="ascii")
    _, data = report(library, file, tmp_path / "r")
    assert names(data) == list(EXPERIMENTS)
    assert set(data["sections"][2]["samples"]["q: complete bundle"]) == {"?", "2"}
    assert not [name for name in names(data) if call(library, "run", name, file, "--json").exit_code]


def test_the_section_of_a_report_is_that_of_a_run(library: Path, queries: Path, tmp_path: Path) -> None:
    _, data = report(library, queries, tmp_path / "r", "--only", "misses")
    alone = document(call(library, "run", "misses", queries, "--json"))
    (section,) = data["sections"]
    for key in ("inputs", "seconds"):
        section.pop(key, None)
        alone.pop(key, None)
    assert section == {key: value for key, value in alone.items() if key != "schema"}


def test_skipped_experiments_are_not_run(library: Path, queries: Path, tmp_path: Path) -> None:
    skipped = set(EXPERIMENTS) - {"topology", "census", "misses"}
    _, data = report(
        library, queries, tmp_path / "r", "--skip", ", ".join(skipped), "--only", "census,echo,topology"
    )
    assert names(data) == ["topology", "census"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "best"], "no experiment called 'best'"),
        (["--only", "misses", "--skip", "rankers,best"], "no experiment called 'best'"),
        (["--only", "misses", "--skip", "misses"], "leave no experiment"),
    ],
)
def test_names_that_are_no_experiment_are_refused_before_anything_runs(
    library: Path, queries: Path, tmp_path: Path, words: list[str], told: str
) -> None:
    assert told in refusal(call(library, "report", queries, "--out", tmp_path / "r", *words))
    assert not (tmp_path / "r").exists()


def test_what_cannot_run_for_want_of_data_is_a_section_that_says_so(library: Path, tmp_path: Path) -> None:
    off_topic = write(tmp_path / "q.jsonl", QUERIES[-1:])
    _, data = report(library, off_topic, tmp_path / "r", "--only", "misses,scaling")
    assert names(data) == ["misses", "scaling"]
    (told,) = data["sections"][1]["warnings"]
    assert told.startswith("not run: scaling needs a query whose gold skill is in the library")
    result, _ = report(library, off_topic, tmp_path / "r", "--only", "misses,scaling", "--resume")
    assert ran(result) == ["scaling"]  # it may run now


def test_resumed_sections_are_those_of_the_same_inputs(library: Path, queries: Path, tmp_path: Path) -> None:
    out, words = tmp_path / "r", ("--only", "rankers,misses")
    _, first = report(library, queries, out, "--only", "rankers")
    result, data = report(library, queries, out, *words, "--resume")
    assert (ran(result), data["about"]["resumed"]) == (["misses"], ["rankers"])
    assert data["sections"][0] == first["sections"][0]
    assert ran(report(library, queries, out, *words, "--resume")[0]) == []
    assert ran(report(library, queries, out, *words)[0]) == ["rankers", "misses"]


def test_a_section_without_an_answer_or_tables_runs_again(
    library: Path, queries: Path, tmp_path: Path
) -> None:
    out, words = tmp_path / "r", ("--only", "misses", "--resume")
    _, data = report(library, queries, out, *words)
    (section,) = data["sections"]
    section["answer"] = ""
    del section["tables"]
    (out / "report.json").write_text(json.dumps(data), encoding="utf-8")
    assert ran(report(library, queries, out, *words)[0]) == ["misses"]


def test_what_decides_an_answer_makes_it_run_again(library: Path, queries: Path, tmp_path: Path) -> None:
    out, words = tmp_path / "r", ("--only", "misses", "--resume")

    def again(*more: str, of: Path = library) -> list[str]:
        return ran(report(of, queries, out, *words, *more)[0])

    assert again() == ["misses"]
    assert again() == []
    assert again("--ranker", "bm25") == ["misses"]
    assert again("--ranker", "bm25", "--reject-echo") == ["misses"]
    write(queries, QUERIES[1:])
    assert again("--ranker", "bm25", "--reject-echo") == ["misses"]
    copy = make(tmp_path / "copy")
    assert again("--ranker", "bm25", "--reject-echo", of=copy) == []  # the same skills elsewhere
    put(tmp_path / "copy" / "root", "new-one", "Is new.")
    index(copy, tmp_path / "copy" / "root", vectors=False)
    assert again("--ranker", "bm25", "--reject-echo", of=copy) == ["misses"]


@pytest.mark.parametrize(
    "text",
    ["{", "[" * 100_000, "[]", '{"schema": 99}', '{"schema": 1, "about": {}, "sections": [3]}'],
    ids=beginning,
)
def test_what_is_no_report_is_neither_resumed_nor_lost(
    library: Path, queries: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "report.json").write_text(text, encoding="utf-8")
    refusal(call(library, "report", queries, "--only", "misses", "--out", tmp_path / "r", "--resume"))
    assert (tmp_path / "r" / "report.json").read_text(encoding="utf-8") == text


def test_a_folder_that_cannot_be_written_is_refused(library: Path, queries: Path, tmp_path: Path) -> None:
    line = refusal(call(library, "report", queries, "--only", "misses", "--out", queries / "below"))
    assert "cannot write" in line
    assert "name another --out" in line
    assert "is a file" in refusal(call(library, "report", queries, "--out", queries))
    assert "Missing option '--out'" in refusal(call(library, "report", queries))
    assert "Missing argument 'QUERIES...'" in refusal(call(library, "report", "--out", tmp_path / "r"))


# --- render ----------------------------------------------------------------------------------------


def pages(folder: Path) -> dict[str, bytes]:
    """Bytes of every file but the report itself, by name."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name != "report.json")
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_rendering_writes_the_pages_of_the_report_again(library: Path, queries: Path, tmp_path: Path) -> None:
    report(library, queries, tmp_path / "r", "--only", "rankers,topology")
    result = call(library, "render", tmp_path / "r" / "report.json", "--out", tmp_path / "again")
    assert (result.exit_code, result.stderr) == (0, "")
    drawn, again = pages(tmp_path / "r"), pages(tmp_path / "again")
    assert again == drawn
    assert {"report.md", "report.html", "figures/rankers-1.svg"} <= set(again)


def test_rendering_needs_no_library(library: Path, queries: Path, tmp_path: Path) -> None:
    report(library, queries, tmp_path / "r", "--only", "topology")
    shutil.move(tmp_path / "r", tmp_path / "elsewhere")
    result = call(
        tmp_path / "none", "render", tmp_path / "elsewhere" / "report.json", "--out", tmp_path / "p"
    )
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "[]", '{"schema": 1}', '{"schema": 2, "about": {}, "sections": []}'],
    ids=beginning,
)
def test_rendering_what_is_no_report_is_refused(library: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, encoding="utf-8")
    assert str(file) in refusal(call(library, "render", file, "--out", tmp_path / "p"))
    assert not (tmp_path / "p").exists()


def test_a_section_alone_is_no_report_to_render(library: Path, queries: Path, tmp_path: Path) -> None:
    file = tmp_path / "section.json"
    file.write_text(call(library, "run", "misses", queries, "--json").stdout, encoding="utf-8")
    assert "damaged report" in refusal(call(library, "render", file, "--out", tmp_path / "p"))


def test_help_names_every_command_of_the_group(library: Path) -> None:
    shown = call(library, "--help").stdout
    assert all(f"\n  {name} " in shown for name in command.commands)


@pytest.mark.parametrize("name", ["misses", "arms", "tokens"])
def test_a_library_without_vectors_is_said_wherever_queries_are_asked(
    name: str, library: Path, queries: Path
) -> None:
    warnings = document(call(library, "run", name, queries, "--json"))["warnings"]
    assert sum("the ranking is degraded: vectors are not ready" in warning for warning in warnings) == 1

"""What `quiver eval` cannot use is refused in one line, with its place, before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillquiver.evaluate.results import Section
from skillquiver.serve.usecases import evaluating
from tests.libraries import index, put
from tests.serve.eval_library import QUERIES, call, document, make, refusal, write


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("eval"))


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    return write(tmp_path / "queries.jsonl")


# --- files and options that cannot be used ---------------------------------------------------------

LINE = json.dumps(QUERIES[0])
BAD_FILES = {
    "broken line": (f"{LINE}\n{{broken\n", "line 2: not JSON"),
    "no object": ("[1]\n", "line 1: must be an object"),
    "number for an id": ('{"query_id": 3, "query": "x", "gold": []}', "line 1: `query_id` must be a text"),
    "blank query": ('{"query_id": "3", "query": " ", "gold": []}', "line 1: `query` must be a text"),
    "text for gold": ('{"query_id": "3", "query": "x", "gold": "a"}', "line 1: `gold` must be a list of"),
    "number in gold": ('{"query_id": "3", "query": "x", "gold": [1]}', "line 1: `gold` must be a list of"),
    "text for tags": ('{"query_id": "3", "query": "x", "gold": [], "tags": "a"}', "line 1: `tags` must be"),
    "no gold": ('{"query_id": "3", "query": "x"}', "line 1: `gold` is missing"),
    "one id twice": (f"{LINE}\n\n{LINE}\n", "line 3: query_id '1' was used before"),
    "too deep": (f'{{"query_id": "3", "query": "x", "gold": {"[" * 100_000}', "line 1: not JSON"),
    "nothing": ("\n\n", "holds no query"),
}


@pytest.mark.parametrize("which", BAD_FILES)
@pytest.mark.parametrize("experiment", ["rankers", "topology"])
def test_a_query_file_that_cannot_be_used_is_one_line_with_its_place(
    library: Path, tmp_path: Path, experiment: str, which: str
) -> None:
    text, told = BAD_FILES[which]
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    line = refusal(call(library, "run", experiment, file))
    assert line.startswith(f"quiver: {file}")
    assert told in line


@pytest.mark.parametrize("which", BAD_FILES)
def test_a_report_over_such_a_file_is_refused_before_anything_runs(
    library: Path, tmp_path: Path, which: str
) -> None:
    text, told = BAD_FILES[which]
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    assert told in refusal(
        call(library, "report", file, "--only", "misses,topology", "--out", tmp_path / "r")
    )
    assert not (tmp_path / "r").exists()


def test_bytes_that_are_no_text_are_refused(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_bytes(b"\xff\xfe\x00")
    assert f"cannot read {file}: 'utf-8'" in refusal(call(library, "run", "rankers", file))


@pytest.mark.parametrize("text", ["[1]", '{"a": "b"}', '{"a": [1]}', "{"])
def test_equivalents_that_are_none_are_refused(
    library: Path, queries: Path, tmp_path: Path, text: str
) -> None:
    same = tmp_path / "same.json"
    same.write_text(text, encoding="utf-8")
    line = refusal(call(library, "run", "rankers", queries, "--equivalents", same))
    assert line.startswith(f"quiver: {same}: ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["best"], "no experiment called 'best'; there are rankers, echo, misses"),
        (["rankers", "--ranker", "best"], "'best' is not one of 'bm25 card', 'bm25', 'dense', 'hybrid'"),
        (["rankers", "--equivalents", "gone.json"], "File 'gone.json' does not exist"),
        (["rankers", "--order", "gone.jsonl"], "File 'gone.jsonl' does not exist"),
        (["rankers", "--second-stage", "gone"], "Path 'gone' does not exist"),
        (["rankers", "gone.jsonl"], "File 'gone.jsonl' does not exist"),
        (["rankers", "--worst"], "--worst"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    library: Path, queries: Path, words: list[str], told: str
) -> None:
    assert told in refusal(call(library, "run", *words, queries))
    data = document(failed := call(library, "run", *words, queries, "--json"))
    assert (failed.exit_code, failed.stderr) == (2, "")
    assert told in data["error"]["message"]


def test_a_second_stage_that_is_none_is_refused(library: Path, queries: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    line = refusal(call(library, "run", "rankers", queries, "--second-stage", tmp_path / "models"))
    assert "folds.json: says not which model ranks which query" in line
    (tmp_path / "model.json").write_text("[]", encoding="utf-8")
    line = refusal(call(library, "run", "rankers", queries, "--second-stage", tmp_path / "model.json"))
    assert "model.json: the second stage is not usable" in line


@pytest.mark.parametrize(
    "words", [["run", "topology"], ["report", "{queries}", "--out", "{out}"], ["init", "--out", "{out}"]]
)
def test_a_library_that_does_not_exist_is_exit_3_and_nothing_is_written(
    queries: Path, tmp_path: Path, words: list[str]
) -> None:
    given = [word.format(queries=queries, out=tmp_path / "out") for word in words]
    assert "run `quiver index` first" in refusal(call(tmp_path / "none", *given), code=3)
    assert not (tmp_path / "out").exists()


def test_two_files_with_one_name_or_one_id_for_two_tasks_are_refused(
    library: Path, queries: Path, tmp_path: Path
) -> None:
    assert "must have different names" in refusal(call(library, "run", "rankers", queries, queries))
    other = write(tmp_path / "other.jsonl", [{**QUERIES[0], "task": "t"}])
    told = "query_id '1' has different tasks in two files"
    assert told in refusal(call(library, "run", "rankers", queries, other))
    assert told in refusal(call(library, "report", queries, other, "--out", tmp_path / "r"))


@pytest.mark.parametrize("words", [("run", "misses"), ("report", "--only", "misses,topology", "--out", "r")])
def test_a_library_that_changes_meanwhile_gives_no_figures(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    queries = write(tmp_path / "queries.jsonl")

    def measured_while_indexing(*_: object) -> Section:
        put(tmp_path / "root", "bake-bread", "Bakes bread.")
        index(library, tmp_path / "root", vectors=False)
        return Section(name="misses", title="Misses", question="", source="", answer="half and half")

    monkeypatch.setattr(evaluating, "experiment", lambda _: measured_while_indexing)
    result = call(library, *words, queries)
    assert result.exit_code == 3
    assert "the library changed before misses was done" in result.stderr
    assert "half and half" not in result.stdout
    if words[0] == "report":
        assert json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))["sections"] == []


def test_a_query_file_that_changes_meanwhile_ends_the_report(
    library: Path, queries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured_while_writing(*_: object) -> Section:
        write(queries, QUERIES[1:])
        return Section(name="misses", title="Misses", question="", source="", answer="half and half")

    monkeypatch.setattr(evaluating, "experiment", lambda _: measured_while_writing)
    result = call(library, "report", queries, "--only", "misses", "--out", tmp_path / "r")
    assert result.exit_code == 2
    assert "changed before misses was done" in result.stderr
    assert json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))["sections"] == []

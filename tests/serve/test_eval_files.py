"""`quiver eval init`, `split` and `compare` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillquiver.evaluate.results import REPORT_SCHEMA
from tests.libraries import index, put
from tests.serve.eval_library import QUERIES, call, document, make, refusal, write


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("eval"))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# --- init ------------------------------------------------------------------------------------------


def test_init_drafts_from_what_skills_quote_and_says_what_to_do_next(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    result = call(library, "init", "--out", file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"2 queries of 2 skills in {file}\n")
    assert "echo-prone" in result.stdout
    assert f"quiver eval run rankers {file}" in result.stdout
    assert {(q["query"], *q["gold"]) for q in lines(file)} == {
        ("fire up the stone oven", "root/heat-oven"),
        ("my violin sounds flat", "root/tune-violin"),
    }
    assert call(library, "run", "rankers", file).exit_code == 0


def test_init_as_json_and_with_a_limit(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    data = document(call(library, "init", "--out", file, "--limit", "1", "--json"))
    assert data == {"file": str(file), "queries": 1, "skills": 1}
    assert len(lines(file)) == 1


def test_init_overwrites_nothing_unless_forced(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text("mine", encoding="utf-8")
    assert refusal(call(library, "init", "--out", file)) == f"quiver: {file} exists; --force overwrites it"
    failed = call(library, "init", "--out", file, "--json")
    assert (failed.exit_code, document(failed)["error"]["type"]) == (2, "UsageError")
    assert file.read_text(encoding="utf-8") == "mine"
    assert call(library, "init", "--out", file, "--force").exit_code == 0
    assert len(lines(file)) == 2


def test_init_refuses_what_it_cannot_do(library: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert "cannot write" in refusal(call(library, "init", "--out", tmp_path / "file" / "q.jsonl"))
    assert "is a directory" in refusal(call(library, "init", "--out", tmp_path))
    assert "not in the range" in refusal(call(library, "init", "--limit", "0", "--out", tmp_path / "q"))
    put(tmp_path / "root", "quiet", "Says nothing.")
    index(tmp_path / "library", tmp_path / "root", vectors=False)
    line = refusal(call(tmp_path / "library", "init", "--out", tmp_path / "q.jsonl"))
    assert "no skill of this library quotes a prompt: write queries by hand" in line
    assert not (tmp_path / "q.jsonl").exists()


# --- split -----------------------------------------------------------------------------------------


def many(count: int) -> list[dict[str, Any]]:
    """Two queries for each of ``count`` skills, with a key that nothing reads."""
    return [
        {"query_id": f"{at}{half}", "query": f"words {at}{half}", "gold": [f"s{at}"], "mine": "Größe"}
        for at in range(count)
        for half in "ab"
    ]


def test_split_writes_every_line_once_and_no_gold_skill_into_two_folds(tmp_path: Path) -> None:
    file, out = write(tmp_path / "q.jsonl", many(9)), tmp_path / "new" / "folds"
    result = call(tmp_path, "split", file, "--folds", "3", "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    folds = [out / f"q.fold{n}.jsonl" for n in range(3)]
    assert result.stdout.splitlines() == [f"fold {n}:     6 queries  {folds[n]}" for n in range(3)]
    parts = [fold.read_text(encoding="utf-8").splitlines() for fold in folds]
    assert sorted(line for part in parts for line in part) == sorted(
        file.read_text(encoding="utf-8").splitlines()
    )
    gold = [{json.loads(line)["gold"][0] for line in part} for part in parts]
    assert sum(map(len, gold)) == len(set.union(*gold)) == 9


def test_split_as_json_is_the_same_for_one_seed(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{name}.jsonl", many(9)) for name in "ab"]
    found = [
        document(
            call(tmp_path, "split", *files, "--folds", "2", "--out", tmp_path / out, "--seed", seed, "--json")
        )
        for out, seed in (("one", "1"), ("two", "1"), ("three", "2"))
    ]
    assert found[0]["folds"] == 2
    assert [Path(one["file"]).name for one in found[0]["files"]] == [
        "a.fold0.jsonl", "a.fold1.jsonl", "b.fold0.jsonl", "b.fold1.jsonl",
    ]  # fmt: skip
    assert sum(one["queries"] for one in found[0]["files"]) == 36
    written = [(tmp_path / out / "a.fold0.jsonl").read_bytes() for out in ("one", "two", "three")]
    assert written[0] == written[1] != written[2]


def test_split_keeps_equivalents_together(tmp_path: Path) -> None:
    file, same = write(tmp_path / "q.jsonl", many(4)), tmp_path / "same.json"
    same.write_text(json.dumps({"s0": ["s1"], "s2": ["s3"]}), encoding="utf-8")
    words = ("split", file, "--folds", "2", "--out", tmp_path / "f", "--equivalents", same)
    assert call(tmp_path, *words).exit_code == 0
    gold = [{q["gold"][0] for q in lines(tmp_path / "f" / f"q.fold{n}.jsonl")} for n in range(2)]
    assert sorted(map(sorted, gold)) == [["s0", "s1"], ["s2", "s3"]]


def test_split_refuses_what_it_cannot_do_and_writes_nothing(tmp_path: Path) -> None:
    file, out = write(tmp_path / "q.jsonl", many(4)), tmp_path / "f"
    twin = tmp_path / "other"
    twin.mkdir()
    write(twin / "q.jsonl", many(4))
    for words, told in (
        ((file, "--folds", "5"), "cannot make 5 folds: at least 2, and no more than 4 groups"),
        ((file, "--folds", "1"), "not in the range"),
        ((tmp_path / "gone.jsonl",), "does not exist"),
        ((), "Missing argument"),
        ((file, twin / "q.jsonl", "--folds", "2"), "two query files would both be split into"),
    ):
        assert told in refusal(call(tmp_path, "split", *words, "--out", out))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{", encoding="utf-8")
    assert "bad.jsonl, line 1: not JSON" in refusal(call(tmp_path, "split", bad, "--out", out))
    assert not out.exists()
    assert "Missing option '--out'" in refusal(call(tmp_path, "split", file))
    assert "cannot write" in refusal(call(tmp_path, "split", file, "--folds", "2", "--out", file / "below"))


def test_split_overwrites_nothing_unless_forced(tmp_path: Path) -> None:
    file, out = write(tmp_path / "q.jsonl", many(4)), tmp_path / "f"
    out.mkdir()
    (out / "q.fold1.jsonl").write_text("mine", encoding="utf-8")
    words = ("split", file, "--folds", "2", "--out", out)
    assert "q.fold1.jsonl exists; --force overwrites it" in refusal(call(tmp_path, *words))
    assert [one.name for one in out.iterdir()] == ["q.fold1.jsonl"]
    assert call(tmp_path, *words, "--force").exit_code == 0
    assert len(lines(out / "q.fold1.jsonl")) == 4


# --- compare ---------------------------------------------------------------------------------------


def section(library: Path, queries: Path, file: Path, *words: str) -> Path:
    file.write_text(call(library, "run", "rankers", queries, "--json", *words).stdout, encoding="utf-8")
    return file


@pytest.fixture
def runs(library: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of one experiment: the first one's fourth query has other words, and finds nothing."""
    other = {**QUERIES[3], "query": "xyzzy"}
    first = write(tmp_path / "q.jsonl", [*QUERIES[:3], other])
    before = section(library, first, tmp_path / "a.json")
    return before, section(library, write(tmp_path / "q.jsonl", QUERIES[:4]), tmp_path / "b.json")


def test_compare_says_what_changed_on_the_same_queries(runs: tuple[Path, Path], tmp_path: Path) -> None:
    data = document(call(tmp_path, "compare", *runs, "--json"))
    rows = {(row["experiment"], row["sample"]): row for row in data["rows"]}
    row = rows["rankers", "q: hybrid, hit@1"]
    assert (row["queries"], row["before"], row["after"]) == (4, 0.75, 1.0)
    assert (row["difference"]["value"], row["won"], row["lost"]) == (0.25, 1, 0)
    assert row["p"] <= row["adjusted"] <= 1
    assert data["warnings"] == []
    text = call(tmp_path, "compare", *runs)
    assert (text.exit_code, text.stderr) == (0, "")
    assert "0 of these differ by more than chance (p < 0.05, Holm)." in text.stdout
    assert "| rankers: q: hybrid, hit@1 | 0.750 | 1.000 | +0.250 [" in text.stdout


def test_compare_the_other_way_round_turns_the_sign(runs: tuple[Path, Path], tmp_path: Path) -> None:
    text = call(tmp_path, "compare", runs[1], runs[0]).stdout
    assert "| rankers: q: hybrid, hit@1 | 1.000 | 0.750 | -0.250 [" in text


def test_a_run_does_not_differ_from_itself(runs: tuple[Path, Path], tmp_path: Path) -> None:
    data = document(call(tmp_path, "compare", runs[0], runs[0], "--json"))
    assert (data["rows"], data["warnings"]) == ([], [])
    assert ["rankers", "q: hybrid, MRR"] in data["same"]
    text = call(tmp_path, "compare", runs[0], runs[0]).stdout
    assert text == f"{len(data['same'])} measures are the same for every task, 0 are not.\n"


def test_queries_of_one_run_are_said(library: Path, runs: tuple[Path, Path], tmp_path: Path) -> None:
    fewer = section(library, write(tmp_path / "q.jsonl", QUERIES[:3]), tmp_path / "c.json")
    text = call(tmp_path, "compare", runs[0], fewer).stdout
    assert "Warning: rankers: q: hybrid, hit@1: 1 queries stand in one run only: left out" in text


def test_reports_of_two_libraries_are_compared_and_that_is_said(library: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "other")
    put(tmp_path / "other" / "root", "new-one", "Is new.")
    index(other, tmp_path / "other" / "root", vectors=False)
    file = write(tmp_path / "q.jsonl")
    for folder, of in (("a", library), ("b", other)):
        done = call(of, "report", file, "--only", "rankers,misses", "--out", tmp_path / folder)
        assert done.exit_code == 0, done.output
    data = document(
        call(tmp_path, "compare", tmp_path / "a" / "report.json", tmp_path / "b" / "report.json", "--json")
    )
    (told,) = data["warnings"]
    assert told.startswith("the runs differ in more than their answers: skills (5, then 6)")
    assert ["misses", "q: complete bundle"] in data["same"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[]", "no report"),
        (json.dumps({"schema": REPORT_SCHEMA + 1, "samples": {}}), "run the experiment again"),
        (json.dumps({"schema": REPORT_SCHEMA, "samples": []}), "a damaged report"),
        (json.dumps({"schema": REPORT_SCHEMA, "name": "rankers", "samples": {}}), "share no measure"),
    ],
)
def test_compare_refuses_what_is_no_run(
    runs: tuple[Path, Path], tmp_path: Path, text: str, told: str
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(text, encoding="utf-8")
    for pair in ((runs[0], bad), (bad, runs[0])):
        line = refusal(call(tmp_path, "compare", *pair))
        assert told in line
        assert str(bad) in line
    assert "does not exist" in refusal(call(tmp_path, "compare", runs[0], tmp_path / "gone.json"))
    assert "Missing argument" in refusal(call(tmp_path, "compare", runs[0]))

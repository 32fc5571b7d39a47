"""Experiments through the command line and the use case, on a library that was really indexed."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import UsageError
from skillquiver.evaluate.experiment import EXPERIMENTS, WITHOUT_QUERIES
from skillquiver.evaluate.subject import RANKERS, Rebuild
from skillquiver.graph.relations import RelationType
from skillquiver.serve.cli import main
from skillquiver.serve.cli.eval_command import run as run_command
from skillquiver.serve.usecases.evaluating import QueryFiles, run_experiment
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject
from skillquiver.settings import DEFAULT_GRAPH, EvalSettings, GraphSettings
from tests.libraries import index, put


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("running")
    root = home / "lib"
    put(root, "kitchen/knead-dough", "Kneads dough by hand.", "Next step: `proof-loaves`.")
    put(root, "kitchen/proof-loaves", "Lets loaves rise.", "## Prerequisites\n\nRun `knead-dough` first.")
    put(root, "kitchen/heat-oven", "Heats an oven.", "See also `proof-loaves`.")
    index(home / "library", root, vectors=False)
    build_library_graph(home / "library")
    return home / "library"


def invoke(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["eval", "run", *words, "--library", str(folder)])


@pytest.mark.parametrize("name", sorted(WITHOUT_QUERIES))
def test_experiments_about_the_graph_need_no_queries(folder: Path, name: str) -> None:
    done = invoke(folder, name, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.output, parse_constant=pytest.fail)
    assert (data["name"], data["question"]) == (name, EXPERIMENTS[name])
    assert data["command"] == f"quiver eval run {name} --library {folder}"
    assert data["warnings"]
    assert data["answer"]


def test_experiments_about_ranking_say_that_they_need_queries(folder: Path) -> None:
    done = invoke(folder, "rankers")
    assert done.exit_code == 2
    assert "rankers needs queries with their gold skills" in done.output


def test_label_files_and_the_ranker_stand_in_the_command_that_made_the_section(
    folder: Path, tmp_path: Path
) -> None:
    order = tmp_path / "my order.jsonl"
    row = {"before": "kitchen/knead-dough", "after": "kitchen/proof-loaves", "relation": "next"}
    order.write_text(
        "\n".join(json.dumps(r) for r in (row, row | {"after": "kitchen/gone"})), encoding="utf-8"
    )
    references = tmp_path / "references.jsonl"
    references.write_text(
        json.dumps({"src": "heat-oven", "dst": "proof-loaves", "relation": "related"}), encoding="utf-8"
    )
    words = ["census", "--order", str(order), "--references", str(references), "--ranker", "hybrid"]
    done = invoke(folder, *words, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    assert data["command"] == shlex.join(["quiver", "eval", "run", *words, "--library", str(folder)])
    assert data["warnings"][0].startswith("1 of 2 pairs of my order.jsonl are left out")
    assert sum(data["samples"]["order stated right"].values()) == 1
    sequence = json.loads(invoke(folder, "sequence", "--order", str(order), "--json").output)
    assert "the graph shows a right one first for 1" in sequence["answer"]


def test_a_sheet_goes_out_and_comes_back(folder: Path, tmp_path: Path) -> None:
    out = CliRunner().invoke(main, ["graph", "audit", "--sample", "9", "--library", str(folder)])
    rows = list(csv.DictReader(io.StringIO(out.output)))
    for row in rows:
        row["strict"] = "yes"
    sheet = tmp_path / "sheet.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = invoke(folder, "audit", "--audit", str(sheet))
    assert f"A reader judged {len(rows)} of {len(rows)} typed relations." in done.output
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("yes", "hm"), encoding="utf-8")
    failed = invoke(folder, "audit", "--audit", str(sheet))
    assert failed.exit_code == 2
    assert "row 2, column strict: 'hm' is no verdict" in failed.output


def test_every_ranker_can_be_chosen_and_no_other(folder: Path) -> None:
    (option,) = [param for param in run_command.params if param.name == "ranker"]
    assert tuple(option.type.choices) == tuple(RANKERS)  # type: ignore[attr-defined]
    assert option.default == EvalSettings().ranker
    with open_subject(folder) as subject, pytest.raises(UsageError, match="no ranker called 'best'"):
        run_experiment(subject, "census", QueryFiles(), EvalSettings(ranker="best"), command="x")


def test_rebuilds_differ_only_where_they_should(folder: Path) -> None:
    with open_subject(folder) as subject:
        base = subject.rebuilt(Rebuild())
        assert base.to_bytes() == subject.graph.to_bytes()
        assert subject.rebuilt(Rebuild(shuffle=3)).to_bytes() == base.to_bytes()
        gone = base.ids[0]
        assert gone not in subject.rebuilt(Rebuild(without=frozenset({gone}))).ids
        assert subject.rebuilt(Rebuild(settings=GraphSettings(need_k=9))).to_bytes() == base.to_bytes()
        only = subject.rebuilt(Rebuild(settings=GraphSettings(sources=("declared",))))
        assert (only.relations, DEFAULT_GRAPH.sources) == ((), ())


def test_rebuilds_with_vectors_keep_rows_with_their_skills(tmp_path: Path) -> None:
    root = tmp_path / "lib"
    for i in range(6):
        put(root, f"s{i}", f"Sorts {'red' if i % 2 else 'blue'} cards by size {i}.")
    index(tmp_path / "library", root)
    build_library_graph(tmp_path / "library")
    with open_subject(tmp_path / "library") as subject:
        base = subject.graph
        assert any(r.type == RelationType.SIMILAR_TO for r in base.relations)
        assert subject.vectors() is not None
        left = subject.rebuilt(Rebuild(without=frozenset({base.ids[2]}), shuffle=1))
        kept = tuple(r for r in base.relations if base.ids[2] not in r.pair)
        assert left.relations == kept
        fewer = subject.rebuilt(Rebuild(settings=GraphSettings(similar_k=1)))
        assert len(fewer.relations) < len(base.relations)


def test_a_library_without_a_graph_says_so(tmp_path: Path) -> None:
    put(tmp_path / "lib", "alone", "Works alone.")
    index(tmp_path / "library", tmp_path / "lib", vectors=False)
    for name in sorted(WITHOUT_QUERIES):
        done = invoke(tmp_path / "library", name)
        assert done.exit_code == 0, done.output
        assert "run `quiver graph build`" in done.output
    with open_subject(tmp_path / "library") as subject:
        assert isinstance(subject, LibrarySubject)
        assert subject.graph_findings == ()

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli.main import main
from tests.libraries import index, put

Run = Callable[..., Result]

PREPARE = "Prepare the data.\n\n## Prerequisites\n\nRun the `load-rows` skill first.\n"
LOAD = "Load rows.\n\n## Next\n\nWhen done, continue with the `write-memo` skill.\n"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Three skills of which two name another, and a curated alternative."""
    root = tmp_path / "skills"
    put(root, "load-rows", "Loads rows from a file.", body=LOAD)
    put(root, "clean-rows", "Cleans rows.", body=PREPARE)
    put(root, "write-memo", "Writes a memo.")
    put(root, "tidy-rows", "Tidies rows.")
    (root / "relations.yaml").write_text(
        "version: 1\nrelations:\n"
        "  - {source: clean-rows, type: alternative_to, target: tidy-rows, reason: same job}\n"
        "  - {source: clean-rows, type: requires, target: nobody, reason: a slip}\n",
        encoding="utf-8",
    )
    index(tmp_path / "library", root)
    return tmp_path / "library"


@pytest.fixture
def quiver(library: Path) -> Run:
    """Runs a graph command on that library."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["graph", *arguments, "--library", str(library)])

    return run


def data(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_what_is_asked_before_a_build_says_so_and_exits_with_3(quiver: Run) -> None:
    result = quiver("stats", "--json")
    assert result.exit_code == 3
    assert "quiver graph build" in data(result)["error"]["message"]


def test_a_build_finds_what_texts_and_the_curated_file_state(quiver: Run) -> None:
    report = data(quiver("build", "--json"))
    assert report["skills"] == 4
    assert report["types"]["requires"] == 1
    assert report["types"]["precedes"] == 1
    assert report["types"]["alternative_to"] == 1
    assert report["findings"]["relation-target-missing"] == 1


def test_a_second_build_changes_nothing(quiver: Run) -> None:
    assert data(quiver("build", "--json"))["changed"] is True
    first = quiver("export").stdout
    assert data(quiver("build", "--json"))["changed"] is False
    assert quiver("export").stdout == first


def test_show_quotes_the_words_that_state_a_relation(quiver: Run) -> None:
    quiver("build")
    found = data(quiver("show", "clean-rows", "--json"))
    requires = next(r for r in found["relations"] if r["type"] == "requires")
    assert (requires["source"], requires["target"]) == ("skills/clean-rows", "skills/load-rows")
    assert "load-rows" in requires["evidence"]["quote"]
    assert "skills/clean-rows requires → skills/load-rows" in quiver("show", "clean-rows").stdout


def test_a_skill_without_relations_has_nothing_known(quiver: Run) -> None:
    quiver("build")
    assert "alternative_to" in quiver("show", "tidy-rows").stdout
    assert quiver("show", "nobody").exit_code == 2


def test_census_and_stats_agree_on_the_number_of_relations(quiver: Run) -> None:
    quiver("build")
    census, stats = data(quiver("census", "--json")), data(quiver("stats", "--json"))
    layers = {layer["layer"]: layer for layer in stats["layers"]}
    assert census["edges"] == layers["all"]["edges"] == sum(census["types"].values())
    assert layers["typed"]["wired"] == 4


def test_an_audit_sheet_has_claims_but_no_evidence(quiver: Run, tmp_path: Path) -> None:
    quiver("build")
    sheet = tmp_path / "sheet.csv"
    assert quiver("audit", "--sample", "2", "--out", str(sheet)).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8"))))
    assert len(rows) == 2
    assert "Run the" not in sheet.read_text(encoding="utf-8")
    assert quiver("audit", "--sample", "0").exit_code == 2


@pytest.mark.parametrize(("form", "begins"), [("json", "{"), ("graphml", "<?xml"), ("mermaid", "graph LR")])
def test_the_graph_is_exported_in_every_form(quiver: Run, form: str, begins: str) -> None:
    quiver("build")
    assert quiver("export", "--format", form).stdout.startswith(begins)


def test_a_graph_older_than_its_library_says_so(quiver: Run, library: Path) -> None:
    quiver("build")
    put(library.parent / "skills", "late", "Comes late.")
    index(library, library.parent / "skills")
    assert "changed since" in data(quiver("census", "--json"))["stale"]


def test_doctor_lists_what_the_graph_found(quiver: Run, library: Path) -> None:
    quiver("build")
    result = CliRunner().invoke(main, ["doctor", "--json", "--library", str(library)])
    assert data(result)["counts"]["relation-target-missing"] == 1

"""Bundles of a library with relations, through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import UsageError
from skillquiver.retrieve.diffuse import Arm
from skillquiver.serve.cli.bundle_command import ARMS
from skillquiver.serve.cli.main import main
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import bundle
from tests.libraries import index, put

Run = Callable[..., Result]

TASK = "publish the quarterly newsletter to subscribers"
LETTER = "Publishes the quarterly newsletter to subscribers."
NEEDS = "Send it out.\n\n## Prerequisites\n\nRun the `warm-pool` skill first.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Skills of which one requires another that the task has no word of, which was replaced."""
    folder = tmp_path / "skills"
    put(folder, "newsletter", LETTER, body=NEEDS)
    put(folder, "warm-pool", "Raises sockets.", body="Open sockets. \x1b[2J Keep them.\n")
    put(folder, "proofread", "Corrects spelling in a newsletter.", body="Read it twice.\n")
    put(folder, "old-letter", "Publishes newsletters, quarterly, by fax to subscribers.", body="Dial.\n")
    put(folder, "gardening", "Waters plants.", body="Use a can.\n")
    (folder / "relations.yaml").write_text(
        "version: 1\nrelations:\n"
        "  - {source: newsletter, type: supersedes, target: old-letter, reason: fax is gone}\n"
        "  - {source: proofread, type: precedes, target: newsletter, reason: read before you send}\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def library(tmp_path: Path, root: Path) -> Path:
    folder = tmp_path / "library"
    index(folder, root)
    build_library_graph(folder)
    return folder


@pytest.fixture
def quiver(library: Path) -> Run:
    """Runs ``quiver bundle`` for the task on that library."""

    def run(*arguments: str) -> Result:
        words = ["bundle", TASK, *arguments, "--lexical", "--library", str(library)]
        return CliRunner().invoke(main, words)

    return run


def data(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [entry["name"] for entry in found["entries"]]


def reasons(found: dict[str, Any]) -> dict[str, str]:
    return {one["id"].rpartition("/")[2]: one["reason"] for one in found["omitted"]}


def test_a_bundle_brings_what_a_match_requires_in_order_and_replaces_what_is_old(quiver: Run) -> None:
    found = data(quiver("--json"))
    assert names(found) in (
        ["warm-pool", "proofread", "newsletter"],
        ["proofread", "warm-pool", "newsletter"],
    )
    assert reasons(found)["old-letter"] == "superseded"
    assert (found["arm"], found["graph_degraded"]) == ("reverse", "")
    brought = next(entry for entry in found["entries"] if entry["name"] == "warm-pool")
    assert (brought["role"], brought["match"]) == ("prerequisite", None)
    assert [via["type"] for via in brought["via"]] == ["requires"]
    assert "warm-pool" in brought["via"][0]["quote"]
    assert [by.rpartition("/")[2] for by in brought["required_by"]] == ["newsletter"]


def test_the_explanation_names_channels_relations_and_what_was_left_out(quiver: Run) -> None:
    text = quiver("--explain").stdout
    assert "newsletter: match, body," in text
    assert "terms: " in text
    assert "requires skills/warm-pool (derived, " in text
    assert '"Run the `warm-pool` skill first."' in text
    assert "old-letter: superseded (replaced by skills/newsletter)" in text
    assert "\x1b" not in text


def test_flat_knows_no_relations(quiver: Run) -> None:
    found = data(quiver("--json", "--arm", "flat"))
    assert "warm-pool" not in names(found)
    assert (found["arm"], found["graph_degraded"]) == ("flat", "")
    assert [entry["via"] for entry in found["entries"]] == [[]] * len(found["entries"])


def test_wishes_are_names_or_ids(quiver: Run) -> None:
    must = data(quiver("--json", "--must", "gardening"))
    assert "gardening" in names(must)
    loaded = data(quiver("--json", "--loaded", "skills/warm-pool", "--loaded", "proofread"))
    assert names(loaded) == ["newsletter"]
    without = data(quiver("--json", "--without", "warm-pool"))
    assert "newsletter" not in names(without)
    assert reasons(without)["newsletter"] == "missing-requirement"


def test_what_must_come_comes_although_it_lacks_something_and_the_bundle_says_what(quiver: Run) -> None:
    result = quiver("--explain", "--must", "newsletter", "--without", "warm-pool")
    assert "requires, but does not bring, skills/warm-pool" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--must", "nobody"), "no skill called 'nobody'"),
        (("--must", "gardening", "--without", "gardening"), "also ruled out"),
        (("--must", "gardening", "--budget", "20"), "raise --budget"),
        (("--max-skills", "0"), "ask for at least 1"),
        (("--arm", "sideways"), "'sideways'"),
    ],
)
def test_wishes_that_cannot_be_are_usage_errors(quiver: Run, arguments: tuple[str, ...], said: str) -> None:
    result = quiver(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_library_without_a_graph_says_so(tmp_path: Path, root: Path) -> None:
    index(tmp_path / "bare", root)
    result = CliRunner().invoke(
        main, ["bundle", TASK, "--json", "--lexical", "--library", str(tmp_path / "bare")]
    )
    assert "warm-pool" not in names(data(result))
    assert "no graph yet" in data(result)["graph_degraded"]


def test_relations_of_a_skill_that_changed_since_are_not_used(quiver: Run, library: Path, root: Path) -> None:
    put(root, "warm-pool", "Raises sockets.", body="Now something else entirely.\n")
    index(library, root)
    found = data(quiver("--json"))
    assert "changed since the graph was built" in found["graph_degraded"]
    assert names(found)[0] == "proofread"  # the curated order between unchanged skills still holds
    assert all(entry["required_by"] == [] for entry in found["entries"])


def test_a_task_that_nothing_matches_brings_only_what_must_come(library: Path) -> None:
    words = ["bundle", "zzz qqq", "--lexical", "--json", "--library", str(library)]
    nothing = CliRunner().invoke(main, words)
    assert (nothing.exit_code, names(data(nothing))) == (1, [])
    asked = CliRunner().invoke(main, [*words, "--must", "newsletter"])
    assert (asked.exit_code, names(data(asked))) == (0, ["warm-pool", "newsletter"])


def test_the_command_offers_every_arm() -> None:
    assert sorted(ARMS) == sorted(arm.value for arm in Arm)


def test_the_use_case_answers_without_options(library: Path) -> None:
    with open_library(library, lexical=True) as opened:
        packed, ranking = bundle(opened, TASK, budget=2000)
        with pytest.raises(UsageError, match="at least one token"):
            bundle(opened, TASK, budget=0)
    assert packed.arm == "reverse"
    assert ranking.results[0].evidence.terms is None

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import AmbiguousNameError, UnknownSkillError, UsageError
from skillquiver.graph.following import Group
from skillquiver.graph.stored import GraphState
from skillquiver.serve.cli.main import main
from skillquiver.serve.usecases.following import NextSteps, next_skills
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.library import open_library
from tests.libraries import index, put

Run = Callable[..., Result]

RELATIONS = """version: 1
relations:
  - {source: clean-rows, type: requires, target: load-rows, reason: nothing to clean before}
  - {source: load-rows, type: requires, target: find-file, reason: a path is needed}
  - {source: clean-rows, type: precedes, target: [write-memo, draw-chart, secret-step], confidence: 0.8}
  - {source: check-rows, type: verifies, target: clean-rows}
  - {source: scrub-rows, type: supersedes, target: clean-rows}
  - {source: shuffle-rows, type: conflicts_with, target: clean-rows}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    for name in ("find-file", "load-rows", "clean-rows", "write-memo", "check-rows", "scrub-rows"):
        put(root, name, f"Says how to {name.replace('-', ' ')}.")
    put(root, "draw-chart", "Draws \x1b[31ma chart.")
    put(root, "shuffle-rows", "Shuffles rows.")
    put(root, "lonely", "Stands alone.")
    put(root, "secret-step", "Nobody may know.", **{"disable-model-invocation": "true"})
    put(root, "one/twin", "A twin.", "Step of one.")
    put(root, "two/twin", "Another twin.", "Step of two.")
    (root / "relations.yaml").write_text(RELATIONS, encoding="utf-8")
    return root


@pytest.fixture
def library(tmp_path: Path, root: Path) -> Path:
    index(tmp_path / "library", root, vectors=False)
    build_library_graph(tmp_path / "library")
    return tmp_path / "library"


@pytest.fixture
def quiver(library: Path) -> Run:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["next", *arguments, "--library", str(library)])

    return run


def data(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def names(found: NextSteps, group: Group) -> list[str]:
    return [step.skill.name for step in found.groups[group]]


def test_each_group_holds_what_the_graph_states(library: Path) -> None:
    found = next_skills(library, "clean-rows")
    assert found.graph is GraphState.OK
    assert found.known
    assert names(found, Group.PREREQUISITES) == ["find-file", "load-rows"]
    assert names(found, Group.NEXT_STEPS) == ["draw-chart", "secret-step", "write-memo"]
    assert names(found, Group.VERIFIERS) == ["check-rows"]
    assert names(found, Group.ALTERNATIVES) == ["scrub-rows"]
    assert names(found, Group.CONFLICTS) == ["shuffle-rows"]
    assert found.superseded_by == ("skills/scrub-rows",)


def test_an_open_library_gives_the_same_answer_as_its_folder(library: Path) -> None:
    with open_library(library, lexical=True) as opened:
        assert next_skills(opened, "clean-rows") == next_skills(library, "clean-rows")


def test_what_is_done_is_not_suggested_again(library: Path) -> None:
    found = next_skills(library, "clean-rows", done=["load-rows", "skills/draw-chart"])
    assert names(found, Group.PREREQUISITES) == []
    assert names(found, Group.NEXT_STEPS) == ["secret-step", "write-memo"]


def test_hidden_skills_are_left_out_for_models_before_the_list_is_cut(library: Path) -> None:
    found = next_skills(library, "clean-rows", hidden=False, top_k=2)
    assert names(found, Group.NEXT_STEPS) == ["draw-chart", "write-memo"]
    assert found.more[Group.NEXT_STEPS] == 0


def test_top_k_cuts_each_group_but_nothing_that_is_required(library: Path) -> None:
    found = next_skills(library, "clean-rows", top_k=1)
    assert names(found, Group.PREREQUISITES) == ["find-file", "load-rows"]
    assert names(found, Group.NEXT_STEPS) == ["draw-chart"]
    assert found.more[Group.NEXT_STEPS] == 2
    with pytest.raises(UsageError, match="at least 1"):
        next_skills(library, "clean-rows", top_k=0)


def test_references_are_ids_or_names_that_one_skill_has(library: Path) -> None:
    with pytest.raises(AmbiguousNameError, match=r"skills/one/twin, skills/two/twin"):
        next_skills(library, "twin")
    with pytest.raises(UnknownSkillError, match=r"did you mean skills/clean-rows"):
        next_skills(library, "clean-row")
    with pytest.raises(UsageError):
        next_skills(library, "../clean-rows")
    with pytest.raises(UnknownSkillError):
        next_skills(library, "clean-rows", done=["nobody"])


def test_a_graph_that_is_out_of_date_is_said_and_skills_that_are_gone_are_not_suggested(
    library: Path, root: Path
) -> None:
    (root / "write-memo").rename(root / "write-letter")
    index(library, root, vectors=False)
    found = next_skills(library, "clean-rows")
    assert found.graph is GraphState.STALE
    assert names(found, Group.NEXT_STEPS) == ["draw-chart", "secret-step"]


def test_the_text_names_groups_words_and_marks(quiver: Run) -> None:
    result = quiver("clean-rows", "--top-k", "2")
    assert result.exit_code == 0
    text = result.stdout
    assert text.startswith("skills/clean-rows  (superseded by skills/scrub-rows)\n\nfirst, in this order\n")
    assert "  skills/find-file  (skills/load-rows requires it, curated, 1.00)\n" in text
    assert "  skills/load-rows  (requires, curated, 1.00)\n      Says how to load rows.\n" in text
    assert ': "nothing to clean before"\n' in text
    assert "  skills/secret-step  (precedes, curated, 0.80)  [hidden from models]\n" in text
    assert "\n  and 1 more; --top-k shows them\n" in text
    assert "\nto check the result\n" in text
    assert "\nnever together with\n" in text
    assert "\x1b" not in text


def test_the_document_holds_every_field_of_a_step(quiver: Run, root: Path) -> None:
    found = data(quiver("clean-rows", "--top-k", "1", "--json"))
    assert (found["id"], found["graph"], found["note"]) == ("skills/clean-rows", "ok", "")
    assert found["superseded_by"] == ["skills/scrub-rows"]
    assert found["more"] == {"next_steps": 2}
    first = found["prerequisites"][0]
    assert first == {
        "id": "skills/find-file",
        "name": "find-file",
        "description": "Says how to find file.",
        "hidden": False,
        "relation": "requires",
        "of": "skills/load-rows",
        "score": 1.0,
        "confidence": 1.0,
        "provenance": "curated",
        "evidence": {"quote": "a path is needed", "place": first["evidence"]["place"]},
    }
    assert first["evidence"]["place"].startswith(str(root / "relations.yaml"))


def test_nothing_known_is_an_answer(quiver: Run) -> None:
    result = quiver("lonely")
    assert result.exit_code == 0
    assert result.stdout == "skills/lonely: nothing known about what comes before or after it\n"
    found = data(quiver("lonely", "--json"))
    assert [found[group.value] for group in Group] == [[]] * 5


def test_a_library_without_a_graph_answers_and_says_so(tmp_path: Path, root: Path) -> None:
    folder = str(tmp_path / "bare")
    index(tmp_path / "bare", root, vectors=False)
    result = CliRunner().invoke(main, ["next", "clean-rows", "--library", folder])
    assert result.exit_code == 0
    assert "nothing known" in result.stdout
    assert "(this library has no graph yet; run `quiver graph build`)" in result.stdout
    found = data(CliRunner().invoke(main, ["next", "clean-rows", "--json", "--library", folder]))
    assert found["graph"] == "missing"


def test_errors_leave_with_their_exit_codes(quiver: Run) -> None:
    assert quiver("nobody").exit_code == 2
    found = quiver("twin", "--json")
    assert found.exit_code == 2
    assert data(found)["error"]["candidates"] == ["skills/one/twin", "skills/two/twin"]


def test_a_superseding_skill_is_not_said_to_be_superseded(quiver: Run) -> None:
    found = data(quiver("scrub-rows", "--json"))
    assert found["superseded_by"] == []
    assert [step["relation"] for step in found["alternatives"]] == ["supersedes"]

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli import main
from skillquiver.serve.usecases.indexing import index_library
from tests.libraries import put

QUERIES = (
    {"query_id": "hot", "query": "Put a hot apple on the shelf.", "gold": ["heat-a-thing", "find-a-thing"]},
    {"query_id": "Hot", "query": "Warm up some food in the microwave.", "gold": ["heat-a-thing"]},
)


def _run(library: Path, *words: str) -> Result:
    arguments = ["eval", "export", "harbor", *words, "--library", str(library)]
    result = CliRunner().invoke(main, arguments, prog_name="quiver")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _pack(folder: Path, name: str = "warm", **files: str) -> Path:
    texts = {
        "task.toml": "[environment]\ncpus = 1\n",
        "instruction.md": "# canary\nPut a hot apple on the shelf.\n",
        "environment/Dockerfile": "FROM ubuntu:24.04\nCOPY skills /root/.claude/skills\n",
        "environment/data.csv": "a,b\n",
        "environment/skills/heat-a-thing/SKILL.md": "what the pack brought",
        "environment/skills/unknown/SKILL.md": "no library has it",
        "tests/test.sh": "echo 1\n",
    } | files
    for path, text in texts.items():
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder / name


def _tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _manifest(out: Path, arm: str) -> dict[str, Any]:
    return dict(json.loads((out / f"{arm}.json").read_text(encoding="utf-8")))


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    file = tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps(query) + "\n" for query in QUERIES), encoding="utf-8")
    return file


def test_every_arm_has_a_copy_of_every_pack_with_its_own_skills(library: Path, tmp_path: Path) -> None:
    source = _pack(tmp_path / "tasks")
    out = tmp_path / "out"
    arms = [word for arm in ("none", "all", "vector", "skillquiver") for word in ("--arm", arm)]
    result = _run(library, str(tmp_path / "tasks"), "--out", str(out), *arms, "--max-skills", "3")
    assert result.exit_code == 0, result.output
    skills = {
        arm: sorted(p.name for p in (out / arm / "warm/environment/skills").iterdir() if p.is_dir())
        for arm in ("none", "all", "vector", "skillquiver")
    }
    assert skills["none"] == []
    assert len(skills["all"]) == 8
    assert len(skills["vector"]) == 3
    assert skills["skillquiver"] == ["find-a-thing", "heat-a-thing", "walk-the-rooms"]
    for arm in skills:
        pack = out / arm / "warm"
        config = tomllib.loads((pack / "task.toml").read_text(encoding="utf-8"))
        assert config == {"environment": {"cpus": 1, "skills_dir": "/skills"}}
        lines = (pack / "environment/Dockerfile").read_text(encoding="utf-8").splitlines()
        assert lines[1:] == ["COPY skills /root/.claude/skills", "COPY skills /skills"]
        for same in ("instruction.md", "tests/test.sh", "environment/data.csv"):
            assert (pack / same).read_bytes() == (source / same).read_bytes()
    copied = out / "skillquiver/warm/environment/skills/heat-a-thing/SKILL.md"
    assert "microwave" in copied.read_text(encoding="utf-8")  # the library's, not the pack's


def test_the_manifest_says_what_was_given_and_what_of_it_is_relevant(library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks")
    out = tmp_path / "out"
    _run(library, str(tmp_path / "tasks"), "--out", str(out), "--arm", "skillquiver", "--budget", "500")
    manifest = _manifest(out, "skillquiver")
    assert (manifest["arm"], manifest["budget"], manifest["library_skills"]) == ("skillquiver", 500, 8)
    (task,) = manifest["tasks"]
    assert (task["needed"], task["wanted"]) == (1, 2)  # the pack brings two skills, the library has one
    assert task["tokens"] == sum(skill["tokens"] for skill in task["skills"]) <= 500
    assert task["ranking_ms"] > 0
    heat = next(skill for skill in task["skills"] if skill["id"] == "household/heat-a-thing")
    assert (heat["folder"], heat["role"], heat["files"], heat["changed"]) == (
        "heat-a-thing",
        "match",
        1,
        False,
    )


def test_queries_become_packs_whose_names_do_not_collide(
    library: Path, queries: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = _run(library, str(queries), "--out", str(out), "--json")
    section = json.loads(result.stdout)
    assert section["name"] == "export"
    assert sorted(p.name for p in (out / "vector").iterdir()) == ["hot", "hot-2"]
    assert (out / "vector/hot/instruction.md").read_text(encoding="utf-8") == (
        "Warm up some food in the microwave.\n"
    )
    rows = {row[0]: row for row in section["tables"][0]["rows"]}
    assert set(rows) == {"all", "vector", "skillquiver"}
    assert rows["all"][4] == 1.0
    assert "no reward yet" in section["answer"]


def test_the_same_export_gives_the_same_bytes_but_for_the_times(
    library: Path, queries: Path, tmp_path: Path
) -> None:
    trees = []
    for name in ("one", "two"):
        _run(library, str(queries), "--out", str(tmp_path / name))
        tree = _tree(tmp_path / name)
        for arm in ("all", "vector", "skillquiver"):
            manifest = json.loads(tree.pop(f"{arm}.json"))
            for task in manifest["tasks"]:
                del task["ranking_ms"]
            tree[f"{arm}.json"] = json.dumps(manifest).encode()
        trees.append(tree)
    assert trees[0] == trees[1]


def test_a_single_pack_may_be_given_and_its_steps_are_its_task(library: Path, tmp_path: Path) -> None:
    config = '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n[[steps]]\nname = "../x"\n'
    steps = {
        "steps/one/instruction.md": "Find an apple.",
        "steps/two/instruction.md": "Heat it in the microwave.",
    }
    pack = _pack(tmp_path, **{"task.toml": config}, **steps)
    out = tmp_path / "out"
    result = _run(library, str(pack), "--out", str(out), "--arm", "skillquiver")
    assert result.exit_code == 0, result.output
    assert (out / "skillquiver/warm/environment/skills/heat-a-thing").is_dir()


def test_instructions_name_the_skills_in_their_order_only_if_asked(library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks")
    words = ["--arm", "none", "--arm", "skillquiver", "--say-order", "--max-skills", "3"]
    _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "out"), *words)
    text = (tmp_path / "out/skillquiver/warm/instruction.md").read_text(encoding="utf-8")
    assert text.endswith(
        "shelf.\n\nSkills for this task, first what is to be read first: "
        "walk-the-rooms, find-a-thing, heat-a-thing.\n"
    )
    assert "Skills for" not in (tmp_path / "out/none/warm/instruction.md").read_text(encoding="utf-8")


def test_packs_that_cannot_be_exported_are_named_and_the_others_are_written(
    library: Path, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks"
    _pack(tasks, "good")
    _pack(tasks, "windows", **{"task.toml": '[environment]\nos = "windows"\n'})
    _pack(tasks, "broken", **{"task.toml": "[oops"})
    _pack(tasks, "binary")
    (tasks / "binary" / "instruction.md").write_bytes(b"\xff\xfe\xfa")
    _pack(tasks, "silent")
    (tasks / "silent" / "instruction.md").unlink()
    (tasks / "no-pack").mkdir()
    result = _run(library, str(tasks), "--out", str(tmp_path / "out"), "--arm", "none")
    assert result.exit_code == 0
    manifest = _manifest(tmp_path / "out", "none")
    assert [task["task"] for task in manifest["tasks"]] == ["good"]
    reasons = dict(manifest["skipped"])
    assert sorted(reasons) == ["binary", "broken", "silent", "windows"]
    assert "not Linux" in reasons["windows"]
    assert "instruction.md cannot be read" in reasons["silent"]
    assert "none: windows was skipped: its container is not Linux" in result.stdout
    assert sorted(p.name for p in (tmp_path / "out/none").iterdir()) == ["good"]


def test_skills_elsewhere_in_an_environment_are_told_of(library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks", **{"environment/kit/SKILL.md": "x"})
    result = _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "out"), "--arm", "none")
    assert _manifest(tmp_path / "out", "none")["tasks"][0]["stays"] == ["kit/SKILL.md"]
    assert "other SKILL.md files in the environments" in result.stdout


def test_skills_that_changed_or_went_since_they_were_indexed_are_told_of(tmp_path: Path) -> None:
    put(tmp_path / "skills", "stays", "Heats food.")
    put(tmp_path / "skills", "goes", "Heats drinks.")
    put(tmp_path / "skills", "changes", "Heats rooms.")
    index_library(tmp_path / "library", [f"skills={tmp_path / 'skills'}"])
    shutil.rmtree(tmp_path / "skills" / "goes")
    put(tmp_path / "skills", "changes", "Cools rooms.")
    _pack(tmp_path / "tasks")
    out = tmp_path / "out"
    result = _run(tmp_path / "library", str(tmp_path / "tasks"), "--out", str(out), "--arm", "all")
    (task,) = _manifest(out, "all")["tasks"]
    assert {s["folder"]: s["changed"] for s in task["skills"]} == {"changes": True, "stays": False}
    assert [skill for skill, _ in task["unreadable"]] == ["skills/goes"]
    assert not (out / "all/warm/environment/skills/goes").exists()
    assert "all: 1 skills whose files could not be read; see all.json" in result.stdout


def test_a_cap_on_the_arm_all_is_stated_and_keeps_the_relevant_skills(
    library: Path, queries: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = _run(library, str(queries), "--out", str(out), "--arm", "all", "--all-skills", "2")
    assert "all: at most 2 of 8 skills" in result.stdout
    assert sorted(p.name for p in (out / "all/hot-2/environment/skills").iterdir() if p.is_dir()) == [
        "find-a-thing", "heat-a-thing",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "why"),
    [(["--budget", "0"], "at least 1"), (["--max-skills", "0"], "at least 1"), (["--all-skills", "0"], "at")],
)
def test_numbers_below_one_are_refused(
    library: Path, queries: Path, tmp_path: Path, words: list[str], why: str
) -> None:
    result = _run(library, str(queries), "--out", str(tmp_path / "out"), *words)
    assert result.exit_code == 2
    assert why in result.stderr


def test_a_folder_that_is_not_empty_or_holds_no_pack_is_refused(library: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = _run(library, str(tmp_path / "empty"), "--out", str(tmp_path / "out"))
    assert (result.exit_code, "holds no task pack" in result.stderr) == (2, True)
    result = _run(library, str(tmp_path / "gone"), "--out", str(tmp_path / "out"))
    assert (result.exit_code, "no such file or folder" in result.stderr) == (2, True)
    _pack(tmp_path / "tasks")
    result = _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "tasks"))
    assert (result.exit_code, "is not empty" in result.stderr) == (2, True)


def test_a_place_that_cannot_be_written_is_an_error_with_a_reason(library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks")
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "file" / "out"))
    assert result.exit_code == 2
    assert "cannot export to" in result.stderr


def test_an_export_without_any_pack_has_an_exit_code_of_its_own(library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks", **{"task.toml": "[oops"})
    result = _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "out"))
    assert result.exit_code == 1


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege on Windows")
def test_two_packs_under_one_real_name_are_not_mixed(library: Path, tmp_path: Path) -> None:
    pack = _pack(tmp_path / "tasks")
    (tmp_path / "tasks" / "again").symlink_to(pack)
    _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "out"), "--arm", "none")
    assert _manifest(tmp_path / "out", "none")["skipped"] == [["warm", "two packs have this name"]]


def test_the_runner_itself_loads_the_packs(library: Path, queries: Path, tmp_path: Path) -> None:
    tasks = pytest.importorskip("harbor.models.task.task", reason="the runner is not installed here")
    skills = pytest.importorskip("harbor.skills")
    _pack(tmp_path / "tasks")
    _run(library, str(tmp_path / "tasks"), "--out", str(tmp_path / "a"), "--arm", "skillquiver")
    _run(library, str(queries), "--out", str(tmp_path / "b"), "--arm", "skillquiver")
    packs = [*(tmp_path / "a/skillquiver").iterdir(), *(tmp_path / "b/skillquiver").iterdir()]
    assert len(packs) == 3
    for pack in packs:
        assert tasks.Task.is_valid_dir(pack)
        assert tasks.Task(pack).config.environment.skills_dir == "/skills"
        assert skills.resolve_skills([pack / "environment/skills"])

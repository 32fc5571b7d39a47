"""Task packs that are made to break the export, or to read what is none of theirs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli import main

SECRET = "FROM secret\n"

LINKS = ("task.toml", "instruction.md", "environment/Dockerfile", "environment/.dockerignore", "environment")


def _pack(folder: Path, config: str = "") -> Path:
    (folder / "environment").mkdir(parents=True)
    (folder / "task.toml").write_text(config, encoding="utf-8")
    (folder / "instruction.md").write_text("Put a hot apple on the shelf.", encoding="utf-8")
    (folder / "environment/Dockerfile").write_text("FROM ubuntu\n", encoding="utf-8")
    return folder


def _export(library: Path, source: Path, out: Path, *words: str) -> Result:
    arguments = [str(source), "--out", str(out), "--arm", "all", *words, "--library", str(library)]
    result = CliRunner().invoke(main, ["eval", "export", "harbor", *arguments], prog_name="quiver")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _manifest(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "all.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("linked", LINKS)
def test_no_file_of_a_pack_is_read_through_a_link_out_of_it(
    linked: str, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/Dockerfile").write_text(SECRET, encoding="utf-8")
    pack = _pack(tmp_path / "tasks/warm")
    _pack(tmp_path / "tasks/whole")
    entry = pack / linked
    if entry.is_dir():
        (entry / "Dockerfile").unlink()
        entry.rmdir()
    entry.unlink(missing_ok=True)
    entry.symlink_to(tmp_path / "secret" / ("" if linked == "environment" else "Dockerfile"))
    result = _export(library, tmp_path / "tasks", tmp_path / "out", "--say-order")
    assert result.exit_code == 0, result.output
    ((task, why),) = _manifest(tmp_path / "out")["skipped"]
    assert task == "warm"
    assert "a link out of the pack" in why
    assert sorted(path.name for path in (tmp_path / "out/all").iterdir()) == ["whole"]


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("steps = 5", "its steps are no list"),
        ("[[steps]]\nname = 5", "a step has a name that is no text"),
        ("environment = 5", "its environment is no table"),
        (f"x = {'[' * 5000}{']' * 5000}", "nested too deep"),
    ],
)
def test_a_pack_of_another_shape_is_skipped(config: str, why: str, library: Path, tmp_path: Path) -> None:
    _pack(tmp_path / "tasks/warm", config)
    result = _export(library, tmp_path / "tasks", tmp_path / "out")
    assert result.exit_code == 1
    assert why in _manifest(tmp_path / "out")["skipped"][0][1]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_names_that_are_no_text_stand_in_the_manifest_as_escapes(library: Path, tmp_path: Path) -> None:
    pack = _pack(tmp_path / "tasks" / os.fsdecode(b"warm\xff"))
    (pack / os.fsdecode(b"link\xfe")).symlink_to("/nowhere")
    assert _export(library, tmp_path / "tasks", tmp_path / "out").exit_code == 0
    (task,) = _manifest(tmp_path / "out")["tasks"]
    assert task["task"] == "warm\udcff"
    assert task["left_out"] == [["link\udcfe", "a link to nowhere"]]


def test_a_query_that_is_no_text_becomes_an_instruction_that_is(library: Path, tmp_path: Path) -> None:
    query = {"query_id": "q", "query": "warm \ud800 apple", "gold": []}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query), encoding="utf-8")
    assert _export(library, tmp_path / "queries.jsonl", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out/all/q/instruction.md").read_text(encoding="utf-8") == "warm ? apple\n"


def test_a_pack_is_not_copied_into_itself(library: Path, tmp_path: Path) -> None:
    pack = _pack(tmp_path / "tasks/warm")
    result = _export(library, tmp_path / "tasks", pack / "out")
    assert result.exit_code == 2
    assert "is in a task pack" in result.stderr
    assert not (pack / "out").exists()

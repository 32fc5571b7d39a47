from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli.main import main
from tests.libraries import index, put
from tests.serve.hosts.homes import state

Doctor = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / "work").mkdir(parents=True)
    for variable, value in (("HOME", folder), ("USERPROFILE", folder), ("XDG_DATA_HOME", folder / "data")):
        monkeypatch.setenv(variable, str(value))
    for variable in ("CLAUDE_CONFIG_DIR", "SLASH_COMMAND_TOOL_CHAR_BUDGET"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(folder / "work")
    return folder


@pytest.fixture
def doctor(home: Path, tmp_path: Path) -> Doctor:
    """Runs ``quiver doctor`` on 56 skills, ``s-00`` to ``s-55``, whose descriptions have 150 characters."""
    root = tmp_path / "root"
    for number in range(56):
        put(root, f"s-{number:02}", description=f"{'x' * 150}")
    index(tmp_path / "library", root)

    def run(*arguments: str, code: int = 0) -> Result:
        words = ["doctor", *arguments, "--library", str(tmp_path / "library")]
        result = CliRunner().invoke(main, words, prog_name="quiver")
        assert result.exit_code == code, result.output
        return result

    return run


def names(result: Result, key: str) -> list[str]:
    data: dict[str, Any] = json.loads(result.stdout)
    return [one["name"] for one in data[key]]


def test_the_skills_that_lose_their_text_are_listed_and_fail_a_strict_run(doctor: Doctor) -> None:
    # 56 names of 6 characters with "- " less 1: 56 * 7 - 1 = 391; (8000 - 391) // 152 = 50 texts.
    result = doctor("--host", "claude-code", "--window", "200000", "--strict", "--json", code=1)
    assert names(result, "lost") == [f"s-{number:02}" for number in range(50, 56)]
    text = doctor("--host", "claude-code").stdout
    assert "6 do not keep their text" in text
    assert "s-50: loses its text" in text


def test_a_window_five_times_as_large_keeps_every_text(doctor: Doctor) -> None:
    result = doctor("--host", "claude-code", "--window", "1000000", "--strict", "--json")
    assert (names(result, "lost"), names(result, "crowded")) == ([], [])


def test_codex_shortens_all(doctor: Doctor) -> None:
    data = json.loads(doctor("--host", "codex", "--window", "50000", "--json").stdout)
    assert len(data["lost"]) == 56
    assert {one["outcome"] for one in data["lost"]} == {"shortened"}
    assert "shortened to" in doctor("--host", "codex", "--window", "50000").stdout


def test_the_most_used_skills_keep_their_text(doctor: Doctor, home: Path) -> None:
    usage = {"s-55": {"usageCount": 3, "lastUsedAt": 1}, "s-54": {"usageCount": "many"}, "s-53": 1}
    (home / ".claude.json").write_text(json.dumps({"skillUsage": usage}), encoding="utf-8")
    result = doctor("--host", "claude-code", "--json")
    assert "s-55" not in names(result, "lost")
    assert "s-49" in names(result, "lost")
    assert json.loads(result.stdout)["used_known"] == 1


def test_the_hosts_own_settings_are_obeyed(
    doctor: Doctor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"skillListingBudgetFraction": 0.05, "skillOverrides": {"s-01": "off", "s-02": "name-only"}}
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    data = json.loads(doctor("--host", "claude-code", "--json").stdout)
    assert (data["budget"], data["skills"], data["lost"]) == (40_000, 55, [])
    monkeypatch.setenv("SLASH_COMMAND_TOOL_CHAR_BUDGET", "1000")
    assert json.loads(doctor("--host", "claude-code", "--json").stdout)["budget"] == 1_000


@pytest.mark.parametrize("settings", [None, '{\r\n  // mine\r\n  "skillOverrides": {"s-03": "off"},\r\n}'])
def test_overrides_are_written_once_and_taken_out_byte_for_byte(
    doctor: Doctor, home: Path, settings: str | None
) -> None:
    if settings is not None:
        (home / ".claude").mkdir()
        (home / ".claude/settings.json").write_text(settings, encoding="utf-8", newline="")
    before = state(home)
    host = ("--host", "claude-code")
    assert "nothing was written" in doctor(*host, "--write-overrides", "--dry-run").stdout
    assert state(home) == before
    assert "settings written" in doctor(*host, "--write-overrides").stdout
    once = state(home)
    assert "nothing to change" in doctor(*host, "--write-overrides").stdout
    assert state(home) == once
    after = json.loads(doctor(*host, "--strict", "--json").stdout)
    assert (after["lost"], after["crowded"]) == ([], [])
    assert after["hidden"] > 30
    assert json.loads(doctor(*host, "--undo-overrides", "--json").stdout)["overrides"]["changed"]
    assert state(home) == before
    assert "nothing to change" in doctor(*host, "--undo-overrides").stdout


def test_nothing_is_hidden_where_all_fits(doctor: Doctor, home: Path) -> None:
    result = doctor("--host", "claude-code", "--window", "2000000", "--write-overrides")
    assert "nothing to change" in result.stdout
    assert not (home / ".claude").exists()


def test_only_skills_in_the_hosts_folders_count_where_there_are_some(home: Path, tmp_path: Path) -> None:
    mine = home / ".claude" / "skills"
    put(mine, "mine")
    put(mine / "bundled" / "skills", "inner")
    manifest = mine / "bundled" / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir()
    manifest.write_text('{"name": "pack"}', encoding="utf-8")
    put(tmp_path / "far", "elsewhere")
    index(tmp_path / "library", mine, tmp_path / "far")
    words = ["doctor", "--host", "claude-code", "--window", "200", "--json"]
    data = json.loads(CliRunner().invoke(main, [*words, "--library", str(tmp_path / "library")]).stdout)
    assert (data["basis"], data["skills"]) == ("host-folders", 2)
    assert [one["name"] for one in data["lost"]] == ["mine", "pack:inner"]
    manifest.write_text("{", encoding="utf-8")
    data = json.loads(CliRunner().invoke(main, [*words, "--library", str(tmp_path / "library")]).stdout)
    assert [one["name"] for one in data["lost"]] == ["bundled:inner", "mine"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "cursor"), "no budget is known"),
        (("--host", "claude-code", "--window", "0"), "--window is 0"),
        (("--host", "codex", "--write-overrides"), "no setting that hides"),
        (("--host", "emacs", "--undo-overrides"), "no host 'emacs'"),
        (("--host", "claude-code", "--undo-overrides", "--write-overrides"), "not both"),
        (("--undo-overrides",), "name the host"),
    ],
)
def test_a_wrong_request_is_a_usage_error(doctor: Doctor, arguments: tuple[str, ...], said: str) -> None:
    assert said in doctor(*arguments, code=2).stderr


def test_broken_settings_are_named(doctor: Doctor, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{", encoding="utf-8")
    assert "is not JSON" in doctor("--host", "claude-code", code=1).stderr

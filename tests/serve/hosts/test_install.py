from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli.main import main
from skillquiver.serve.hosts.config_files import HostFileError, Replacement, read_file, replace_files
from skillquiver.serve.hosts.facts import FACTS, HookWord
from skillquiver.serve.hosts.jsonc import parse_jsonc, value_of
from skillquiver.serve.hosts.plans import Command
from skillquiver.serve.usecases.installing import find_command
from tests.serve.hosts.homes import EXISTING, state, write_home

Quiver = Callable[..., Result]
HOSTS = sorted(FACTS)
SCOPES = [(), ("--project",)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my home"
    folder.mkdir()
    for variable, value in (("HOME", folder), ("USERPROFILE", folder), ("XDG_DATA_HOME", folder / "data")):
        monkeypatch.setenv(variable, str(value))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    project = folder / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return folder


@pytest.fixture
def quiver(home: Path) -> Quiver:
    def run(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, ["install", *arguments], prog_name="quiver")
        assert result.exit_code == code, result.output
        return result

    return run


def document(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return value_of(text, parse_jsonc(text))


# --- in and out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("prepared", [True, False])
def test_installed_twice_and_taken_out_leaves_the_whole_tree_as_it_was(
    home: Path, quiver: Quiver, host: str, scope: tuple[str, ...], prepared: bool
) -> None:
    if prepared:
        write_home(home)
        write_home(home / "project")
    before = state(home)
    assert "installed" in quiver(host, *scope).stdout
    once = state(home)
    assert once != before
    assert "nothing to change" in quiver(host, *scope).stdout
    assert state(home) == once
    quiver(host, *scope, "--uninstall")
    assert state(home) == before
    assert "nothing of ours" in quiver(host, *scope, "--uninstall").stdout


def test_all_hosts_at_once_can_be_taken_out_in_any_order(home: Path, quiver: Quiver) -> None:
    write_home(home)
    before = state(home)
    for host in HOSTS:
        for scope in SCOPES:
            quiver(host, *scope)
    for host in ("codex", "gemini", "claude-code", "opencode", "cursor"):
        for scope in reversed(SCOPES):
            quiver(host, *scope, "--uninstall")
    assert state(home) == before


def test_a_note_that_two_hosts_share_stays_until_the_last_one_goes(home: Path, quiver: Quiver) -> None:
    quiver("codex", "--project")
    quiver("opencode", "--project")
    quiver("codex", "--project", "--uninstall")
    assert "find_skills" in (home / "project" / "AGENTS.md").read_text(encoding="utf-8")
    quiver("opencode", "--project", "--uninstall")
    assert list((home / "project").iterdir()) == []


def test_edits_made_in_between_stay_and_ours_go(home: Path, quiver: Quiver) -> None:
    write_home(home)
    for host in HOSTS:
        quiver(host)
    edits = {
        ".codex/config.toml": (b'model = "x"   # odd', b'model = "new"'),
        ".cursor/mcp.json": (b'"url": "u"', b'"url": "new"'),
        ".gemini/settings.json": (b"// c", b"// changed"),
        ".gemini/GEMINI.md": (b"line", b"lines"),
    }
    for name, (old, new) in edits.items():
        data = (home / name).read_bytes()
        assert old in data
        (home / name).write_bytes(data.replace(old, new, 1))
    for host in HOSTS:
        assert ("other edits stay" in quiver(host, "--uninstall").stdout) == (host in "codex cursor gemini")
    for name, (old, new) in edits.items():
        assert (home / name).read_bytes() == EXISTING[name].replace(old, new, 1)


def test_another_library_replaces_the_entry_and_still_goes_without_a_trace(
    home: Path, quiver: Quiver
) -> None:
    write_home(home)
    before = state(home)
    for host in HOSTS:
        quiver(host)
        assert quiver(host, "--library", str(home / "a 'b'")).stdout.count("  change ") >= 1
        assert "nothing to change" in quiver(host, "--library", str(home / "a 'b'")).stdout
        quiver(host, "--uninstall")
    assert state(home) == before


# --- what is written -------------------------------------------------------------------------------


def test_the_claude_code_plugin_starts_the_server_and_the_hooks_with_paths_that_have_spaces(
    home: Path, quiver: Quiver
) -> None:
    library = str(home / "my library")
    quiver("claude-code", "--library", library)
    plugin = home / ".claude" / "skills" / "skillquiver"
    assert document(plugin / ".claude-plugin" / "plugin.json")["name"] == "skillquiver"
    server = document(plugin / ".mcp.json")["mcpServers"]["skillquiver"]
    assert server["args"] == ["mcp", "--library", library]
    hooks = document(plugin / "hooks" / "hooks.json")["hooks"]
    lines = {event: shlex.split(group["hooks"][0]["command"]) for event, (group,) in hooks.items()}
    assert {event: words[-4:] for event, words in lines.items()} == {
        "UserPromptSubmit": ["hook", "prompt", "--library", library],
        "PostToolUse": ["hook", "tool", "--library", library],
        "SessionStart": ["hook", "session", "--library", library],
    }
    assert hooks["PostToolUse"][0]["matcher"] == "Skill"


def test_the_other_hosts_get_the_server_beside_what_was_there(home: Path, quiver: Quiver) -> None:
    write_home(home)
    for host in HOSTS:
        quiver(host)
    codex = tomllib.loads((home / ".codex/config.toml").read_text(encoding="utf-8"))
    assert codex["mcp_servers"]["skillquiver"]["args"] == ["mcp"]
    assert codex["mcp_servers"]["other"] == {"command": "y"}
    assert len(document(home / ".codex/hooks.json")["hooks"]["UserPromptSubmit"]) == 2
    assert set(document(home / ".cursor/mcp.json")["mcpServers"]) == {"x", "skillquiver"}
    gemini = document(home / ".gemini/settings.json")
    assert set(gemini["mcpServers"]) == {"x", "skillquiver"}
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5_000
    server = document(home / ".config/opencode/opencode.json")["mcp"]["skillquiver"]
    assert (server["type"], server["command"][-1]) == ("local", "mcp")


def test_every_command_a_host_is_told_to_start_is_one_the_program_takes() -> None:
    lines = [("hook", word.value) for word in HookWord] + [("mcp",)]
    for words in lines:
        arguments = list(Command((), Path("/x")).words(*words))
        context = click.Context(main, help_option_names=main.context_settings["help_option_names"])
        group: click.Group | None = main
        while group is not None:
            command = group.get_command(context, arguments[0])
            assert command is not None, words
            context = command.make_context(arguments[0], arguments[1:], parent=context)
            group, arguments = (command if isinstance(command, click.Group) else None), arguments[1:]


def test_the_skill_is_valid_by_our_own_rules(home: Path, quiver: Quiver) -> None:
    quiver("claude-code")
    root = home / ".claude/skills/skillquiver/skills"
    result = CliRunner().invoke(
        main, ["index", f"s={root}", "--no-vectors", "--strict", "--library", str(home / "l"), "--json"]
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["skills"], report["findings"]) == (1, {})


def test_an_existing_jsonc_file_of_opencode_is_used(home: Path, quiver: Quiver) -> None:
    path = home / ".config/opencode/opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text("{ // c\n}", encoding="utf-8")
    quiver("opencode")
    assert "skillquiver" in document(path)["mcp"]
    quiver("opencode", "--uninstall")
    assert path.read_text(encoding="utf-8") == "{ // c\n}"


def test_a_moved_configuration_folder_is_obeyed(
    home: Path, quiver: Quiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    quiver("codex")
    assert (home / "elsewhere" / "config.toml").exists()
    assert not (home / ".codex").exists()


# --- dry run, JSON, errors ---------------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
def test_a_dry_run_prints_a_diff_for_each_file_and_writes_nothing(
    home: Path, quiver: Quiver, host: str
) -> None:
    write_home(home)
    before = state(home)
    text = quiver(host, "--dry-run").stdout
    assert state(home) == before
    report = json.loads(quiver(host, "--dry-run", "--json").stdout)
    assert text.count("\n+++ ") + text.startswith("+++ ") == len(report["files"])
    assert all(file["diff"] for file in report["files"])
    assert "nothing was written" in text
    quiver(host)
    installed = state(home)
    assert "\n-" in quiver(host, "--uninstall", "--dry-run").stdout
    assert state(home) == installed


@pytest.mark.parametrize("host", HOSTS)
def test_what_a_host_cannot_do_is_said(quiver: Quiver, host: str) -> None:
    text = quiver(host).stdout
    assert all(fact in text for fact in FACTS[host].cannot)


def test_an_unknown_host_is_a_usage_error_that_lists_the_hosts(quiver: Quiver) -> None:
    result = quiver("emacs", code=2)
    assert all(host in result.stderr for host in HOSTS)
    assert json.loads(quiver("emacs", "--json", code=2).stdout)["error"]["type"] == "UsageError"


@pytest.mark.parametrize(
    ("host", "name", "data", "said"),
    [
        ("gemini", ".gemini/settings.json", b'{"a": 1', "line 1, column 8"),
        ("gemini", ".gemini/settings.json", b'{"mcpServers": []}', "mcpServers is no object"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": {"skillquiver": 1}}', "another value"),
        ("codex", ".codex/config.toml", b"a = ", "Invalid value"),
        ("codex", ".codex/hooks.json", b"[1]", "is no object"),
        ("opencode", ".config/opencode/opencode.json", b"\xff\xfe{", "not UTF-8"),
        ("claude-code", ".claude/skills/skillquiver/.mcp.json", b"{}", "not written by quiver"),
    ],
)
def test_a_file_that_cannot_take_ours_is_named_and_nothing_is_written(
    home: Path, quiver: Quiver, host: str, name: str, data: bytes, said: str
) -> None:
    (home / name).parent.mkdir(parents=True)
    (home / name).write_bytes(data)
    before = state(home)
    result = quiver(host, code=1)
    assert said in result.stderr
    assert Path(name).name in result.stderr
    assert state(home) == before


def test_a_read_only_file_is_refused(home: Path, quiver: Quiver) -> None:
    write_home(home)
    (home / ".cursor/mcp.json").chmod(0o444)
    before = state(home)
    assert "read-only" in quiver("cursor", code=1).stderr
    assert state(home) == before


def test_a_file_that_broke_since_is_refused_when_taking_out(home: Path, quiver: Quiver) -> None:
    quiver("cursor")
    (home / ".cursor/mcp.json").write_text("{", encoding="utf-8")
    before = state(home)
    assert "was left as it is" in quiver("cursor", "--uninstall", code=1).stderr
    assert state(home) == before


def test_a_folder_or_a_looping_link_in_the_place_of_a_file_is_refused(home: Path, quiver: Quiver) -> None:
    (home / ".cursor/mcp.json").mkdir(parents=True)
    assert "not a file" in quiver("cursor", code=1).stderr
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").symlink_to(home / ".gemini/settings.json")
    assert quiver("gemini", code=1).stderr


# --- links, modes, races -----------------------------------------------------------------------------


def test_a_linked_configuration_is_written_through_the_link_with_its_mode(home: Path, quiver: Quiver) -> None:
    real = home / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o600)
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").symlink_to(real)
    before = state(home)
    quiver("cursor")
    assert (home / ".cursor/mcp.json").is_symlink()
    assert "skillquiver" in document(real)["mcpServers"]
    assert real.stat().st_mode & 0o777 == 0o600
    quiver("cursor", "--uninstall")
    assert state(home) == before


def test_a_file_that_changed_since_it_was_read_is_not_written_over(tmp_path: Path) -> None:
    first, second = tmp_path / "new" / "first", tmp_path / "second"
    second.write_text("old", encoding="utf-8")
    plans = [Replacement(read_file(first), b"1"), Replacement(read_file(second), b"2")]
    second.write_text("theirs", encoding="utf-8")
    with pytest.raises(HostFileError, match="changed while"):
        replace_files(plans)
    assert state(tmp_path) == {str(second): state(tmp_path)[str(second)]}
    assert second.read_text(encoding="utf-8") == "theirs"


def test_a_folder_that_cannot_be_made_is_said_and_what_was_written_goes_back(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    plans = [Replacement(read_file(tmp_path / "a"), b"1")]
    snapshot = read_file(tmp_path / "b")
    blocked = type(snapshot)(tmp_path / "file" / "b", tmp_path / "file" / "b", None)
    with pytest.raises(HostFileError, match="cannot write"):
        replace_files([*plans, Replacement(blocked, b"2")])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_files_of_ours_that_were_edited_stay_and_deleted_ones_are_no_error(
    home: Path, quiver: Quiver
) -> None:
    quiver("claude-code")
    plugin = home / ".claude/skills/skillquiver"
    skill, server = plugin / "skills/find-skills/SKILL.md", plugin / ".mcp.json"
    skill.write_text("mine", encoding="utf-8")
    server.unlink()
    assert "stays" in quiver("claude-code").stdout
    assert server.exists()
    server.unlink()
    assert "already gone" in quiver("claude-code", "--uninstall").stdout
    assert [path for path in plugin.rglob("*") if path.is_file()] == [skill]


def test_a_damaged_ledger_is_named(home: Path, quiver: Quiver) -> None:
    quiver("cursor")
    ledger = home / "data/skillquiver/installs.json"
    for text, said in (("{", "damaged"), ('{"version": 9}', "format 9")):
        ledger.write_text(text, encoding="utf-8")
        assert said in quiver("cursor", code=1).stderr


# --- the command -------------------------------------------------------------------------------------


def test_a_project_names_the_command_on_the_path_and_a_user_the_absolute_one(tmp_path: Path) -> None:
    script = tmp_path / "quiver"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)
    on_path = {"PATH": str(tmp_path)}
    assert find_command(on_path, shared=True, library=None).program == ("quiver",)
    for environment in (on_path, {"PATH": ""}):
        program = find_command(environment, shared=False, library=None).program
        assert Path(program[0]).is_absolute()


def test_a_hook_line_survives_a_shell() -> None:
    words = Command(("/a b/quiver",), Path("/l'x $HOME"))
    assert shlex.split(words.line("hook", "prompt")) == list(words.words("hook", "prompt"))
    windows = Command(("C:\\Program Files\\quiver.exe",), windows=True)
    assert windows.line("hook", "tool") == '"C:/Program Files/quiver.exe" hook tool'


def test_a_library_named_by_the_environment_is_pointed_out(
    quiver: Quiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIVER_LIBRARY", "/x")
    assert "QUIVER_LIBRARY is set here" in quiver("cursor").stdout

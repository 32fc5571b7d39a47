from __future__ import annotations

import io
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillquiver.errors import SkillquiverError
from skillquiver.learn.events import Event, EventLog, uses
from skillquiver.serve.cli import main
from skillquiver.serve.hook import handlers
from skillquiver.serve.hook.client import ask_warm
from skillquiver.serve.hook.documents import document
from skillquiver.serve.hook.endpoint import start_local_endpoint
from skillquiver.serve.hook.events import HookInput
from skillquiver.serve.hook.handlers import events_folder, on_prompt, on_session, on_tool
from skillquiver.serve.hook.process import answer
from skillquiver.serve.hook.sockets import SUPPORTED
from skillquiver.serve.live import LiveLibrary
from tests.serve.hook.helpers import context_of, document_of, environment, hook

USE = {"session_id": "s", "tool_name": "Skill", "tool_input": {"skill": "pdf"}}


def call(skill: str) -> str:
    return json.dumps({"message": {"content": [{"name": "Skill", "input": {"skill": skill}}]}})


def kept() -> list[Event]:
    return EventLog(events_folder()).read()[0]


def quiver(*words: str) -> Any:
    return CliRunner().invoke(main, words)


def test_nothing_is_kept_unless_the_user_asked_for_it(library: Path) -> None:
    assert document_of(hook("tool", USE, library=library)) == {}
    assert kept() == []


def test_a_tool_event_a_slash_prompt_and_a_transcript_of_one_use_count_once(
    library: Path, tmp_path: Path
) -> None:
    assert quiver("hook", "record", "on").output.startswith("recording is on: 0 uses from 0 events")
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(call("pdf") + "\n", encoding="utf-8")
    assert document_of(hook("tool", USE, library=library)) == {}
    assert context_of(hook("prompt", {"session_id": "s", "prompt": "/pdf fill it in"}, library=library)) == ""
    for added in (1, 0):
        shown = quiver("hook", "backfill", str(transcript)).output
        assert shown == f"{added} events added from 1 transcripts\n"
    assert sorted(event.source for event in kept()) == ["prompt", "tool", "transcript"]
    assert [(use.session, use.skill) for use in uses(kept())] == [("s", "pdf")]
    assert quiver("hook", "record", "off").output == "recording is off: 1 uses from 3 events\n"
    assert quiver("hook", "backfill", str(transcript)).exit_code == 2


def test_no_text_of_a_prompt_is_kept(library: Path) -> None:
    quiver("hook", "record", "on")
    hook("prompt", {"session_id": "s", "prompt": "/pdf my secret"}, library=library)
    hook("prompt", {"session_id": "s", "prompt": "convert my secret csv file to parquet"}, library=library)
    data = (events_folder() / EventLog.FILE).read_text(encoding="utf-8")
    assert "secret" not in data
    assert sorted(json.loads(data)) == ["session", "skill", "source", "time"]


def test_damage_to_the_log_is_counted(library: Path) -> None:
    quiver("hook", "record", "on")
    (events_folder() / EventLog.FILE).write_text("?\n", encoding="utf-8")
    assert quiver("hook", "record", "status").output.endswith("; 1 unreadable lines\n")


@pytest.mark.parametrize(
    "event",
    [
        HookInput(tool="Read", skill="pdf", session="s"),
        HookInput(tool="Skill", session="s"),
        HookInput(tool="Skill", skill="two words", session="s"),
    ],
)
def test_other_tools_and_names_that_are_none_are_not_kept(event: HookInput, library: Path) -> None:
    quiver("hook", "record", "on")
    assert on_tool(event, str(library)) == ""
    assert kept() == []


def test_a_log_that_cannot_be_written_does_not_cost_the_answer(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quiver("hook", "record", "on")
    (events_folder() / EventLog.FILE).mkdir()
    assert on_prompt(HookInput(prompt="/pdf", session="s"), str(library)) == ""
    assert "cannot write" in capsys.readouterr().err


def test_a_session_that_was_shortened_is_reminded_of_its_skills_the_latest_last(
    library: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("\n".join(map(call, ("pdf", "csv", "pdf"))), encoding="utf-8")
    event = {"session_id": "s", "source": "compact", "transcript_path": str(transcript)}
    run = hook("session", event, library=library)
    assert document_of(run)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "in this session: `csv`, `pdf`. " in context_of(run)
    for source in ("startup", "clear", ""):
        assert context_of(hook("session", {**event, "source": source}, library=library)) == ""


def test_kept_events_of_the_session_are_reminded_of_without_a_transcript(library: Path) -> None:
    quiver("hook", "record", "on")
    on_tool(HookInput(tool="Skill", skill="pdf", session="s"), str(library))
    on_tool(HookInput(tool="Skill", skill="csv", session="other"), str(library))
    assert "`pdf`. " in on_session(HookInput(source="resume", session="s"), str(library))
    assert on_session(HookInput(source="resume", session="new"), str(library)) == ""


@pytest.mark.parametrize("path", ["", "/nowhere/t.jsonl", "a\0b", "/"])
def test_a_transcript_that_is_none_reminds_of_nothing(path: str, library: Path) -> None:
    event = HookInput(source="compact", session="s", transcript=path)
    assert on_session(event, str(library)) == ""


@pytest.mark.skipif(not SUPPORTED, reason="no Unix sockets here")
def test_a_session_starts_a_warm_server_only_if_the_user_asked_for_it(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def popen(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(words, **{**options, "stderr": subprocess.PIPE}, env=environment()))
        return started[-1]

    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", popen)
    on_session(HookInput(source="startup"), str(library))
    assert started == []
    monkeypatch.setenv(handlers.WARM_VARIABLE, "1")
    on_session(HookInput(source="startup"), str(library))
    (process,) = started
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.readline().startswith(b"quiver: answering hooks at ")
        assert ask_warm(str(library), b'{"prompt": "bake a cake"}', seconds=30) == document("prompt")
        on_session(HookInput(source="startup"), str(library))
        assert len(started) == 1
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait() == 0


def test_a_server_that_cannot_be_started_is_an_error(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def popen(*_: object, **options: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setenv(handlers.WARM_VARIABLE, "1")
    with pytest.raises(SkillquiverError, match="cannot start a warm server"):
        on_session(HookInput(source="startup"), str(library))


def test_a_server_that_is_there_answers_the_hook_if_there_is_time(library: Path) -> None:
    event = json.dumps({"prompt": "convert this csv file into parquet with typed columns"}).encode()
    words = ["--library", str(library)]
    alone = answer("prompt", words, io.BytesIO(event), left=left)
    with LiveLibrary(library) as live, start_local_endpoint(live) as one:
        assert answer("prompt", words, io.BytesIO(event), left=left) == alone
        asked = one.idle_seconds
        assert answer("prompt", words, io.BytesIO(event), left=lambda: 0.0) == alone
        assert one.idle_seconds > asked
    assert b"tools/csv-parquet" in alone


def left() -> float:
    """Time enough."""
    return 60.0

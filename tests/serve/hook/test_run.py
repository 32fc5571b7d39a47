"""The process's own code, run in this process, so that its faults can be brought about."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skillquiver.serve import entry
from skillquiver.serve.hook import deadline, handlers, process
from skillquiver.serve.hook.events import parse_input
from skillquiver.serve.hook.limits import INPUT_BYTES
from skillquiver.serve.hook.process import answer
from skillquiver.serve.hook.suggest import live_suggestions
from skillquiver.serve.live import LiveLibrary

EMPTY = b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": ""}}\n'
PROMPT = b'{"prompt": "convert this csv file into parquet with typed columns"}'


class Left(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Start ``quiver`` with these words and bytes; its end is an exception."""

    def leave(code: int) -> None:
        assert code == 0
        raise Left

    def start(*words: str, data: bytes = PROMPT) -> None:
        monkeypatch.setattr(sys, "argv", ["quiver", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        with pytest.raises(Left):
            entry.main()

    monkeypatch.setattr(os, "_exit", leave)
    # The watch would end this process, that of the tests; test_process.py lets it end one of its own.
    monkeypatch.setattr(deadline.OneAnswer, "watch", lambda *_: None)
    return start


def test_the_short_way_ends_with_0_after_one_document(
    started: Callable[..., None], library: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    started("hook", "prompt", "--library", str(library))
    assert b"tools/csv-parquet" in capfdbinary.readouterr().out
    started("hook", "tool", data=b"{}")
    assert capfdbinary.readouterr().out == b"{}\n"


def test_other_words_take_the_long_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, shown in (
        (["hook", "prompt", "--help"], "Suggest skills for a prompt"),
        (["--version"], "quiver"),
    ):
        monkeypatch.setattr(sys, "argv", ["quiver", *words])
        with pytest.raises(SystemExit) as ended:
            entry.main()
        assert ended.value.code == 0
        assert shown in capsys.readouterr().out


def test_an_answer_that_comes_too_late_waits_for_the_one_that_is_being_written(
    started: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setattr(deadline.OneAnswer, "give", lambda *_: False)
    monkeypatch.setattr(process, "DEADLINE_SECONDS", 0.0)
    started("hook", "tool", data=b"{}")
    assert capfdbinary.readouterr().out == b""


def test_a_deadline_that_cannot_be_is_said(
    started: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for given in ("soon", "-1", "nan"):
        monkeypatch.setenv("QUIVER_HOOK_SECONDS", given)
        started("hook", "tool", data=b"{}")
        shown = capfdbinary.readouterr()
        assert shown.out == b"{}\n"
        assert f"QUIVER_HOOK_SECONDS is {given!r}".encode() in shown.err
    monkeypatch.delenv("QUIVER_HOOK_SECONDS")
    started("hook", "tool", data=b"{}")
    assert capfdbinary.readouterr().err == b""


def test_a_fault_of_our_own_is_said_and_adds_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> str:
        raise RuntimeError("a fault\x1b[2J of ours")

    monkeypatch.setattr(handlers, "HANDLERS", {"prompt": fail})
    assert answer("prompt", [], io.BytesIO(PROMPT), left=lambda: 1.0) == EMPTY
    assert capfd.readouterr().err == "quiver hook: RuntimeError: a fault of ours\n"


def test_wrong_options_and_events_are_said(capfd: pytest.CaptureFixture[str]) -> None:
    for words, data, said in (
        (["--loud"], PROMPT, "'--loud' is no option of a hook"),
        (["--library"], PROMPT, "'--library' is no option"),
        ([], b"{", "is no JSON"),
        ([], b"7", "is no JSON object"),
        ([], b" " * (INPUT_BYTES + 1), "more than"),
    ):
        assert answer("prompt", words, io.BytesIO(data), left=lambda: 1.0) == EMPTY
        assert said in capfd.readouterr().err


def test_without_a_name_the_library_is_the_users(capfd: pytest.CaptureFixture[str]) -> None:
    assert answer("prompt", [], io.BytesIO(PROMPT), left=lambda: 1.0) == EMPTY
    assert "no library at" in capfd.readouterr().err


def test_output_that_is_closed_is_said_and_a_closed_error_output_is_not_missed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = os.write

    def closed(*which: int) -> Callable[[int, bytes], int]:
        def write(to: int, data: bytes) -> int:
            if to in which:
                raise BrokenPipeError(32, "Broken pipe")
            return real(to, data)

        return write

    monkeypatch.setattr(os, "write", closed(1))
    process._write(b"x")
    assert capfd.readouterr().err == "quiver hook: cannot write the answer: Broken pipe\n"
    monkeypatch.setattr(os, "write", closed(1, 2))
    process._write(b"x")
    assert capfd.readouterr().err == ""


def test_fields_of_another_type_are_empty() -> None:
    event = parse_input(json.dumps({"prompt": 1, "tool_input": [], "session_id": "s"}).encode())
    assert (event.prompt, event.skill, event.session) == ("", "", "s")


def test_where_the_system_does_not_tell_a_process_is_as_old_as_its_imports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", missing)
    assert deadline.process_age() >= 0


def test_an_open_library_suggests_what_the_hook_would(library: Path) -> None:
    with LiveLibrary(library) as live:
        found, degraded = live_suggestions(live, "convert this csv file into parquet with typed columns")
    assert [one.id for one in found] == ["tools/csv-parquet"]
    assert degraded.startswith("vectors are not ready")

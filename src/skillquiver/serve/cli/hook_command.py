"""``quiver hook``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from skillquiver.serve.cli.common import guarded, library_option, say

__all__ = ["command"]


@click.group("hook", short_help="Answer an agent host's hooks: suggest skills, keep what was used.")
def command() -> None:
    """Answer an agent host's hooks.

    A host starts `prompt`, `tool` and `session` with an event as JSON on standard input. Each prints one
    JSON document and ends with 0, whatever happens: other codes would stop the host's user.
    """


def _run(hook: str, library: Path) -> None:
    """Answer within this process. Hosts come by a shorter way, which keeps a deadline (``serve.entry``)."""
    from skillquiver.serve.hook.limits import DEADLINE_SECONDS
    from skillquiver.serve.hook.process import answer

    words = ["--library", str(library)]
    stdin = sys.stdin.buffer
    data = answer(hook, words, stdin, left=lambda: DEADLINE_SECONDS)
    say(data.decode("ascii").rstrip("\n"))


@command.command("prompt")
@library_option
def prompt_command(library: Path) -> None:
    """Suggest skills for a prompt, if it is a request and the library is sure; else add nothing."""
    _run("prompt", library)


@command.command("tool")
@library_option
def tool_command(library: Path) -> None:
    """Keep that a skill was used, if `quiver hook record on` asked for it."""
    _run("tool", library)


@command.command("session")
@library_option
def session_command(library: Path) -> None:
    """Remind of the skills used so far when a session goes on with a shortened context."""
    _run("session", library)


@command.command("record")
@click.argument("switch", type=click.Choice(["on", "off", "status"]))
@guarded
def record_command(switch: str) -> None:
    """Keep usage events from now on (`on`), no longer (`off`), or say what is kept (`status`).

    An event has a session, a skill, a time and who saw it; never text of a prompt. It stays on this
    machine. `QUIVER_RECORD` set to `1` or `0` has the last word.
    """
    from skillquiver.learn.events import EventLog, recording, uses
    from skillquiver.serve.hook.handlers import events_folder

    log = EventLog(events_folder())
    if switch != "status":
        log.switch(on=switch == "on")
    events, damaged = log.read()
    on = recording(log.folder, os.environ)
    said = f"recording is {'on' if on else 'off'}: {len(uses(events))} uses from {len(events)} events"
    where = f" in {log.folder / EventLog.FILE}" if on else ""
    say(said + where + (f"; {damaged} unreadable lines" if damaged else ""))


@command.command("backfill")
@click.argument("transcripts", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--session", default="", help="Session of lines that name none; default: the file's name without its end."
)
@guarded
def backfill_command(transcripts: tuple[str, ...], session: str) -> None:
    """Read uses of skills out of a host's transcripts, if recording is on. Reading one again adds nothing."""
    from skillquiver.errors import UsageError
    from skillquiver.learn.events import EventLog, recording
    from skillquiver.learn.transcripts import transcript_events
    from skillquiver.serve.hook.handlers import events_folder

    log = EventLog(events_folder())
    if not recording(log.folder, os.environ):
        raise UsageError("recording is off; `quiver hook record on` begins it")
    added = 0
    for name in transcripts:
        with Path(name).open(encoding="utf-8", errors="replace") as lines:
            added += log.add_transcript(list(transcript_events(lines, session=session or Path(name).stem)))
    say(f"{added} events added from {len(transcripts)} transcripts")

"""What each hook does with its event: a context to add, or none."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from skillquiver.errors import LibraryError, SkillquiverError
from skillquiver.serve.hook.events import HookInput
from skillquiver.serve.hook.limits import PROMPT_CHARACTERS, TRANSCRIPT_BYTES

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HANDLERS", "events_folder", "on_prompt", "on_session", "on_tool"]

WARM_VARIABLE = "QUIVER_WARM"
"""Set to ``1``, the session hook starts a warm server that is not there yet."""

_SHORTENED = ("compact", "resume")
"""Sources of a session's start after which instructions may be gone from the context."""

REMINDED = 12
"""Skills a reminder names, the latest: as many as a bundle holds."""


def events_folder() -> Path:
    """Where usage events are kept: beside the default library, whatever library is used."""
    from platformdirs import user_data_path

    return user_data_path("skillquiver", appauthor=False)


def on_prompt(event: HookInput, library: str) -> str:
    """Suggest skills for a prompt, if it is a request and the library is sure. Raises ``LibraryError``."""
    from skillquiver.serve.hook.advice import advice
    from skillquiver.serve.hook.gate import is_request, slash_command, words_of

    prompt = event.prompt[:PROMPT_CHARACTERS]
    if command := slash_command(prompt):
        _record(event, command, "prompt")
        return ""
    if not is_request(prompt):
        return ""
    from pathlib import Path

    from skillquiver.serve.hook.suggest import lexical_suggestions

    return advice(lexical_suggestions(Path(library), words_of(prompt)))


def on_tool(event: HookInput, library: str) -> str:  # noqa: ARG001 - one shape for all hooks
    """Keep the use of a skill, if the user asked for that; a host may send other tools' events, too."""
    if event.tool in ("Skill", "") and event.skill:
        _record(event, event.skill, "tool")
    return ""


def on_session(event: HookInput, library: str) -> str:
    """Remind of the skills used so far when a session goes on with a shortened context."""
    if os.environ.get(WARM_VARIABLE) == "1":
        _start_warm(library)
    if event.source not in _SHORTENED:
        return ""
    from skillquiver.serve.hook.advice import reminder

    return reminder(_used(event))


HANDLERS: Mapping[str, Callable[[HookInput, str], str]] = {
    "prompt": on_prompt,
    "tool": on_tool,
    "session": on_session,
}
"""Name of a hook → what it does."""


def _record(event: HookInput, skill: str, source: str) -> None:
    """Append a usage event if recording is on; a disk that is full must not cost the answer."""
    from skillquiver.learn.events import Event, EventLog, EventSource, recording

    folder = events_folder()
    if not recording(folder, os.environ):
        return
    seen = Event.seen(session=event.session, skill=skill, time=time.time(), source=EventSource(source))
    if seen is None:
        return
    try:
        EventLog(folder).add([seen])
    except LibraryError as error:
        print(f"quiver hook: {error}", file=sys.stderr)


def _used(event: HookInput) -> list[str]:
    """Names of the skills used in this session, the latest last, out of the log and the transcript."""
    from skillquiver.learn.events import EventLog, recording, uses
    from skillquiver.learn.transcripts import transcript_events

    folder = events_folder()
    events = EventLog(folder).read()[0] if recording(folder, os.environ) else []
    lines = _tail(event.transcript)
    events += transcript_events(lines, session=event.session)
    found = [use.skill for use in uses(events) if use.session == event.session]
    latest = dict.fromkeys(reversed(found))
    return list(latest)[:REMINDED][::-1]


def _tail(path: str) -> list[str]:
    """The last lines of a file; none if it is no plain file that can be read."""
    from pathlib import Path

    if not path or "\0" in path or not Path(path).is_file():
        return []
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - TRANSCRIPT_BYTES, 0))
            return file.read(TRANSCRIPT_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        print(f"quiver hook: cannot read the transcript: {error.strerror}", file=sys.stderr)
        return []


def _start_warm(library: str) -> None:
    """Start ``quiver warm`` on its own; a second one sees the first and ends at once."""
    from skillquiver.serve.hook.sockets import SUPPORTED, socket_file

    if not SUPPORTED or os.path.exists(socket_file(library, os.environ)) or not os.path.isdir(library):
        return
    import subprocess

    words = [sys.executable, "-m", "skillquiver", "warm", "--library", library]
    null = subprocess.DEVNULL
    try:
        subprocess.Popen(words, stdin=null, stdout=null, stderr=null, start_new_session=True)  # noqa: S603
    except OSError as error:
        raise SkillquiverError(f"cannot start a warm server: {error.strerror}") from error

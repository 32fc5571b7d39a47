"""Usage events: which skill was used in which session, and when. Never what was said.

Kept only if the user asked for it, append-only, as JSON lines in the user's data folder.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from skillquiver.errors import LibraryError

__all__ = ["Event", "EventLog", "EventSource", "recording", "uses"]

RECORD_VARIABLE = "QUIVER_RECORD"

_ON = frozenset({"1", "on", "true", "yes"})

_NAME = re.compile(r"\w[\w.:/@+-]{0,199}")
"""What may be a skill's name: a host's words are not written down unread."""

_SESSION = re.compile(r"[\w.:-]{1,128}")


class EventSource(StrEnum):
    """Who saw the use: the tool hook, the prompt hook (a typed ``/skill``), or a transcript read later."""

    TOOL = "tool"
    PROMPT = "prompt"
    TRANSCRIPT = "transcript"


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """One use as one source saw it. ``skill`` is the host's name for it; ``time`` seconds since 1970 UTC."""

    time: float
    session: str
    skill: str
    source: EventSource

    @classmethod
    def seen(cls, *, session: str, skill: str, time: float, source: EventSource) -> Event | None:
        """An event, or ``None`` if what the host gave is no name of a session or of a skill."""
        if not (_SESSION.fullmatch(session) and _NAME.fullmatch(skill)):
            return None
        return cls(round(time, 3), session, skill, source)


def recording(folder: Path, environment: Mapping[str, str]) -> bool:
    """Whether events are kept: ``QUIVER_RECORD`` if it is set, else what ``quiver hook record`` was told."""
    told = environment.get(RECORD_VARIABLE, "")
    return told.casefold() in _ON if told else (folder / EventLog.SWITCH).is_file()


class EventLog:
    """The file of events in a folder. Several processes may append at once."""

    FILE = "events.jsonl"
    SWITCH = "recording"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def switch(self, *, on: bool) -> None:
        """Keep events from now on, or no longer; what was kept stays until its file is deleted."""
        if not on:
            (self.folder / self.SWITCH).unlink(missing_ok=True)
            return
        self._prepare()
        (self.folder / self.SWITCH).touch(mode=0o600)

    def add(self, events: Iterable[Event]) -> None:
        """Append events, in one write. Raises ``LibraryError`` if the file cannot be written."""
        lines = "".join(json.dumps(_row(event)) + "\n" for event in events)
        if not lines:
            return
        self._prepare()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            with os.fdopen(os.open(self.folder / self.FILE, flags, 0o600), "ab") as file:
                file.write(lines.encode("ascii"))
        except OSError as error:
            raise LibraryError(f"cannot write {self.folder / self.FILE}: {error.strerror}") from error

    def read(self) -> tuple[list[Event], int]:
        """Every event, and the number of lines that are none (a crash can cut one short)."""
        try:
            lines = (self.folder / self.FILE).read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return [], 0
        except OSError as error:
            raise LibraryError(f"cannot read {self.folder / self.FILE}: {error.strerror}") from error
        found = [_event(line) for line in lines]
        events = [event for event in found if event is not None]
        return events, len(found) - len(events)

    def add_transcript(self, events: Sequence[Event]) -> int:
        """Append what a transcript shows and the log does not have from it yet; returns how many.

        Reading a transcript again, or one that grew, adds only what is new.
        """
        known: defaultdict[tuple[str, str], int] = defaultdict(int)
        for event in self.read()[0]:
            known[event.session, event.skill] += event.source is EventSource.TRANSCRIPT
        new = []
        for event in sorted(events):
            if known[event.session, event.skill] > 0:
                known[event.session, event.skill] -= 1
            else:
                new.append(event)
        self.add(new)
        return len(new)

    def _prepare(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"no events can be kept at {self.folder}: {error.strerror}") from error


def _row(event: Event) -> dict[str, object]:
    return {
        "session": event.session,
        "skill": event.skill,
        "time": event.time,
        "source": event.source.value,
    }


def _event(line: str) -> Event | None:
    try:
        row = json.loads(line)
        source = EventSource(row["source"])
        return Event.seen(session=row["session"], skill=row["skill"], time=float(row["time"]), source=source)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def uses(events: Iterable[Event]) -> list[Event]:
    """Every use once, in order of time, with the source that saw it first.

    Sources see the same uses: the n-th use of a skill in a session is the n-th event of each source that
    saw it, so that a session has as many uses as the source that saw most. A bare name is the same skill
    as ``plugin:name`` if the session knows only one such. The count can be too low where sources saw
    different uses; it is never too high.
    """
    grouped: defaultdict[tuple[str, str], defaultdict[EventSource, list[Event]]] = defaultdict(
        lambda: defaultdict(list)
    )
    events = sorted(events)
    full = _full_names(events)
    for event in events:
        key = event.session, full.get((event.session, event.skill), event.skill)
        grouped[key][event.source].append(event)
    found = []
    for (session, skill), by_source in grouped.items():
        for at in range(max(map(len, by_source.values()))):
            first = min(seen[at] for seen in by_source.values() if at < len(seen))
            found.append(Event(first.time, session, skill, first.source))
    return sorted(found)


def _full_names(events: Iterable[Event]) -> dict[tuple[str, str], str]:
    """(session, bare name) → the only qualified name of that session that ends in it."""
    named: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for event in events:
        if ":" in event.skill:
            named[event.session, event.skill.rsplit(":", 1)[-1]].add(event.skill)
    return {key: next(iter(names)) for key, names in named.items() if len(names) == 1}

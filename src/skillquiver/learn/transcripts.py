"""Uses of skills in a host's transcript: JSON lines, of which only tool calls are looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from skillquiver.learn.events import Event, EventSource

__all__ = ["transcript_events"]

_MARK = '"Skill"'
"""A line without it has no use: most lines are not parsed."""

DEPTH = 8
"""Levels of a line that are searched; hosts nest a call three deep."""


def transcript_events(lines: Iterable[str], *, session: str) -> Iterator[Event]:
    """Yield the uses in a transcript, each call once, in order.

    A line may name its session and its time (ISO 8601); else ``session`` holds, and the time of the line
    before, or 0. Lines that are no JSON are passed over.
    """
    seen: set[str] = set()
    time = 0.0
    for line in lines:
        if _MARK not in line:
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(found, dict):
            continue
        time = _time(found.get("timestamp"), time)
        own = found.get("sessionId") or found.get("session_id")
        for call in _calls(found, DEPTH):
            identity = call.get("id")
            if isinstance(identity, str):
                if identity in seen:
                    continue  # hosts repeat a message while it is written
                seen.add(identity)
            event = Event.seen(
                session=own if isinstance(own, str) else session,
                skill=call["input"]["skill"],
                time=time,
                source=EventSource.TRANSCRIPT,
            )
            if event is not None:
                yield event


def _time(value: object, otherwise: float) -> float:
    if not isinstance(value, str):
        return otherwise
    try:
        return datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError):
        return otherwise


def _calls(value: object, depth: int) -> Iterator[dict[str, Any]]:
    """Objects ``{"name": "Skill", "input": {"skill": …}}`` at any place of a line."""
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _calls(item, depth - 1)
    elif isinstance(value, dict):
        given = value.get("input")
        if value.get("name") == "Skill" and isinstance(given, dict) and isinstance(given.get("skill"), str):
            yield value
            return
        for item in value.values():
            yield from _calls(item, depth - 1)

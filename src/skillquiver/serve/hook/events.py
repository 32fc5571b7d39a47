"""What a host writes to a hook."""

from __future__ import annotations

import json
from typing import NamedTuple

from skillquiver.errors import UsageError
from skillquiver.serve.hook.limits import INPUT_BYTES

__all__ = ["HookInput", "parse_input"]


class HookInput(NamedTuple):
    """The fields of a host's JSON that hooks use; one that is absent or of another type is empty."""

    event: str = ""
    prompt: str = ""
    session: str = ""
    source: str = ""
    tool: str = ""
    skill: str = ""
    transcript: str = ""


def parse_input(data: bytes) -> HookInput:
    """Read a host's JSON object. Raises ``UsageError`` for anything else."""
    if len(data) > INPUT_BYTES:
        raise UsageError(f"the event has more than {INPUT_BYTES} bytes")
    try:
        found = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the event on standard input is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("the event on standard input is no JSON object")
    tool_input = found.get("tool_input")
    return HookInput(
        event=_text(found.get("hook_event_name")),
        prompt=_text(found.get("prompt")),
        session=_text(found.get("session_id")),
        source=_text(found.get("source")),
        tool=_text(found.get("tool_name")),
        skill=_text(tool_input.get("skill")) if isinstance(tool_input, dict) else "",
        transcript=_text(found.get("transcript_path")),
    )


def _text(value: object) -> str:
    """A string without lone surrogates, which JSON can spell and nothing can write."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""

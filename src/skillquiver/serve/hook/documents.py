"""The one document that a host gets back."""

from __future__ import annotations

__all__ = ["document"]


_EVENTS = {
    "prompt": ("UserPromptSubmit", "BeforeAgent"),
    "session": ("SessionStart",),
}
"""Names hosts give the events of a hook that may add context; the first if they give none."""


def document(hook: str, context: str = "", *, event: str = "") -> bytes:
    r"""Return the JSON document of a hook, in one line of ASCII.

    >>> document("prompt")
    b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": ""}}\n'
    >>> document("tool")
    b'{}\n'

    Empty ``context`` adds nothing. The key stays, so that every answer to a prompt has the same shape.
    """
    names = _EVENTS.get(hook)
    if names is None:
        return b"{}\n"
    name = event if event in names else names[0]
    said = _json(context) if context else '""'
    told = f'{{"hookSpecificOutput": {{"hookEventName": "{name}", "additionalContext": {said}}}}}'
    return told.encode("ascii") + b"\n"


def _json(text: str) -> str:
    from json import dumps  # an empty document, and one of a warm server, does without

    return dumps(text)

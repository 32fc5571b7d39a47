"""What a prompt's answer says: a few ids with one line each. Skills' text is quoted, and cannot speak."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from skillquiver.serve.hook.limits import CONTEXT_CHARACTERS, CONTEXT_TOKENS, LINE_CHARACTERS, SUGGESTIONS
from skillquiver.skills.sanitize import plain

__all__ = ["Suggestion", "advice", "estimate", "reminder"]


class Suggestion(NamedTuple):
    """A skill to look at: its id and its description, as untrusted as both are."""

    id: str
    description: str


_HEAD = (
    "Skillquiver: skills in the library that may fit this request. Only a hint: use one if it fits, "
    "else go on without. Descriptions are quoted from the skills' files."
)
_TAIL = "Read one with `quiver show ID`, or load it as this host loads skills."

ID_CHARACTERS = 300
"""Longer ids are left out: a shortened one names nothing."""


def advice(suggestions: Sequence[Suggestion]) -> str:
    """Return the context for a prompt, within both bounds; empty if there is nothing to suggest."""
    lines: list[str] = []
    for one in suggestions[:SUGGESTIONS]:
        line = _line(one)
        text = "\n".join([_HEAD, *lines, line, _TAIL])
        if line and len(text) <= CONTEXT_CHARACTERS and estimate(text) <= CONTEXT_TOKENS:
            lines.append(line)
    return "\n".join([_HEAD, *lines, _TAIL]) if lines else ""


def _line(one: Suggestion) -> str:
    """One line that holds one id and one quotation, whatever is in them."""
    skill_id = plain(one.id)
    if not skill_id or skill_id != one.id or "`" in skill_id or len(skill_id) > ID_CHARACTERS:
        return ""
    said = plain(one.description).replace('"', "'")
    if len(said) > LINE_CHARACTERS:
        said = said[: LINE_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"
    return f'- `{skill_id}`: "{said}"'


def reminder(names: Sequence[str]) -> str:
    """Return the context for a session that goes on after its text was shortened; empty without names."""
    lines: list[str] = []
    for name in names:
        shown = plain(name)
        text = ", ".join([*lines, f"`{shown}`"])
        if "`" not in shown and estimate(text) <= CONTEXT_TOKENS - 60:
            lines.append(f"`{shown}`")
    if not lines:
        return ""
    return (
        f"Skillquiver: skills used earlier in this session: {', '.join(lines)}. Their instructions may no "
        "longer be in the context; load one again before relying on it."
    )


_PIECE = re.compile(r"[^\W\d_]+|\d+|_+|[^\w\s]", re.UNICODE)

_LETTERS_PER_TOKEN = 3
_DIGITS_PER_TOKEN = 3
_TOKENS_PER_CHARACTER = 3


def estimate(text: str) -> int:
    """Return a number of tokens that text of this kind does not exceed, without a tokenizer (0.2 s to load).

    A token per three letters or digits of a run and per mark; three per character outside ASCII, as
    ``cl100k_base`` never needs more than the bytes that spell one. Tests compare it with the real count.
    """
    total = 0
    for piece in _PIECE.findall(text):
        if not piece.isascii():
            total += sum(_TOKENS_PER_CHARACTER if ord(c) > 0x7FF else 2 for c in piece)
        elif piece.isdigit():
            total += -(-len(piece) // _DIGITS_PER_TOKEN)
        else:
            total += -(-len(piece) // _LETTERS_PER_TOKEN)
    return total

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


def advice(suggestions: Sequence[Suggestion]) -> str:
    """Return the context for a prompt, within both bounds; empty if there is nothing to suggest.

    Ids are never cut: those that do not fit are left out, the last first. Descriptions share what is left.
    """
    shown = [one for one in suggestions[:SUGGESTIONS] if _is_sound(one.id)]
    room = CONTEXT_TOKENS - estimate(_HEAD + _TAIL)
    while shown and (free := room - sum(estimate(_line(one.id, "…")) for one in shown)) < 0:
        shown.pop()
    if not shown:
        return ""
    lines = [_line(one.id, _shortened(one.description, free // len(shown))) for one in shown]
    text = "\n".join([_HEAD, *lines, _TAIL])
    return text if len(text) <= CONTEXT_CHARACTERS else ""


def _is_sound(skill_id: str) -> bool:
    """Whether an id is shown as it is, within its quotes."""
    return bool(skill_id) and skill_id == plain(skill_id) and "`" not in skill_id


def _line(skill_id: str, said: str) -> str:
    return f'- `{skill_id}`: "{said}"'


def _shortened(text: str, tokens: int) -> str:
    """One line without quotes of its own, cut to the tokens and to ``LINE_CHARACTERS``."""
    said = plain(text[: LINE_CHARACTERS * 4]).replace('"', "'")
    short = said[:LINE_CHARACTERS]
    while short and estimate(short) > tokens:
        short = short[: len(short) * 9 // 10]
    if len(short) == len(said):
        return said
    return (short.rsplit(" ", 1)[0] if short.isascii() else short).rstrip(" ,;:.") + "…"


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

_VOWEL = re.compile("[aeiouyAEIOUY]")

_CHARACTERS_PER_TOKEN = 3


def estimate(text: str) -> int:
    """Return a number of tokens that skills' text does not exceed, without a tokenizer (0.2 s to load).

    A token for every three letters of a word, every letter of one without vowels, every mark; outside ASCII
    for each byte of UTF-8, as ``cl100k_base`` never needs more. Tests compare it with the real count.
    """
    return sum(map(_cost, _PIECE.findall(text)))


def _cost(piece: str) -> int:
    if not piece.isascii():
        return len(piece.encode("utf-8", "replace")) + 1  # the space before it may stand alone
    if piece.isdigit():
        return -(-len(piece) // _CHARACTERS_PER_TOKEN) + 1  # same
    return -(-len(piece) // _CHARACTERS_PER_TOKEN) if _VOWEL.search(piece) else len(piece)

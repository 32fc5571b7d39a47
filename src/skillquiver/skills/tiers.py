"""Three renderings of one skill: card, outline, body. Each is whole sentences, never a cut one.

Every rendering is cleaned text that begins with a visible character and ends with exactly one newline.
With a line before it and a line after it, its token count is then additive: no pre-token of
``cl100k_base`` crosses a line end followed by a visible character (docs/decisions/0020).
"""

from __future__ import annotations

import re

from skillquiver.skills.markdown import Document
from skillquiver.skills.outline import outline_lines
from skillquiver.skills.records import Skill, TokenCounts
from skillquiver.skills.sanitize import clean, plain
from skillquiver.skills.sentences import leading_sentences, split_sentences
from skillquiver.skills.tokens import count_tokens

__all__ = ["body", "card", "count_tiers", "outline"]

CARD_DESCRIPTION = 500
"""Characters of description on a card: nine of ten public descriptions are shorter than 420."""

CARD_WHEN = 250
"""Characters of when-to-use on a card."""

LONGEST_SENTENCE = 1_100
"""A first sentence up to the legal length of a description (1,024) is kept whole rather than lost."""

LISTED = 8
"""Files or terms named in one line of an outline; the rest is counted."""

_LEADING_BLANK = re.compile(r"\A(?:[ \t]*\n)+")


def card(skill: Skill) -> str:
    """Return name, description and when to use as one line; ends with a newline."""
    text = _lead(skill.description, CARD_DESCRIPTION)
    when = _lead(skill.when_to_use, CARD_WHEN)
    if when and when not in text:
        text = f"{text} When to use: {when}".strip()
    return f"{plain(skill.name) or plain(skill.folder)}: {text}".rstrip(": ") + "\n"


def outline(skill: Skill, document: Document) -> str:
    """Return the card, the bundled files and each section's heading with its first sentences.

    Code, tables and long lists are named by kind and size, never opened. Sections without content,
    tables of contents, badges and HTML are left out.
    """
    parts = [card(skill)]
    for label, values in (
        ("Scripts", skill.entrypoints),
        ("Reads", skill.inputs),
        ("Writes", skill.outputs),
    ):
        if values:
            parts.append(f"{label}: {_listed(values)}\n")
    parts.extend(f"{line}\n" for line in outline_lines(document, title=skill.name, known=parts[0]))
    return "".join(parts)


def body(skill: Skill) -> str:
    """Return the whole instructions, cleaned; a skill without any returns its card."""
    text = _LEADING_BLANK.sub("", clean(skill.body)).rstrip()
    return f"{text}\n" if text.strip() else card(skill)


def count_tiers(skill: Skill) -> TokenCounts:
    """Count card and body, headers not included. The body is tokenized once, and dominates."""
    return TokenCounts(card=count_tokens(card(skill)), body=count_tokens(body(skill)))


def _lead(text: str, limit: int) -> str:
    """Leading sentences within ``limit``; a longer first sentence is kept whole up to a bound."""
    text = plain(text)
    taken = leading_sentences(text, limit)
    if taken or not text:
        return taken
    first = split_sentences(text[: LONGEST_SENTENCE + 1])[0]
    return first if len(first) <= LONGEST_SENTENCE else f"(a description of {len(text)} characters)"


def _listed(values: tuple[str, ...]) -> str:
    shown = ", ".join(plain(value) for value in values[:LISTED])
    more = len(values) - LISTED
    return f"{shown} and {more} more" if more > 0 else shown

"""Untrusted text made safe to print and to quote; nothing here is specific to skills.

Skill files are written by strangers. Their text may carry terminal escapes, direction overrides,
invisible characters, forged headings or fences. It is never interpreted, only quoted.
"""

from __future__ import annotations

import re

__all__ = ["clean", "fence_for", "fenced", "plain"]

_MARK = "\N{REPLACEMENT CHARACTER}"

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
"""ECMA-48 control sequences (CSI, OSC, DCS, SOS, PM, APC) and two-character escapes, 7 and 8 bit."""

_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
"""Everything some reader takes for the end of a line; CommonMark knows only ``\\n`` and ``\\r``."""

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff]+")
"""Characters without a glyph. The joiners U+200C and U+200D stay: scripts and emoji need them."""

_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u202a-\u202e\u2066-\u206f\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]+"
)
"""Controls, direction overrides, lone surrogates, tag characters: replaced by one visible mark a run."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Union of the classes above: most texts hold none of them and are returned as they came."""

_FENCE_RUN = re.compile(r"`{3,}|~{3,}")

_SHORTEST_FENCE = 3


def clean(text: str) -> str:
    """Return ``text`` with line feeds for line ends and no control, invisible or bidirectional characters.

    Tabs and newlines stay. Terminal escapes vanish whole; any other run of controls becomes U+FFFD, so
    that a reader sees that something was there. The result encodes to UTF-8. ``clean`` is idempotent.
    """
    if not _SUSPECT.search(text):
        return text
    text = _LINE_END.sub("\n", _INVISIBLE.sub("", text))
    return _CONTROL.sub(_MARK, _ESCAPE.sub("", text))


def plain(text: str) -> str:
    """Return ``text`` as one printable line: as ``clean``, and every run of white space is one space."""
    return " ".join(clean(text).split())


def fence_for(*texts: str) -> str:
    """Return a run of backticks longer than any run of backticks or tildes in the cleaned ``texts``.

    It has at least three. Cleaning comes first: it can join runs that an invisible character kept apart.
    """
    longest = 0
    for text in map(clean, texts):
        # Nearly every text has short fences only; a search for a fixed word is far cheaper than the pattern.
        if "````" in text or "~~~~" in text:
            longest = max(longest, *map(len, _FENCE_RUN.findall(text)))
        elif "```" in text or "~~~" in text:
            longest = max(longest, _SHORTEST_FENCE)
    return "`" * max(_SHORTEST_FENCE, longest + 1)


def fenced(text: str, info: str = "") -> str:
    """Return cleaned ``text`` inside a code fence that nothing within can close; ends with a newline.

    ``info`` is our own word for the block (``markdown``); it is not for untrusted text.
    """
    text = clean(text).rstrip("\n")
    fence = fence_for(text)
    return f"{fence}{info}\n{text}\n{fence}\n"

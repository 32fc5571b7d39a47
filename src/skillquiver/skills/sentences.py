"""Sentence ends in Latin and CJK prose, good enough to stop a quotation at one.

The rule errs towards longer sentences: an end that is missed costs a few tokens, an end that is
invented leaves half a thought.
"""

from __future__ import annotations

import re

__all__ = ["leading_sentences", "split_sentences"]

_END = re.compile(r"""[.!?…]+["'”’»)\]*_`]*(?=\s|$)|[。！？｡]+["'”’」』）)]*""")
"""A stop, closing quotes or emphasis, then white space; CJK stops need no space after them."""

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'*_])(?:e\.g|i\.e|vs|cf|ca|approx|dr|mr|mrs|ms|prof|st|figs?|eqs?|no|nr|pp?|vol|ch|ver"
    r"|max|min|z\.b|d\.h|[a-z](?:\.[a-z])*)\.$",
    re.IGNORECASE,
)
"""What stands before a stop although a capital or a number follows: abbreviations and initials."""

_ABBREVIATION_REACH = 12
"""Longest abbreviation above with what stands before it."""

_OPENS = re.compile(r"""\s*["'“‘«(\[*_`#>-]*(?=(.))""")


def split_sentences(text: str) -> list[str]:
    """Split one paragraph into sentences; white space runs become one space, nothing else is lost.

    A stop ends a sentence unless it follows an abbreviation or a list number, stands inside inline code,
    or the next word begins in lower case. Linear in the length of ``text``.
    """
    text = " ".join(text.split())
    sentences: list[str] = []
    start = scanned = ticks = 0
    for match in _END.finditer(text):
        ticks += text.count("`", scanned, match.start())
        scanned = match.start()
        if ticks % 2 or not _is_end(text, start, match):
            continue
        sentences.append(text[start : match.end()].strip())
        start = scanned = match.end()
        ticks = 0
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences


def leading_sentences(text: str, limit: int) -> str:
    """Return the leading whole sentences of ``text`` that together have at most ``limit`` characters.

    Empty if not even the first one fits.
    """
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    end = 0
    # Up to the limit and one more: a sentence that the cut shortens is too long anyway.
    for sentence in split_sentences(text[: limit + 2]):
        begin = text.index(sentence, end)
        if begin + len(sentence) > limit:
            break
        end = begin + len(sentence)
    return text[:end]


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    stop = match.start()
    if text[stop] in "。！？｡":
        return True
    if text[stop] == ".":
        reach = text[max(start, stop - _ABBREVIATION_REACH) : stop + 1]
        if _ABBREVIATION.search(reach) or (stop - start < 5 and text[start:stop].strip().isdigit()):
            return False
    following = _OPENS.match(text, match.end())
    return following is None or not following[1].islower()

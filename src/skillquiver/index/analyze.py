"""Text to terms: one analyzer for documents and queries.

Words are lower-cased runs of letters and digits, stemmed by Snowball's English stemmer (Porter2)
after stop words are removed. Chinese, Japanese and Korean text has no spaces, so each run of it yields
overlapping character bigrams (the usual baseline for CJK retrieval; Nie et al., 1999), and single
characters only where a run is one long. ``snake_case`` falls apart at its underscores; splitting
``camelCase`` as well was tried and ranked worse (docs/decisions/0005).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    import Stemmer

__all__ = ["STOP_WORDS", "analyze", "cjk_share"]

STOP_WORDS = frozenset(
    "a about all also an and any are as at be been but by can could did do does each for from had has have "
    "he her him his how i if in into is it its just may me more most must my need no not of on only or other "
    "our out over please she should so some such than that the their them then there these they this those "
    "to too up us very want was we were what when where which while who will with would you your "
    "d didn doesn don isn ll re s t ve won".split()
)
"""Function words of English and of requests ("please", "need", "want"), and what an apostrophe leaves."""

MAX_TERM = 64
"""Longer runs are hashes, base64 and minified code: no query holds them."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f"
_ASCII_RUN = re.compile(r"[a-z0-9]+")
"""What ``_run`` finds in lower-cased ASCII; compiling that one takes 10 ms."""


@lru_cache(maxsize=1)
def _run() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_])+")


@lru_cache(maxsize=1)
def _cjk_character() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]")


def analyze(text: str) -> list[str]:
    """Return the terms of ``text`` in order, with repetitions. Any string is legal."""
    pattern = _ASCII_RUN if text.isascii() else _run()
    text = text.lower() if text.isascii() else normalize("NFKC", text).lower()
    cache = _stems()
    terms: list[str] = []
    for run in pattern.findall(text):
        known = cache.get(run)
        if known is None:
            known = _terms_of(run)
            if len(cache) < _CACHE_SIZE:
                cache[run] = known
        terms += known
    return terms


_CACHE_SIZE = 200_000
"""Distinct runs remembered per process: a public library of 65 MB has 190,000."""


@lru_cache(maxsize=1)
def _stems() -> dict[str, tuple[str, ...]]:
    return {}


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


def _terms_of(run: str) -> tuple[str, ...]:
    if not run.isascii() and _cjk_character().match(run):
        return tuple(_bigrams(run))
    if len(run) > MAX_TERM:
        return ()
    return () if run in STOP_WORDS else (_stemmer().stemWord(run),)


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for left, right in pairwise(run):
        yield left + right


def cjk_share(text: str) -> float:
    """Share of the letters of ``text`` that are Chinese, Japanese or Korean, from 0 to 1.

    The packaged encoder knows English only; the dense channel's weight falls with this share.
    """
    if text.isascii():
        return 0.0
    letters = sum(character.isalpha() for character in text)
    return len(_cjk_character().findall(text)) / letters if letters else 0.0

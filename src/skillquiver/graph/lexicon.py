"""A small inverted index over descriptions: only words rare enough to say something."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

__all__ = ["RareIndex", "words_of"]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#]{2,}")
_QUERY_WORDS = 16
"""Rarest words of a query that are looked up."""


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in lower case, plural *s* removed."""
    return [w[:-1] if len(w) > 4 and w.endswith("s") and not w.endswith("ss") else w for w in _split(text)]


def _split(text: str) -> list[str]:
    return [match.lower() for match in _WORD.findall(text)]


class RareIndex:
    """Sum of idf over shared words, for words held by at most ``cap`` texts.

    The cap bounds the cost of one query by ``16 · cap`` additions, whatever the size of the library.
    """

    def __init__(self, texts: Iterable[str], *, cap: int = 150) -> None:
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._size = 0
        for i, text in enumerate(texts):
            self._size = i + 1
            for word in dict.fromkeys(words_of(text)):
                self._holders[word].append(i)
        self._cap = cap

    def idf(self, word: str) -> float:
        """ln(N / df); 0 for words that are too common or unknown."""
        held = len(self._holders.get(word, ()))
        return math.log(self._size / held) if 0 < held <= self._cap else 0.0

    def search(self, words: Sequence[str], top_k: int, *, without: int = -1) -> list[tuple[int, float]]:
        """Return up to ``top_k`` (text, score) pairs that share at least two rare words, best first.

        Scores are the shared idf over the query's idf, in (0, 1].
        """
        known = {w: self.idf(w) for w in dict.fromkeys(words)}
        rarest = sorted((w for w in known if known[w] > 0), key=lambda w: (-known[w], w))[:_QUERY_WORDS]
        total = sum(known[w] for w in rarest)
        scores: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for word in rarest:
            for i in self._holders[word]:
                scores[i] += known[word]  # type: ignore[assignment]
                shared[i] += 1
        ranked = sorted((-score, i) for i, score in scores.items() if i != without and shared[i] >= 2)
        return [(i, -score / total) for score, i in ranked[:top_k]]

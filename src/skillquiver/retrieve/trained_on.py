"""Which queries a second stage learned from: figures on these flatter it.

``benchmarks/train_second_stage.py`` writes, beside a model, short hashes of its training queries, never
their text. A query is known again if its words are the same, whatever their case and the space between
them; a paraphrase is not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "QUERIES_SUFFIX",
    "normalised",
    "packaged_trained_on",
    "query_hash",
    "read_trained_on",
    "trained_on_text",
]

QUERIES_SUFFIX = ".queries"
"""Of the list beside ``second_stage.json``; it is called ``second_stage.queries``."""

HASH_DIGITS = 10
"""40 bits: among 10,000 queries, one is taken for one of 2,000 by chance once in 50,000 runs."""

_HASH = re.compile(rf"[0-9a-f]{{{HASH_DIGITS}}}")


def normalised(query: str) -> str:
    """The words of a query, in lower case, one space apart: what is the same query.

    >>> normalised(" Merge   PDFs ")
    'merge pdfs'
    """
    return " ".join(query.split()).casefold()


def query_hash(query: str) -> str:
    """First digits of the SHA-256 of the normalised query, in lower-case hexadecimal.

    >>> query_hash("Merge  PDFs") == query_hash("merge pdfs")
    True
    """
    text = normalised(query).encode("utf-8", "replace")
    return hashlib.sha256(text).hexdigest()[:HASH_DIGITS]


def trained_on_text(queries: Iterable[str]) -> str:
    """What ``read_trained_on`` reads: the hashes, sorted, one a line."""
    return "".join(f"{one}\n" for one in sorted({query_hash(query) for query in queries}))


def read_trained_on(file: Traversable) -> frozenset[str] | None:
    """Hashes of the training queries in ``file``; ``None`` if there is no such file.

    Raises ``ValueError`` for a file of anything else.
    """
    try:
        lines = file.read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return None
    if not all(_HASH.fullmatch(line) for line in lines):
        raise ValueError(f"{file} is no list of hashes of queries")
    return frozenset(lines)


@lru_cache(maxsize=1)
def packaged_trained_on() -> frozenset[str]:
    """Hashes of the queries that the packaged second stage was trained on."""
    from importlib.resources import files

    from skillquiver.retrieve.second_stage import MODEL_FILE

    name = MODEL_FILE.removesuffix(".json") + QUERIES_SUFFIX
    found = read_trained_on(files("skillquiver.retrieve") / "models" / name)
    return found or frozenset()

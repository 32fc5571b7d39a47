"""The library opened for a search by words alone: what a hook waits for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillquiver.errors import LibraryMissingError
from skillquiver.index.heads import HeadStore
from skillquiver.index.lexical import LexicalIndex
from skillquiver.retrieve.ranker import Ranker
from skillquiver.settings import RankSettings

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_lexical", "open_words", "stale"]


@contextmanager
def open_lexical(folder: Path) -> Iterator[Ranker]:
    """A ranker without numpy, encoder and records. Raises ``LibraryError``."""
    with HeadStore.opened(folder) as store:
        index = open_words(folder)
        why = stale(store, index)
        yield Ranker(store, index, None, settings=RankSettings(), degraded=why)


def open_words(folder: Path) -> LexicalIndex:
    """The lexical index of the library. Raises ``LibraryMissingError`` if there is none yet."""
    index = LexicalIndex.open(folder / "lexical")
    if index is None or index.generation < 0:
        raise LibraryMissingError(f"the library at {folder} is not searchable yet; run `quiver index`")
    return index


def stale(store: HeadStore, index: LexicalIndex) -> str:
    """Why the index is not that of the store; empty if it is."""
    if index.generation == store.generation:
        return ""
    return "the library changed while it was indexed; run `quiver index` to complete it"

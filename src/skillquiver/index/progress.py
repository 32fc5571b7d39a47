"""How an indexing run tells its caller how far it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

__all__ = ["Progress", "Stage", "silent"]


class Stage(StrEnum):
    """The stages of an indexing run, in order."""

    READ = "reading skills"
    LEXICAL = "lexical index"
    VECTORS = "vectors"


class Progress(Protocol):
    """Told how far a stage is. ``total`` is 0 while it is unknown."""

    def __call__(self, stage: Stage, done: int, total: int) -> None:
        """Take note."""
        ...


def silent(stage: Stage, done: int, total: int) -> None:
    """Progress for nobody."""

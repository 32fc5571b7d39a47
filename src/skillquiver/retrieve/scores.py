"""What the first stage found for one query, before it is cut to a number of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillquiver.retrieve.fuse import Channel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["FirstScores"]


@dataclass(slots=True)
class FirstScores:
    """Scores of one query by store row.

    ``counts`` holds all of the query's terms, in their order; ``terms`` those that the library knows.
    ``bm25`` maps a field's name to the scores of its pool. ``cosines`` has shape (vectors, windows).
    """

    words: Sequence[str] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    windows: Sequence[str] = ()
    channels: dict[str, Channel] = field(default_factory=dict)
    bm25: dict[str, Mapping[int, float]] = field(default_factory=dict)
    lexical_ranks: dict[int, int] = field(default_factory=dict)
    dense_ranks: dict[int, int] = field(default_factory=dict)
    cosines: npt.NDArray[np.float32] | None = None
    best_bm25: float = 0.0
    """The highest BM25 score any text could reach with these terms."""

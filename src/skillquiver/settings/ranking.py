"""How skills are ranked."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RankSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """Weights of the standardised channels, and where a ranking says that it has nothing.

    The ablation behind every weight is in docs/decisions/0005.
    """

    full_weight: float = 1.0
    """BM25 over the whole text."""

    card_weight: float = 0.5
    """BM25 over name, description and when-to-use."""

    name_weight: float = 0.4
    """BM25 over the name alone."""

    dense_weight: float = 0.8
    """Cosine of the best query window with name, description and when-to-use."""

    rerank_depth: int = 100
    """First results that the second stage orders anew; it was trained on as many. 0 switches it off, and so
    does a library with fewer skills, where it does not help (decisions/0008)."""

    judged: int = 3
    """The status looks at the best confidence among this many first results."""

    hit_confidence: float = 0.5
    """From here on the best skill is more likely right than not."""

    none_confidence: float = 0.13
    """Below this the library has nothing for the query (decisions/0006)."""

"""What the graph is built from by rules."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_GRAPH", "GraphSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """What the deterministic graph proposes, and how much of it."""

    similar_k: int = 8
    """Embedding neighbours per skill: the published comparisons use 8."""

    similar_floor: float = 0.5
    """Cosine below which two skills are not called similar (same source)."""

    lexical_k: int = 8
    """Lexical neighbours per skill, proposed as pairs to judges that can read."""

    need_k: int = 3
    """Offers looked at per need: the third is rarely right."""

    rare_holders: int = 8
    """Skills that may share a tool or an artifact before it proves nothing about any two of them."""

    sources: tuple[str, ...] = ()
    """Names of the candidate sources to use; empty means every registered one."""


DEFAULT_GRAPH = GraphSettings()
"""What the graph uses when the caller does not say."""

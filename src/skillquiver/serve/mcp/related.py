"""Skills related to one, as the tools give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillquiver.serve.mcp.contract import DEFAULT_LIMIT, Neighbor
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from skillquiver.serve.live import LiveLibrary
    from skillquiver.serve.usecases.following import NextStep

__all__ = ["related_skills", "related_text"]

QUOTE = 160
"""Characters of the words that prove a relation."""


def related_skills(
    live: LiveLibrary, skill_id: str, *, done: Sequence[str] = (), limit: int = DEFAULT_LIMIT
) -> tuple[tuple[Neighbor, ...], str]:
    """Return up to ``limit`` neighbours of each group, best first, and why there may be more."""
    found = live.next(skill_id, done=done, top_k=limit, hidden=False)
    related = tuple(
        Neighbor(id=plain(one.skill.id), group=group.value, why=_why(one, skill_id))
        for group, steps in found.groups.items()
        for one in steps
    )
    notes = [f"{count} more {group.value}" for group, count in found.more.items() if count]
    return related, "; ".join([*notes, found.graph.told] if found.graph.told else notes)


def _why(found: NextStep, skill_id: str) -> str:
    """How the two are related, who says so, and the words that do, quoted."""
    step, relation = found.step, found.step.relation
    how = step.seen.replace("_", " ")
    whose = how if step.of == skill_id else f"{plain(step.of)} {how} it"
    quote = plain(relation.evidence.quote)
    quote = quote if len(quote) <= QUOTE else f"{quote[: QUOTE - 1].rstrip()}…"
    said = f"{whose} ({relation.provenance.value}, {relation.confidence:.2f})"
    return f'{said}: "{quote}"' if quote else said


def related_text(related: Sequence[Neighbor]) -> str:
    """One line a neighbour, by group."""
    if not related:
        return "No related skills are known."
    return "\n".join(f"{one.group.replace('_', ' ')}: {one.id}, {one.why}" for one in related)

"""What comes before and after a skill, to JSON and to text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillquiver.graph.following import Group
from skillquiver.serve.render_graph import quoted
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from skillquiver.serve.usecases.following import NextStep, NextSteps

__all__ = ["next_data", "next_text"]

WIDTH = 100
"""Characters of a description shown to people."""

_HEADS = {
    Group.PREREQUISITES: "first, in this order",
    Group.NEXT_STEPS: "next",
    Group.VERIFIERS: "to check the result",
    Group.ALTERNATIVES: "instead",
    Group.CONFLICTS: "never together with",
}


def next_data(found: NextSteps) -> dict[str, Any]:
    """Steps around a skill."""
    return {
        "id": found.skill.id,
        "name": found.skill.name,
        "graph": found.graph.value,
        "note": found.graph.told,
        "superseded_by": list(found.superseded_by),
        **{group.value: [_step_data(step) for step in steps] for group, steps in found.groups.items()},
        "more": {group.value: count for group, count in found.more.items() if count},
    }


def _step_data(found: NextStep) -> dict[str, Any]:
    relation = found.step.relation
    return {
        "id": found.skill.id,
        "name": found.skill.name,
        "description": found.skill.description,
        "hidden": found.skill.hidden,
        "relation": found.step.seen,
        "of": found.step.of,
        "score": round(found.step.score, 4),
        "confidence": relation.confidence,
        "provenance": relation.provenance.value,
        "evidence": {"quote": relation.evidence.quote, "place": relation.evidence.place},
    }


def next_text(found: NextSteps) -> str:
    """Steps around a skill for people."""
    me = plain(found.skill.id)
    lines = [me if found.known else f"{me}: nothing known about what comes before or after it"]
    if found.superseded_by:
        lines[0] += f"  (superseded by {', '.join(map(plain, found.superseded_by))})"
    for group, steps in found.groups.items():
        if steps:
            lines += ["", _HEADS[group]]
            for step in steps:
                lines += _step_lines(step, me)
            if found.more[group]:
                lines.append(f"  and {found.more[group]:,} more; --top-k shows them")
    if found.graph.told:
        lines += ["", f"({found.graph.told})"]
    return "\n".join(lines)


def _step_lines(found: NextStep, me: str) -> Iterator[str]:
    step, relation = found.step, found.step.relation
    how = step.seen.replace("_", " ")
    whose = f"{plain(step.of)} {how} it" if plain(step.of) != me else how
    mark = "  [hidden from models]" if found.skill.hidden else ""
    told = f"{whose}, {relation.provenance.value}, {relation.confidence:.2f}"
    yield f"  {plain(found.skill.id)}  ({told}){mark}"
    text = plain(found.skill.description)
    if text:
        yield f"      {text if len(text) <= WIDTH else text[: WIDTH - 1] + '…'}"
    if relation.evidence.quote:
        yield quoted(relation)

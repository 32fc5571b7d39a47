"""What a task asks for, apart from how it is told: the schema that a rewritten query is composed from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from skillquiver.skills.sanitize import plain

__all__ = ["GOAL_CHARACTERS", "ITEM_CHARACTERS", "LIMITS", "TaskSchema", "bounded", "compose"]

GOAL_CHARACTERS = 380
"""One window of the dense channel, less the stop that ends it."""

ITEM_CHARACTERS = 120
"""A clause; longer items are descriptions, and are cut at a word."""

LIMITS = {"operations": 12, "artifacts": 16, "constraints": 8, "keywords": 60}
"""Items per list: a query far longer than a skill's card says nothing more about which card is meant."""

_END = re.compile(r"[.!?。！？:;,]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSchema:
    """A task in five parts. All text is the user's, or a model's about it: one line each, bounded."""

    goal: str = ""
    """What shall be there in the end, in one or two sentences."""
    operations: tuple[str, ...] = ()
    """What has to be done, as phrases that begin with a verb."""
    artifacts: tuple[str, ...] = ()
    """File types and named files, libraries and services that are worked with."""
    constraints: tuple[str, ...] = ()
    """What limits how it may be done."""
    keywords: tuple[str, ...] = ()
    """Names and terms of the subject."""


def bounded(schema: TaskSchema) -> TaskSchema:
    """``schema`` on printable lines, cut to its limits, without repetitions or empty items."""
    return TaskSchema(
        goal=_cut(schema.goal, GOAL_CHARACTERS),
        **{name: _items(getattr(schema, name), limit) for name, limit in LIMITS.items()},
    )


def compose(schema: TaskSchema) -> str:
    """The query text: goal, operations, artifacts and keywords, a line each; empty for an empty schema.

    The goal comes first, because the dense channel reads the beginning. Constraints are left out: they say
    how a task is to be done, in words that any skill may hold ("must", "at most", "without").
    """
    goal = _END.sub("", schema.goal)
    lines = (
        f"{goal}." if goal else "",
        "; ".join(schema.operations),
        ", ".join(schema.artifacts),
        " ".join(schema.keywords),
    )
    return "\n".join(line for line in lines if line)


def _items(items: Iterable[str], limit: int) -> tuple[str, ...]:
    kept = dict.fromkeys(cut for item in items if (cut := _cut(item, ITEM_CHARACTERS)))
    return tuple(kept)[:limit]


def _cut(text: str, limit: int) -> str:
    """``text`` as one line of at most ``limit`` characters, cut between words where there are any."""
    line = plain(text)
    if len(line) <= limit:
        return line
    head, _, _ = line[: limit + 1].rpartition(" ")
    return head or line[:limit]

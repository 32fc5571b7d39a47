"""What the tools take and give: the records that requests are read into and that schemas are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "DEFAULT_LIMIT",
    "TOOLS",
    "BundleAnswer",
    "BundleSkill",
    "FindSkills",
    "Found",
    "FoundSkills",
    "GetBundle",
    "LibraryStatus",
    "Neighbor",
    "NextAnswer",
    "NextSkills",
    "Omitted",
    "ResolveSkill",
    "Resolved",
    "StatusAnswer",
    "ToolSpec",
    "input_schema",
    "output_schema",
]

MAX_RESULTS = 50
"""Ranked skills per answer: beyond, an agent reads a catalogue."""

MAX_BUDGET = 200_000
"""Tokens: the usual context window."""

MAX_NAMED = 200
"""Skills that one request may name."""

DEFAULT_LIMIT = 5
"""Skills per answer or group: what an agent reads through."""

DEFAULT_BUDGET = 8_000
"""Tokens of a bundle or a body: 4 % of a usual window, and room for the median body five times."""

Task = Annotated[str, Meta(min_length=1, description="The task in words, with its file types and tools")]
Reference = Annotated[str, Meta(min_length=1, description="Id or unambiguous name")]
Tokens = Annotated[int, Meta(ge=1, le=MAX_BUDGET)]
Ids = Annotated[tuple[str, ...], Meta(max_length=MAX_NAMED)]
Count = Annotated[int, Meta(ge=1, le=MAX_RESULTS)]


class _Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of a tool; an unknown one is refused by name."""


class FindSkills(_Arguments, frozen=True):
    """Arguments of ``find_skills``."""

    task: Task
    limit: Count = DEFAULT_LIMIT


class GetBundle(_Arguments, frozen=True):
    """Arguments of ``get_bundle``."""

    task: Task
    budget: Tokens = DEFAULT_BUDGET
    max_skills: Count | None = None
    must: Ids = ()
    without: Ids = ()
    loaded: Annotated[Ids, Meta(description="Skills already in context")] = ()


class ResolveSkill(_Arguments, frozen=True):
    """Arguments of ``resolve_skill``."""

    skill: Reference
    budget: Tokens = DEFAULT_BUDGET


class NextSkills(_Arguments, frozen=True):
    """Arguments of ``next_skills``."""

    skill: Reference
    done: Annotated[Ids, Meta(description="Skills already used")] = ()
    limit: Count = DEFAULT_LIMIT


class LibraryStatus(_Arguments, frozen=True):
    """``library_status`` takes no arguments."""


class Found(msgspec.Struct, frozen=True):
    """One ranked skill. ``confidence`` is the probability of a hit."""

    id: str
    name: str
    description: str
    confidence: float


class FoundSkills(msgspec.Struct, frozen=True):
    """Answer of ``find_skills``; no skills where the status is ``none``."""

    status: Literal["hit", "weak", "none"]
    degraded: str
    skills: tuple[Found, ...]


class BundleSkill(msgspec.Struct, frozen=True):
    """One skill in a bundle."""

    id: str
    role: str
    tier: str
    tokens: int
    path: str


class Omitted(msgspec.Struct, frozen=True):
    """One skill that is not in the bundle."""

    id: str
    reason: str


class BundleAnswer(msgspec.Struct, frozen=True):
    """Answer of ``get_bundle``; ``text`` is what an agent reads."""

    status: Literal["hit", "weak", "none"]
    tokens: int
    degraded: str
    skills: tuple[BundleSkill, ...]
    omitted: tuple[Omitted, ...]
    text: str


class Neighbor(msgspec.Struct, frozen=True):
    """A related skill, what it is to the one asked about, and why."""

    id: str
    group: Literal["prerequisites", "next_steps", "verifiers", "alternatives", "conflicts"]
    why: str


class NextAnswer(msgspec.Struct, frozen=True):
    """Answer of ``next_skills``; ``note`` says why there may be more."""

    id: str
    related: tuple[Neighbor, ...]
    note: str


class Resolved(NextAnswer, frozen=True):
    """Answer of ``resolve_skill``: the skill itself, then as ``next_skills``."""

    tier: str
    path: str
    text: str


class StatusAnswer(msgspec.Struct, frozen=True):
    """Answer of ``library_status``."""

    state: Literal["ready", "missing", "broken"]
    skills: int
    generation: int
    encoder: Literal["cold", "warming", "ready", "failed"]
    degraded: str
    fault: str


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as it is offered: every tool reads only, and answers the same twice."""

    name: str
    description: str
    arguments: type[_Arguments]
    answer: type[msgspec.Struct]


TOOLS = (
    ToolSpec(
        "find_skills",
        "Rank the library's skills for a task. Status none means: no skill fits, do without.",
        FindSkills,
        FoundSkills,
    ),
    ToolSpec(
        "get_bundle",
        "The smallest set of skills that is enough for a task, with prerequisites, in order, as text "
        "within a token budget. Start here.",
        GetBundle,
        BundleAnswer,
    ),
    ToolSpec(
        "resolve_skill",
        "Read one skill, with what it requires, what comes next, what could replace it and what it "
        "conflicts with.",
        ResolveSkill,
        Resolved,
    ),
    ToolSpec(
        "next_skills",
        "Skills to use before, after or instead of one in use.",
        NextSkills,
        NextAnswer,
    ),
    ToolSpec(
        "library_status",
        "Whether the library answers, how many skills it has, and why answers may be degraded.",
        LibraryStatus,
        StatusAnswer,
    ),
)
"""Every tool, in the order in which it is listed."""


def input_schema(spec: ToolSpec) -> dict[str, Any]:
    """JSON Schema of the arguments."""
    return _schema(spec.arguments)


def output_schema(spec: ToolSpec) -> dict[str, Any]:
    """JSON Schema of the structured answer."""
    return _schema(spec.answer)


def _schema(record: type[msgspec.Struct]) -> dict[str, Any]:
    schema = msgspec.json.schema(record)
    found: dict[str, Any] = _inlined(schema, schema["$defs"])
    return found


_PROSE = frozenset({"title", "description"})
"""Keys that msgspec takes from the class: of use to readers of the code, not to a model."""


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """``schema`` with references replaced by what they name, without titles."""
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        record = definitions[schema["$ref"].rpartition("/")[2]]
        return _inlined({key: value for key, value in record.items() if key not in _PROSE}, definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items() if key != "$defs"}

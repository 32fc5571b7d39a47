"""The operations: what is asked of a live library, and the document that answers. Knows nothing of HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from skillquiver.errors import AmbiguousNameError, UnknownSkillError, UsageError
from skillquiver.serve.http.contract import (
    BundleDocument,
    BundleRequest,
    Document,
    NextDocument,
    NextRequest,
    SearchDocument,
    SearchRequest,
    SkillRequest,
)
from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.answers import visible_skill
from skillquiver.serve.render import ranking_data, skill_data
from skillquiver.serve.render_bundle import bundle_data
from skillquiver.serve.render_next import next_data
from skillquiver.skills.records import Skill
from skillquiver.skills.sanitize import plain

__all__ = ["BUNDLE", "NEXT", "SEARCH", "SKILL", "Operation"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A question to one library. ``answer`` takes it, the request, and what the path names."""

    summary: str
    methods: tuple[str, ...]
    request: type[msgspec.Struct]
    document: type[Any]
    answer: Callable[[LiveLibrary, Any, str], Document]


def _search(live: LiveLibrary, asked: SearchRequest, _: str) -> Document:
    ranking = live.search(asked.query, top_k=asked.top_k, hidden=asked.hidden, explain=asked.explain)
    return ranking_data(ranking, explain=asked.explain)


def _bundle(live: LiveLibrary, asked: BundleRequest, _: str) -> Document:
    from skillquiver.serve.usecases.bundling import Asked

    must = [_skill_of(live, name, hidden=False).id for name in asked.must]
    wishes = Asked(
        must=must,
        without=_ids_of(live, asked.without),
        loaded=_ids_of(live, asked.loaded),
        explain=asked.explain,
    )
    found = live.bundle(asked.query, budget=asked.budget, max_skills=asked.max_skills, asked=wishes)
    document = bundle_data(*found)
    document["omitted"] = [one for one in document["omitted"] if one["reason"] != "hidden"]
    return document


def _skill(live: LiveLibrary, asked: SkillRequest, reference: str) -> Document:
    return skill_data(_skill_of(live, reference, hidden=asked.hidden))


def _next(live: LiveLibrary, asked: NextRequest, _: str) -> Document:
    skill = _skill_of(live, asked.skill, hidden=asked.hidden)
    done = _ids_of(live, asked.done)
    return next_data(live.next(skill.id, done=done, top_k=asked.top_k, hidden=asked.hidden))


def _skill_of(live: LiveLibrary, reference: str, *, hidden: bool) -> Skill:
    """Look a skill up; what cannot be an id is no skill, nor is one that is hidden, but with ``hidden``."""
    try:
        return live.skill(reference) if hidden else visible_skill(live, reference)
    except (UnknownSkillError, AmbiguousNameError):
        raise
    except UsageError as error:
        raise UnknownSkillError(plain(reference)) from error


def _ids_of(live: LiveLibrary, references: tuple[str, ...]) -> list[str]:
    """What a caller has, or does not want, may be hidden: nothing of it is told."""
    return [_skill_of(live, name, hidden=True).id for name in references]


SEARCH = Operation(
    "Rank the skills of a library for a task.", ("GET", "POST"), SearchRequest, SearchDocument, _search
)
BUNDLE = Operation(
    "Pack the skills a task needs into a token budget.",
    ("GET", "POST"),
    BundleRequest,
    BundleDocument,
    _bundle,
)
NEXT = Operation(
    "Show what comes before a skill, what comes next, what checks it, and what does its job instead.",
    ("GET", "POST"),
    NextRequest,
    NextDocument,
    _next,
)
SKILL = Operation("Read one skill, by id or unambiguous name.", ("GET",), SkillRequest, Skill, _skill)

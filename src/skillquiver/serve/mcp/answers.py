"""What each tool answers: arguments in, one record and the text of it out. Knows nothing of the protocol.

Text from skills is neutralised here: one line for names and descriptions, fences for bodies. Skills
hidden from models are in no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from skillquiver.errors import AmbiguousNameError, UnknownSkillError, UsageError
from skillquiver.serve.live import LibraryState, LiveLibrary
from skillquiver.serve.mcp.contract import (
    TOOLS,
    BundleAnswer,
    BundleSkill,
    FindSkills,
    Found,
    FoundSkills,
    GetBundle,
    LibraryStatus,
    NextAnswer,
    NextSkills,
    Omitted,
    Resolved,
    ResolveSkill,
    StatusAnswer,
)
from skillquiver.serve.mcp.related import related_skills, related_text
from skillquiver.skills.records import Skill
from skillquiver.skills.sanitize import plain
from skillquiver.types import Status

__all__ = ["Answer", "answer", "visible_skill"]

DESCRIPTION = 400
"""Characters of a description in a ranking: enough to choose by; the whole is one call away."""

NEAREST = 3
"""Skills offered in place of one that does not exist."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The structured answer, and the same as text for hosts that show only text."""

    data: msgspec.Struct
    text: str


def answer(live: LiveLibrary, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """Answer one call. Raises ``UsageError`` for a wrong tool or argument, ``LibraryError``."""
    spec = next((spec for spec in TOOLS if spec.name == tool), None)
    if spec is None:
        raise UsageError(f"no tool {tool!r}; there are: {', '.join(spec.name for spec in TOOLS)}")
    try:
        asked = msgspec.convert(arguments, spec.arguments)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(spec.arguments)) or "none"
        raise UsageError(f"{tool}: {error}; its arguments: {known}") from error
    return _ANSWERS[spec.arguments](live, asked)


def visible_skill(live: LiveLibrary, reference: str) -> Skill:
    """Return the skill a model means. Skills hidden from models neither answer nor stand as candidates.

    Raises ``UsageError`` for one that is hidden, ``UnknownSkillError`` with the nearest instead,
    ``AmbiguousNameError``.
    """
    try:
        skill = live.skill(reference)
    except AmbiguousNameError as error:
        named = [found for found in map(live.skill, error.candidates) if not found.hidden]
        if len(named) == 1:
            return named[0]
        if not named:
            raise UnknownSkillError(error.wanted, _nearest(live, error.wanted)) from error
        raise AmbiguousNameError(error.wanted, [found.id for found in named]) from error
    except UnknownSkillError as error:
        spelled = [name for name in error.suggestions if not live.skill(name).hidden]
        raise UnknownSkillError(error.wanted, spelled or _nearest(live, error.wanted)) from error
    if skill.hidden:
        raise UsageError(f"{skill.id} is for people only, by its author; ask the user to start it")
    return skill


def _nearest(live: LiveLibrary, wanted: str) -> list[str]:
    words = wanted.rpartition("/")[2].replace("-", " ").replace("_", " ")
    ranking = live.search(words, top_k=NEAREST, hidden=False)
    return [result.id for result in ranking.results] if ranking.status is not Status.NONE else []


# --- the tools -------------------------------------------------------------------------------


def _find_skills(live: LiveLibrary, asked: FindSkills) -> Answer:
    ranking = live.search(asked.task, top_k=asked.limit, hidden=False)
    results = ranking.results if ranking.status is not Status.NONE else ()
    data = FoundSkills(
        status=ranking.status.value,
        degraded=ranking.degraded,
        skills=tuple(
            Found(
                id=plain(one.id),
                name=plain(one.name),
                description=_clipped(plain(one.description)),
                confidence=round(one.confidence, 3),
            )
            for one in results
        ),
    )
    lines = [_STATUS[ranking.status]]
    lines += [
        f"{place}. {one.id} ({one.confidence:.2f}): {one.description}"
        for place, one in enumerate(data.skills, start=1)
    ]
    return Answer(data, _noted("\n".join(lines), ranking.degraded))


def _get_bundle(live: LiveLibrary, asked: GetBundle) -> Answer:
    from skillquiver.serve.usecases.bundling import Asked

    must = [visible_skill(live, name).id for name in asked.must]
    wishes = Asked(must=must, without=asked.without, loaded=asked.loaded)
    bundle, ranking = live.bundle(asked.task, budget=asked.budget, max_skills=asked.max_skills, asked=wishes)
    data = BundleAnswer(
        status=bundle.status.value,
        tokens=bundle.tokens,
        degraded=ranking.degraded,
        skills=tuple(
            BundleSkill(
                id=plain(entry.id),
                role=entry.role.value,
                tier=entry.tier.value,
                tokens=entry.tokens,
                path=plain(entry.path),
            )
            for entry in bundle.entries
        ),
        omitted=tuple(
            Omitted(id=plain(one.id), reason=one.reason.value)
            for one in bundle.omitted
            if one.reason.value != "hidden"
        ),
        text=bundle.text,
    )
    return Answer(data, _noted(bundle.text.rstrip("\n"), ranking.degraded))


def _resolve_skill(live: LiveLibrary, asked: ResolveSkill) -> Answer:
    from skillquiver.retrieve.bundle import Candidate
    from skillquiver.retrieve.pack import pack
    from skillquiver.settings import PackSettings

    skill = visible_skill(live, asked.skill)
    candidate = Candidate(skill=skill, score=1.0, confidence=1.0, evidence="asked for")
    packed = pack([candidate], budget=asked.budget, settings=PackSettings(), status=Status.HIT)
    related, note = related_skills(live, skill.id)
    data = Resolved(
        id=plain(skill.id),
        related=related,
        note=note,
        tier=packed.entries[0].tier.value if packed.entries else "none",
        path=plain(skill.path),
        text=packed.text,
    )
    return Answer(data, _noted(f"{packed.text}\n{related_text(related)}", note, "note"))


def _next_skills(live: LiveLibrary, asked: NextSkills) -> Answer:
    skill = visible_skill(live, asked.skill)
    related, note = related_skills(live, skill.id, done=asked.done, limit=asked.limit)
    data = NextAnswer(id=plain(skill.id), related=related, note=note)
    return Answer(data, _noted(related_text(related), note, "note"))


def _library_status(live: LiveLibrary, _: LibraryStatus) -> Answer:
    status = live.status()
    data = StatusAnswer(
        state=status.state.value,
        skills=status.skills,
        generation=status.generation,
        encoder=status.encoder.value,
        degraded=status.degraded,
        fault=plain(status.fault),
    )
    if status.state is LibraryState.READY:
        return Answer(data, _noted(f"ready: {status.skills:,} skills", status.degraded))
    return Answer(data, f"{data.state}: {data.fault}")


_ANSWERS: Mapping[type[msgspec.Struct], Callable[[LiveLibrary, Any], Answer]] = {
    FindSkills: _find_skills,
    GetBundle: _get_bundle,
    ResolveSkill: _resolve_skill,
    NextSkills: _next_skills,
    LibraryStatus: _library_status,
}

_STATUS = {
    Status.HIT: "hit",
    Status.WEAK: "weak: the best match may not be what you need",
    Status.NONE: "none: nothing in this library matches",
}


def _noted(text: str, note: str, word: str = "degraded") -> str:
    return f"{text}\n({word}: {note})" if note else text


def _clipped(text: str) -> str:
    return text if len(text) <= DESCRIPTION else text[: DESCRIPTION - 1].rstrip() + "…"

"""Candidate source ``declared``: relations that authors wrote into the frontmatter.

Fields that name skills (``prerequisite-skills``, ``related-skills``, …) are believed, and a name they give
that no skill has is a finding. Fields that may as well name binaries, packages or servers (``requires``,
``depends-on``, ``metadata.dependencies``) count only where every entry is a skill close by and none is a
tool that the skill itself uses. A top-level ``dependencies`` names packages and is never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skillquiver.graph.names import key_of
from skillquiver.graph.relations import Evidence, Provenance
from skillquiver.graph.relations import RelationType as T
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.skills.findings import clip
from skillquiver.skills.records import Skill
from skillquiver.types import Finding, Severity

__all__ = ["DECLARED_FIELDS", "DeclaredField", "DeclaredSource", "read_declared"]


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """What a frontmatter field claims; ``sure`` fields can hold nothing but skills."""

    type: T
    reverse: bool = False
    sure: bool = True


def _fields(type_: T, *names: str, reverse: bool = False, sure: bool = True) -> dict[str, DeclaredField]:
    return dict.fromkeys(names, DeclaredField(type_, reverse, sure))


DECLARED_FIELDS: Mapping[str, DeclaredField] = {
    **_fields(T.REQUIRES, "prerequisite-skills", "required-skills", "requires-skills", "depends-on-skills"),
    **_fields(T.REQUIRES, "skill-dependencies", "prerequisite-skill"),
    **_fields(T.REQUIRES, "requires", "depends-on", "prerequisites", "metadata/dependencies", sure=False),
    **_fields(T.COMPLEMENTS, "related-skills", "complements", "companion-skills", "see-also-skills"),
    **_fields(T.COMPLEMENTS, "related", "see-also", "companions", "works-with", sure=False),
    **_fields(T.ALTERNATIVE_TO, "alternative-to", "alternative-skills"),
    **_fields(T.ALTERNATIVE_TO, "alternatives", sure=False),
    **_fields(T.CONFLICTS_WITH, "conflicts-with", "conflicting-skills", "incompatible-with"),
    **_fields(T.CONFLICTS_WITH, "conflicts", sure=False),
    **_fields(T.SUPERSEDES, "supersedes", "replaces"),
    **_fields(T.SUPERSEDES, "superseded-by", "replaced-by", "deprecated-by", reverse=True),
    **_fields(T.PRECEDES, "precedes", "next-skills", "next-skill", "followed-by"),
    **_fields(T.PRECEDES, "follows", "previous-skills", "preceded-by", reverse=True),
    **_fields(T.FEEDS_INTO, "feeds-into"),
    **_fields(T.FEEDS_INTO, "fed-by", reverse=True),
    **_fields(T.ROUTES_TO, "routes-to", "delegates-to", "hands-off-to"),
    **_fields(T.VERIFIES, "verifies"),
    **_fields(T.VERIFIES, "verified-by", reverse=True),
    **_fields(T.SPECIALIZES, "specializes", "extends-skill", "parent-skill"),
}
"""Frontmatter fields by name (hyphens for underscores), at the top or inside ``metadata``."""

_SKILL_KEYS = ("skills", "skill")
"""Inside a map such as ``requires: {bins: …, skills: …}`` only these name skills."""

_NAME_KEYS = ("slug", "name", "skill", "id")
_REASON_KEYS = ("reason", "why", "description", "note")
_VERSION = re.compile(r"[<>=~^!]=?\s*\d|[\w.-]+@\d|\s")
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class _Entry:
    """One declared name: the field's path, the name, the reason given, and whether it is surely a skill."""

    path: str
    field: DeclaredField
    name: str
    reason: str
    sure: bool
    siblings: tuple[str, ...]


class DeclaredSource:
    """Proposes what the frontmatter declares."""

    name = "declared"

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose one candidate per declared name that is a skill."""
        return read_declared(corpus)[0]


def read_declared(corpus: Corpus) -> tuple[list[Candidate], list[Finding]]:
    """Return the candidates, and a finding per declared name that no skill has."""
    candidates: list[Candidate] = []
    findings: list[Finding] = []
    for i, skill in enumerate(corpus.skills):
        for entry in _entries(skill.metadata, "", 0):
            target = corpus.names.resolve_name(entry.name, i)
            if target is None:
                findings += _missing(skill, entry)
            elif target != i and (entry.sure or _is_plausible(corpus, i, entry)):
                candidates.append(_candidate(corpus, i, target, entry))
    return candidates, findings


def _entries(values: Mapping[str, object], path: str, depth: int) -> Iterator[_Entry]:
    for key, value in values.items():
        name = key_of(str(key)).replace(":", "-")
        here = f"{path}.{key}" if path else str(key)
        field = DECLARED_FIELDS.get(name) or DECLARED_FIELDS.get(f"{key_of(path)}/{name}")
        if field is not None:
            yield from _values(here, field, value)
        elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
            yield from _entries(value, here, depth + 1)


def _values(path: str, field: DeclaredField, value: object) -> Iterator[_Entry]:
    sure = field.sure
    if isinstance(value, Mapping):
        path, value = next(((f"{path}.{k}", value[k]) for k in _SKILL_KEYS if k in value), (path, None))
        sure = True
    named = [pair for item in _items(value) if (pair := _named(item))]
    names = tuple(name for name, _ in named)
    for name, reason in named:
        yield _Entry(path, field, name, reason, sure, names)


def _items(value: object) -> Iterator[object]:
    if isinstance(value, str):
        yield from re.split(r"[,;\n]", value)
    elif isinstance(value, list | tuple):
        yield from value


def _named(item: object) -> tuple[str, str] | None:
    if isinstance(item, Mapping):
        name = next((str(item[k]) for k in _NAME_KEYS if item.get(k)), "")
        reason = next((str(item[k]) for k in _REASON_KEYS if item.get(k)), "")
        return (name.strip(), reason) if name.strip() else None
    if isinstance(item, str) and item.strip(" `\"'[]"):
        return item.strip(" `\"'[]"), ""
    return None


def _is_plausible(corpus: Corpus, i: int, entry: _Entry) -> bool:
    """Whether a field that may hold packages holds skills: all of its entries are, and none is a tool."""
    if any(_VERSION.search(name) for name in entry.siblings):
        return False
    tools = {key_of(tool) for tool in corpus.skills[i].tools}
    return all(corpus.names.is_near_name(name, i) and key_of(name) not in tools for name in entry.siblings)


def _candidate(corpus: Corpus, i: int, target: int, entry: _Entry) -> Candidate:
    skill, other = corpus.skills[i], corpus.skills[target]
    source, goal = (other.id, skill.id) if entry.field.reverse else (skill.id, other.id)
    quote = f"{entry.path}: {entry.name}" + (f" ({entry.reason})" if entry.reason else "")
    return Candidate(
        source=source,
        target=goal,
        proposed_by=DeclaredSource.name,
        weight=1.0 if entry.sure else 0.8,
        claim=entry.field.type,
        provenance=Provenance.CURATED,
        evidence=Evidence(clip(quote, 300), f"{skill.id}#{clip(entry.path, 80)}"),
    )


def _missing(skill: Skill, entry: _Entry) -> list[Finding]:
    """A finding where the field names skills, or where a plain name in it looks like one."""
    if not entry.sure and (_VERSION.search(entry.name) or "/" in entry.name):
        return []
    return [
        Finding(
            "relation-target-missing",
            skill.path,
            f"{clip(entry.path, 80)} names {clip(entry.name, 80)!r}, which is no skill of this library",
            "add the skill, correct the name, or move names of packages and programs to another field",
            Severity.WARNING if entry.sure else Severity.INFO,
        )
    ]

"""Rows of the store: what is kept of a file, and how a record becomes columns and back."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from skillquiver.index.heads import path_of
from skillquiver.skills.records import Skill
from skillquiver.skills.roots import Scope
from skillquiver.types import Finding, SkillId

__all__ = [
    "WRITTEN",
    "FileRow",
    "Light",
    "decode",
    "light_of",
    "stored_path",
    "values_of",
]

_SKILL = msgspec.msgpack.Decoder(Skill)

WRITTEN = (
    *("id", "name", "path", "root", "scope", "kind", "size", "mtime_ns", "content_hash", "body_hash"),
    *("description", "hidden", "generation", "text_hash", "findings", "record", "body"),
)
"""Columns of ``files`` that ``values_of`` fills, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """What one found file came to: its identity on disk, and the record read from it, if any."""

    id: SkillId
    path: str
    root: str
    scope: Scope
    kind: str
    size: int
    mtime_ns: int
    content_hash: str
    findings: tuple[Finding, ...]
    skill: Skill | None
    text_hash: bytes | None


@dataclass(frozen=True, slots=True)
class Light:
    """The columns of a row that change detection and mirror rules need."""

    row: int
    id: SkillId
    name: str
    path: str
    root: str
    scope: Scope
    size: int
    mtime_ns: int
    content_hash: str
    body_hash: str
    description: str
    active: bool
    readable: bool


_SCOPES = {scope.value: scope for scope in Scope}


def light_of(columns: tuple[Any, ...]) -> Light:
    """Build a row from the columns that ``Store.lights`` selects."""
    row, skill_id, name, path, root, scope, *rest, active, readable = columns
    size, mtime_ns, content_hash, body_hash, description = rest
    return Light(
        *(row, skill_id, name, path_of(path), root, _SCOPES[scope], size, mtime_ns),
        *(content_hash, body_hash, description, bool(active), bool(readable)),
    )


def decode(record: bytes, path: str | bytes, body: str) -> Skill:
    """Return the record kept in these columns."""
    return replace(_SKILL.decode(record), path=path_of(path), body=body)


def _encode(skill: Skill) -> bytes:
    """Without path and body, which have columns. Names of bundled files need not be Unicode."""
    bare = replace(skill, path="", body="")
    try:
        return msgspec.msgpack.encode(bare)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_unicode(msgspec.to_builtins(bare)))


def _unicode(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_unicode(key): _unicode(item) for key, item in value.items()}
    return [_unicode(item) for item in value] if isinstance(value, list | tuple) else value


def stored_path(path: str) -> str | bytes:
    """Return a path as SQLite holds it: on POSIX a name may be any bytes, shown as surrogates by Python."""
    return path if path.isascii() or _is_unicode(path) else os.fsencode(path)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def values_of(file: FileRow, generation: int) -> tuple[Any, ...]:
    """Return the values of ``WRITTEN`` for one file."""
    skill = file.skill
    record = _encode(skill) if skill else None
    named = (skill.name, skill.body_hash, skill.description, skill.hidden) if skill else ("", "", "", False)
    return (
        *(
            file.id,
            named[0],
            stored_path(file.path),
            file.root,
            file.scope,
            file.kind,
            file.size,
            file.mtime_ns,
        ),
        *(file.content_hash, named[1], named[2], named[3], generation, file.text_hash),
        *(msgspec.msgpack.encode(file.findings), record, skill.body if skill else None),
    )

"""A skill against the Agent Skills format. Findings, never an exception; nothing is read or lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from skillquiver.skills.findings import clip, finding
from skillquiver.skills.records import Kind, Skill
from skillquiver.types import Finding

__all__ = ["MAX_BODY_LINES", "MAX_COMPATIBILITY", "MAX_DESCRIPTION", "MAX_NAME", "validate"]

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
MAX_BODY_LINES = 500
"""Limits of the Agent Skills format (agentskills.io), the last one a recommendation."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0001-\U000e007f]")
"""Characters that reorder text or are never seen: used to hide instructions from a reader."""

_PIPE_TO_SHELL = re.compile(r"\b(?:curl|wget)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b")


def validate(skill: Skill, lines: Mapping[str, int], body_line: int = 1) -> Iterator[Finding]:
    """What hosts may refuse or cut. ``lines`` says where fields stand, ``body_line`` where text begins."""
    yield from _name(skill, lines)
    yield from _texts(skill, lines)
    yield from _body(skill, body_line)


def _name(skill: Skill, lines: Mapping[str, int]) -> Iterator[Finding]:
    line = lines.get("name", 0)
    if not line:
        if skill.kind is Kind.SKILL and lines:
            yield finding("name-missing", skill.path, f"it is called {clip(skill.name)}, after its folder")
        return
    if len(skill.name) > MAX_NAME:
        yield finding("name-too-long", skill.path, f"{len(skill.name)} > {MAX_NAME} characters", line=line)
    elif not _NAME.fullmatch(skill.name):
        yield finding("name-characters", skill.path, f"the name is {clip(skill.name)}", line=line)
    if skill.kind is Kind.SKILL and skill.name != skill.folder and "/" in skill.id:
        yield finding(
            "name-folder", skill.path, f"{clip(skill.name)} in the folder {clip(skill.folder)}", line=line
        )


def _texts(skill: Skill, lines: Mapping[str, int]) -> Iterator[Finding]:
    line = lines.get("description", 0)
    if not line and lines:
        yield finding("description-missing", skill.path)
    if line and len(skill.description) > MAX_DESCRIPTION:
        said = f"{len(skill.description)} > {MAX_DESCRIPTION} characters"
        yield finding("description-too-long", skill.path, said, line=line)
    if len(skill.compatibility) > MAX_COMPATIBILITY:
        said = f"{len(skill.compatibility)} > {MAX_COMPATIBILITY} characters"
        yield finding("compatibility-too-long", skill.path, said, line=lines.get("compatibility", 0))
    nested = skill.metadata.get("metadata")
    if nested is not None and not (
        isinstance(nested, Mapping) and all(isinstance(v, str) for v in nested.values())
    ):
        yield finding("metadata-not-text", skill.path, line=lines.get("metadata", 0))


def _body(skill: Skill, body_line: int) -> Iterator[Finding]:
    if not skill.body.strip():
        yield finding("body-missing", skill.path)
    count = skill.body.count("\n") + 1
    if count > MAX_BODY_LINES:
        yield finding("body-too-long", skill.path, f"{count} > {MAX_BODY_LINES} lines", line=body_line)
    hidden = _HIDDEN.search(skill.body) if not skill.body.isascii() else None
    if hidden:
        said = f"U+{ord(hidden[0]):04X}"
        yield finding(
            "characters-hidden", skill.path, said, line=body_line + skill.body.count("\n", 0, hidden.start())
        )
    downloads = "curl" in skill.body or "wget" in skill.body  # most bodies need no search
    piped = _PIPE_TO_SHELL.search(skill.body) if downloads else None
    if piped:
        where = body_line + skill.body.count("\n", 0, piped.start())
        yield finding("pipe-to-shell", skill.path, clip(piped[0]), line=where)

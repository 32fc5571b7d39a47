"""The record every layer works on: one skill, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from skillquiver.skills.roots import Scope
from skillquiver.types import SkillId

__all__ = ["Kind", "Skill", "TokenCounts"]


class Kind(StrEnum):
    """What the Markdown file is to its host."""

    SKILL = "skill"
    COMMAND = "command"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens (cl100k_base) of two of the renderings a bundle may use, without their headers; 0 is unknown.

    The third, the outline, is made and counted when a bundle needs it (decisions/0007).
    """

    card: int = 0
    body: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill as it was read. All text is untrusted data.

    ``inputs`` and ``outputs`` are artifact terms (file types such as ``.xlsx``, named files, declared
    names); ``tools`` are binaries, packages and allowed tools; ``entrypoints`` are bundled scripts as
    paths relative to the skill's folder.
    """

    id: SkillId
    name: str
    description: str
    body: str
    path: str
    """Absolute path of the Markdown file."""
    root: str
    """Label of the root it was found under."""
    content_hash: str
    """SHA-256 of the file's bytes, hexadecimal."""
    body_hash: str = ""
    """SHA-256 of the body with line ends and outer white space normalised: equal bodies are mirrors."""
    body_line: int = 1
    """Line of the file on which the body begins."""
    when_to_use: str = ""
    kind: Kind = Kind.SKILL
    tags: tuple[str, ...] = ()
    category: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] = ()
    entrypoints: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    compatibility: str = ""
    license: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The whole frontmatter, verbatim as JSON values: relations are read from it later."""
    hidden: bool = False
    """``disable-model-invocation``: never suggested to a model."""
    tokens: TokenCounts = TokenCounts()
    mtime_ns: int = 0
    scope: Scope = Scope.GIVEN
    """Scope of its root: decides which of two skills with one name counts."""

    def line_of(self, offset: int) -> int:
        """Line of the file that holds the body's character at ``offset``."""
        return self.body_line + self.body.count("\n", 0, offset)

    @property
    def folder(self) -> str:
        """Last part of the id: the folder's name."""
        return self.id.rsplit("/", 1)[-1]

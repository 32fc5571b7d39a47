"""Builds skill folders for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skillquiver.skills.discover import Discovery, FoundFile, Root, Scope, discover
from skillquiver.skills.parse import Parsed, parse_skill
from skillquiver.skills.records import Kind
from skillquiver.types import Finding, SkillId


def write_skill(folder: Path, text: str | None = None, *, file: str = "SKILL.md", name: str = "") -> Path:
    """Write a skill into ``folder`` (made if needed) and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    name = name or folder.name
    path = folder / file
    path.write_text(
        text or f"---\nname: {name}\ndescription: Does {name}.\n---\n# {name}\n", encoding="utf-8"
    )
    return path


def search(path: Path, label: str = "lib") -> Discovery:
    return discover([Root(label, path)])


def ids(discovery: Discovery) -> list[str]:
    return [file.id for file in discovery.files]


def codes(findings: Sequence[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def parse(data: str | bytes, folder: str = "thing", kind: Kind = Kind.SKILL) -> Parsed:
    """Parse a file that was found as ``lib/<folder>``."""
    raw = data.encode() if isinstance(data, str) else data
    path = f"/lib/{folder}/SKILL.md" if kind is Kind.SKILL else f"/lib/{folder}.md"
    found = FoundFile(SkillId(f"lib/{folder}"), path, "lib", kind, len(raw), 0, Scope.GIVEN)
    return parse_skill(raw, found)

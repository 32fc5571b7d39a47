"""One file to one record. ``parse_skill`` is pure; ``read_skill`` is the rim that touches the disk."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from skillquiver.settings import DEFAULT_READ, ReadSettings
from skillquiver.skills.decode import decode
from skillquiver.skills.discover import FoundFile
from skillquiver.skills.facts import find_facts
from skillquiver.skills.fields import as_flag, as_text, field, normalise_tags, normalise_tools
from skillquiver.skills.findings import finding
from skillquiver.skills.frontmatter import Frontmatter, split_frontmatter
from skillquiver.skills.markdown import Document, read_markdown
from skillquiver.skills.records import Kind, Skill
from skillquiver.skills.validate import validate
from skillquiver.types import Finding

__all__ = ["Parsed", "body_hash", "parse_skill", "read_skill"]

_MAX_NAME = 256
"""A name is a label; the format allows 64 characters."""

_MAX_PROSE = 600
"""Characters taken from the body where there is no description: about one paragraph."""

_MAX_SIBLINGS = 512
"""Bundled files listed per skill."""

_SIBLING_DEPTH = 3
_BLOCK_MARKUP = re.compile(r"\s*(?:#|\||<|!\[|\[!|```|~~~|---|===|\*\*\*)")
_LEAD = re.compile(r"(?:>\s*|[-*+]\s+|\d+[.)]\s+)*(?:\**description\**\s*:\s*\**)?", re.IGNORECASE)
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A skill, or ``None`` where nothing could be read; what was wrong; the body's Markdown structure."""

    skill: Skill | None
    findings: tuple[Finding, ...] = ()
    document: Document | None = None


def parse_skill(
    data: bytes,
    found: FoundFile,
    *,
    siblings: Sequence[str] = (),
    settings: ReadSettings = DEFAULT_READ,
) -> Parsed:
    """Read one skill file's bytes. Any bytes are legal: what is wrong becomes findings.

    ``siblings`` are the bundled files, as ``/`` paths relative to the skill's folder.
    """
    decoded = decode(data, found.path, max_bytes=settings.max_file_bytes)
    if decoded.text is None:
        return Parsed(None, decoded.findings)
    front = split_frontmatter(decoded.text, found.path, settings)
    if not front.fields and not front.body.strip():
        kept = [f for f in front.findings if f.code not in ("frontmatter-unclosed", "frontmatter-missing")]
        return Parsed(None, (*decoded.findings, *kept, finding("frontmatter-empty", found.path)))
    document = read_markdown(front.body)
    skill = _build(data, found, front, document, siblings)
    blank = (
        [finding("frontmatter-blank", found.path, line=1)] if not front.fields and not front.findings else []
    )
    checks = validate(skill, front.lines, front.body_line)
    return Parsed(skill, (*decoded.findings, *front.findings, *blank, *checks), document)


def read_skill(found: FoundFile, settings: ReadSettings = DEFAULT_READ) -> Parsed:
    """Read and parse one file, at most ``max_file_bytes`` of it; a disk error becomes a finding."""
    if found.size > settings.max_file_bytes:
        return Parsed(None, (finding("file-too-large", found.path, f"{found.size:,} bytes"),))
    try:
        with open(found.path, "rb") as file:  # noqa: PTH123 - no Path object for each of 100,000 files
            data = file.read(settings.max_file_bytes + 1)
    except OSError as error:
        return Parsed(None, (finding("unreadable", found.path, error.strerror or "cannot be read"),))
    siblings = _siblings(os.path.dirname(found.path)) if found.kind is Kind.SKILL else ()  # noqa: PTH120
    return parse_skill(data, found, siblings=siblings, settings=settings)


def body_hash(body: str) -> str:
    """SHA-256 of a body without outer white space and blanks at line ends; ``""`` for no text at all."""
    if not body.strip():
        return ""  # skills without instructions are not copies of each other
    lines = map(str.rstrip, body.strip().split("\n"))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def _build(
    data: bytes, found: FoundFile, front: Frontmatter, document: Document, siblings: Sequence[str]
) -> Skill:
    fields = front.fields
    description = as_text(fields.get("description")) or _first_prose(front.body)
    facts = find_facts(fields, description, document, siblings)
    declared = field(fields, "allowed-tools") or (
        field(fields, "tools") if found.kind is Kind.AGENT else None
    )
    return Skill(
        id=found.id,
        name=_name(fields, found),
        description=description,
        when_to_use=as_text(field(fields, "when_to_use", "when", "read_when")),
        body=front.body,
        body_line=front.body_line,
        path=found.path,
        root=found.root,
        kind=found.kind,
        content_hash=hashlib.sha256(data).hexdigest(),
        body_hash=body_hash(front.body),
        tags=normalise_tags(field(fields, "tags"), field(fields, "keywords")),
        category=as_text(field(fields, "category", "domain")).lower(),
        inputs=facts.inputs,
        outputs=facts.outputs,
        tools=facts.tools,
        allowed_tools=normalise_tools(declared),
        entrypoints=facts.entrypoints,
        headings=tuple(text for text in (as_text(h.text) for h in document.headings) if text),
        compatibility=as_text(fields.get("compatibility")),
        license=as_text(fields.get("license")),
        metadata=dict(fields),
        hidden=as_flag(field(fields, "disable-model-invocation")),
        mtime_ns=found.mtime_ns,
        scope=found.scope,
    )


def _name(fields: Mapping[str, Any], found: FoundFile) -> str:
    given = as_text(fields.get("name"))[:_MAX_NAME].strip()
    if given:
        return given
    path = PurePath(found.path)
    folder = path.parent.name if found.kind is Kind.SKILL else path.stem
    return as_text(folder) or found.id.rsplit("/", 1)[-1]


def _first_prose(body: str) -> str:
    """The first paragraph that is prose: not a heading, table, badge, quote mark, list mark or code."""
    for paragraph in _paragraphs(body):
        text = _MARKUP.sub(lambda match: match[1] or "", _LEAD.sub("", paragraph[: 8 * _MAX_PROSE], count=1))
        text = as_text(text)
        if sum(character.isalpha() for character in text) >= 3:
            return text if len(text) <= _MAX_PROSE else text[: _MAX_PROSE - 1].rsplit(" ", 1)[0] + "…"
    return ""


def _paragraphs(body: str) -> Iterator[str]:
    lines: list[str] = []
    fence = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fence = not fence
        if fence or not line.strip() or _BLOCK_MARKUP.match(line):
            if lines:
                yield " ".join(lines)
            lines = []
        else:
            lines.append(line.strip())
    if lines:
        yield " ".join(lines)


def _siblings(folder: str) -> tuple[str, ...]:
    """Bundled files below ``folder``, without links and without folders that are skills themselves."""
    found: list[str] = []
    stack = [(folder, "", _SIBLING_DEPTH)]
    while stack and len(found) < _MAX_SIBLINGS:
        path, prefix, left = stack.pop()
        try:
            with os.scandir(path) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # gone or closed since it was found: then it bundles nothing we could use
            continue
        if prefix and any(entry.name.casefold() == "skill.md" for entry in listing):
            continue
        for entry in listing:
            if entry.is_file(follow_symlinks=False):
                found.append(prefix + entry.name)
            elif (
                left
                and entry.is_dir(follow_symlinks=False)
                and not entry.name.startswith((".", "node_modules"))
            ):
                stack.append((entry.path, f"{prefix}{entry.name}/", left - 1))
    return tuple(sorted(found)[:_MAX_SIBLINGS])

"""Skills without the lines that labels quote as evidence: what a graph knows where nobody wrote it down."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.subject import Cut
from skillquiver.skills.fields import as_text
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["cuts_of", "masked"]

_LONGEST = 60
"""Letters of a quotation that are compared: quotations are often cut short, or go on on the next line."""

_BEGINS = 40
"""Letters that suffice at the beginning of a line."""

_SHORTEST = 12
"""Letters of a line below which it is a heading or a word, and stays."""


def cuts_of(order: Iterable[OrderEdge]) -> tuple[Cut, ...]:
    """One cut per quoted line, below the folder that holds every end of its corpus."""
    ends: dict[str, list[SkillId]] = defaultdict(list)
    quoted: dict[str, set[str]] = defaultdict(set)
    for edge in order:
        ends[edge.corpus] += [edge.before, edge.after]
        for line in edge.evidence.splitlines():
            text = _squeezed(line.split("] ", 1)[-1] if line.startswith("[") else line)[:_LONGEST]
            if text:
                quoted[edge.corpus].add(text)
    return tuple(
        Cut(_common_folder(ends[corpus]), text)
        for corpus, texts in sorted(quoted.items())
        for text in sorted(texts)
    )


def _common_folder(ids: Collection[SkillId]) -> str:
    """The deepest folder that holds all of them."""
    parents = [skill_id.split("/")[:-1] for skill_id in ids]
    shared = 0
    while all(len(p) > shared and p[: shared + 1] == parents[0][: shared + 1] for p in parents):
        shared += 1
    return "/".join(parents[0][:shared])


def masked(skills: Iterable[Skill], cuts: Collection[Cut]) -> list[Skill]:
    """The skills without the body lines and frontmatter fields that ``cuts`` quote.

    Whatever changed has another content hash.
    """
    by_folder: dict[str, set[str]] = defaultdict(set)
    for cut in cuts:
        by_folder[cut.folder].add(cut.text)
    return [_masked(skill, by_folder) for skill in skills]


def _masked(skill: Skill, by_folder: Mapping[str, set[str]]) -> Skill:
    texts = {
        text
        for folder, found in by_folder.items()
        if not folder or skill.id.startswith(f"{folder}/")
        for text in found
    }
    if not texts:
        return skill
    body = "\n".join(line for line in skill.body.split("\n") if not _is_quoted(line, texts))
    fields = {
        key: value
        for key, value in skill.metadata.items()
        if key in ("name", "description") or not _is_quoted(f"{key}: {as_text(value)}", texts)
    }
    if body == skill.body and len(fields) == len(skill.metadata):
        return skill
    digest = hashlib.sha256(f"{skill.content_hash}\0{body}".encode("utf-8", "surrogatepass")).hexdigest()
    return replace(skill, body=body, metadata=fields, content_hash=digest)


def _is_quoted(line: str, texts: Iterable[str]) -> bool:
    found = _squeezed(line)
    return len(found) > _SHORTEST and any(
        text in found or found.startswith(text[:_BEGINS]) or found[:_LONGEST] == text for text in texts
    )


def _squeezed(text: str) -> str:
    """Letters and digits only, lower case."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()

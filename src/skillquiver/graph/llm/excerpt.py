"""What a model is shown of a skill, and where in a skill a quote stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from skillquiver.graph.relations import NO_EVIDENCE, Evidence
from skillquiver.skills.markdown import read_markdown
from skillquiver.skills.records import Skill

__all__ = ["MIN_QUOTE", "excerpt", "find_quote"]

MIN_QUOTE = 12
"""Characters below which a quote proves nothing: "run this" stands in any skill."""

MAX_QUOTE = 300
"""Longest evidence, as ``relations.Evidence`` promises."""

_OPENING_SHARE = 0.5
"""Share of the room for the body's opening; the rest is for passages that speak of other work."""

_KEPT = 16_384
"""Bodies whose sections are remembered: a skill is shown in several calls, and parsing takes milliseconds."""

_MIN_PASSAGE = 160
"""Characters below which a passage is a heading without its point."""

_TELLING = (
    re.compile(
        r"related|see also|prerequisite|require|depend|next|hand[ -]?off|integrat|companion|"
        r"complement|combin|alternativ|instead|do not use|not for|when not|supersed|"
        r"deprecat|replac|conflict|incompatib",
        re.IGNORECASE,
    ),
    re.compile(
        r"when to use|before|after|input|output|deliver|artifact|follow|workflow|pipeline|process|"
        r"verif|valid|review",
        re.IGNORECASE,
    ),
)
"""Headings under which authors say what comes before, after, or instead: those that name other work first."""


def excerpt(skill: Skill, limit: int) -> str:
    """Card, opening and telling sections of ``skill``, at most ``limit`` characters, whole lines of body."""
    card = "\n".join(_card(skill))[:limit]
    room = limit - len(card)
    if len(skill.body) + 1 <= room:
        body = skill.body.strip()
        return f"{card}\n{body}" if body else card
    opening = _whole_lines(skill.body, int(room * _OPENING_SHARE))
    parts = [card, opening.strip(), *_telling(skill.body, len(opening), room - len(opening))]
    return "\n".join(part for part in parts if part)[:limit]


def find_quote(skill: Skill, quote: str) -> Evidence | None:
    """Where ``quote`` stands in ``skill``, white space aside; ``None`` if nowhere.

    The evidence holds the skill's own characters on one line, not the model's.
    """
    words = quote.split()
    if not words:
        return NO_EVIDENCE
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for place, text in (("description", skill.description), ("when_to_use", skill.when_to_use)):
        if found := pattern.search(text):
            return Evidence(_clipped(found[0]), f"{skill.id}#{place}")
    if found := pattern.search(skill.body):
        return Evidence(_clipped(found[0]), _place(skill, found.start()))
    return None


def _card(skill: Skill) -> Iterator[str]:
    yield f"name: {_one_line(skill.name)}"
    yield f"description: {_one_line(skill.description)}"
    if skill.when_to_use:
        yield f"when to use: {_one_line(skill.when_to_use)}"
    for label, values in (("inputs", skill.inputs), ("outputs", skill.outputs), ("tools", skill.tools)):
        if values:
            yield f"{label}: {_one_line(', '.join(values[:12]))}"


def _telling(body: str, start: int, room: int) -> Iterator[str]:
    """The most telling sections after ``start``, in order of place, sharing ``room`` evenly."""
    later = [section for section in _telling_sections(body) if section[1] >= start]
    chosen = sorted(later)[: max(1, room // _MIN_PASSAGE)]
    chosen.sort(key=lambda section: section[1])
    for left, (_, low, high) in zip(range(len(chosen), 0, -1), chosen, strict=True):
        part = _whole_lines(body[low:high].strip(), room // left - 1)
        if "\n" in part:  # more than its heading
            room -= len(part) + 1
            yield part


@lru_cache(maxsize=_KEPT)
def _telling_sections(body: str) -> tuple[tuple[int, int, int], ...]:
    """(rank, start, end) of the sections of ``body`` whose heading tells of other work; 0 tells most."""
    found = []
    for section in read_markdown(body).sections():
        ranks = [rank for rank, words in enumerate(_TELLING) if words.search(section.title)]
        if ranks:
            found.append((ranks[0], section.start, section.end))
    return tuple(found)


def _whole_lines(text: str, limit: int) -> str:
    """The longest beginning of ``text`` that ends with a line; part of the first line if need be."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    end = text.rfind("\n", 0, limit + 1)
    return text[: end if end > 0 else limit].rstrip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clipped(text: str) -> str:
    line = _one_line(text)
    return line if len(line) <= MAX_QUOTE else line[: MAX_QUOTE - 1] + "…"


def _place(skill: Skill, offset: int) -> str:
    line = skill.line_of(offset)
    titles = [h.text for h in read_markdown(skill.body).headings if h.start <= offset]
    heading = f" [{_one_line(titles[-1])}]" if titles else ""
    return f"{skill.id}:{line}{heading}"

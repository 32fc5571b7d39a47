"""The words around a place in a text: its sentence, its heading, the line that announces its list."""

from __future__ import annotations

import re
from bisect import bisect_right

from skillquiver.graph.cues import claim_of_lead, claim_of_title
from skillquiver.graph.facts import Field, Mention, SkillFacts
from skillquiver.graph.relations import Evidence
from skillquiver.skills.findings import clip
from skillquiver.skills.records import Skill

__all__ = [
    "evidence_at",
    "in_code",
    "label_of",
    "lead_in",
    "plain",
    "section_title",
    "sentence_around",
    "text_of",
]

_MAX_QUOTE = 300
"""Characters of a quotation: enough for a sentence, too little to carry a skill."""

_MAX_TITLE = 80
"""Characters of a heading in a place."""

_SENTENCE_REACH = 400
"""Characters searched either way for the end of a sentence."""

_LEAD_REACH = 900
"""Characters above a list item in which the line that announces the list is looked for."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`\[(])|\n\s*\n|\n(?=\s*(?:[-*+|>#]|\d+[.)])\s)|\n(?=\s*#)")
_MARKUP = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)|[`*_]{1,3}|(?<=\s)#+\s")
_LABEL = re.compile(r"[ \t>*+-]*\*\*([^*\n]{3,40}?):?\*\*:?")
_LISTED = re.compile(r"[ \t>]*(?:[-*+|]|\d+[.)])[ \t]|[ \t]{2,}\S")


def text_of(skill: Skill, field: int) -> str:
    """Return the text that a mention's offsets refer to."""
    if field == Field.BODY:
        return skill.body
    return skill.description if field == Field.DESCRIPTION else skill.when_to_use


def plain(text: str) -> str:
    """Return ``text`` without Markdown markup, on one line."""
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", text).split())


def section_title(facts: SkillFacts, mention: Mention) -> str:
    """Return the title of the section the mention stands in; empty before the first heading."""
    if mention.field != Field.BODY:
        return ""
    at = bisect_right(facts.sections, (mention.start, 9, "")) - 1
    return facts.sections[at][2] if at >= 0 else ""


def in_code(facts: SkillFacts, mention: Mention) -> bool:
    """Whether the mention stands in a code block."""
    if mention.field != Field.BODY:
        return False
    at = bisect_right(facts.code, (mention.start, mention.start + 1, "")) - 1
    return at >= 0 and mention.start < facts.code[at][1]


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence, list item or table row that holds ``text[start:end]``."""
    low, high = max(0, start - _SENTENCE_REACH), min(len(text), end + _SENTENCE_REACH)
    for match in _SENTENCE_END.finditer(text, low, high):
        if match.end() <= start:
            low = match.end()
        elif match.start() >= end:
            return low, match.start()
    return low, high


def label_of(text: str, low: int, start: int) -> str:
    """Return the bold label of the item at ``low``, if it claims something and ends before ``start``."""
    label = _LABEL.match(text, low, start)
    return label[1] if label and (claim_of_title(label[1]) or claim_of_lead(label[1])) else ""


def lead_in(text: str, low: int) -> str:
    """Return the line that announces the list which the item at ``low`` belongs to; empty if none does."""
    above = text[max(0, low - _LEAD_REACH) : low]
    for line in reversed(above[above.rfind("\n#") + 1 :].split("\n")):
        words = line.strip(" \t>*_")
        if words and not _LISTED.match(line):
            return words[:-1] if words.endswith(":") else ""
    return ""


def evidence_at(skill: Skill, mention: Mention, bounds: tuple[int, int], title: str) -> Evidence:
    """Quote the sentence at ``bounds``; the place is ``id:line [heading]`` or ``id#field``."""
    text = text_of(skill, mention.field)
    quote = clip(text[slice(*bounds)], _MAX_QUOTE)
    title = clip(title, _MAX_TITLE)
    if mention.field != Field.BODY:
        return Evidence(quote, f"{skill.id}#{Field(mention.field).name.lower()}")
    line = skill.line_of(mention.start)
    return Evidence(quote, f"{skill.id}:{line} [{title}]" if title else f"{skill.id}:{line}")

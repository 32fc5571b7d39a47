"""What one skill's text holds that may point at another skill: found without knowing any other skill.

Facts depend on nothing but the one skill, so they are cached by its content hash; everything that needs
the whole library (which of these strings *is* a skill?) happens later and cheaply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

import msgspec

from skillquiver.graph.artifact_facts import Artifact, read_artifacts
from skillquiver.skills.markdown import Document, read_markdown
from skillquiver.skills.records import Skill

__all__ = ["FACTS_VERSION", "Field", "Form", "Mention", "SkillFacts", "read_facts"]

FACTS_VERSION = 2
"""Changes whenever the same skill may give other facts: cached facts of another version are ignored."""


class Form(IntEnum):
    """How a string stands in the text, from what can only be a reference to what may be any word."""

    PATH = 1
    """A link or code span with a path: ``../oauth/SKILL.md``."""
    WIKI = 2
    """``[[name]]``."""
    QUALIFIED = 3
    """``plugin:skill`` or ``/plugin:skill``."""
    CUED = 4
    """Beside the word *skill*: "the oauth skill", "skill: oauth"."""
    ITEM = 5
    """Head of a list item or a table row."""
    COMMAND = 6
    """``/name``."""
    MARKED = 7
    """In backticks, bold or quotes, or the text of a link."""
    BARE = 8
    """A hyphenated word in plain text."""


class Field(IntEnum):
    """The part of a skill a mention stands in."""

    DESCRIPTION = 0
    WHEN_TO_USE = 1
    BODY = 2


class Mention(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A string that may name a skill; ``start`` and ``end`` are offsets into the field's text."""

    form: int
    raw: str
    start: int
    end: int
    field: int


class SkillFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All mentions of one skill in order of place, and where its sections and code blocks are.

    ``sections`` holds ``(start, level, title)``; ``code`` holds ``(start, end, language)``; ``needs`` holds
    ``(start, end, title)`` of sections about what comes before or after the skill.
    """

    mentions: tuple[Mention, ...]
    sections: tuple[tuple[int, int, str], ...]
    code: tuple[tuple[int, int, str], ...]
    needs: tuple[tuple[int, int, str], ...] = ()
    artifacts: tuple[Artifact, ...] = ()


_NAME = r"[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]"
_PATHLIKE = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]*|[\w.-]+\.md", re.ASCII)
_WIKI = re.compile(r"\[\[([^\]\n|#]{2,64})(?:[|#][^\]\n]*)?\]\]")
_QUALIFIED = re.compile(rf"(?<![\w/.:@-])/?({_NAME}:{_NAME})(?![\w:/.-]*[\w:/])", re.IGNORECASE)
_COMMAND = re.compile(rf"/(?<![\w/.:~)>\]-]/)({_NAME})(?![\w/-])", re.IGNORECASE)
_MARKED = re.compile(
    r"`([^`\n]{2,64})`|\*\*([^*\n]{2,64})\*\*|(?<![\w*])\*([^*\n]{2,64})\*(?![\w*])|\"([\w .-]{2,64})\"",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w/.@:$#-])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+(?![\w/@-]|\.\w)")
_SKILL_WORD = re.compile(r"\bskills?\b", re.IGNORECASE)
_BEFORE_SKILL = re.compile(
    r"((?:[\w.:/&+-]+[ \t]+){0,4}[\w.:/&+-]+)[`*\"'_)]{0,4}\s+(?:agent\s+)?$", re.IGNORECASE
)
_REACH = 90
"""Characters before the word *skill* in which its name can stand."""
_AFTER_SKILL = re.compile(r"\bskills?:?\s+[`*\"'\[(/_]{0,4}([A-Za-z0-9][\w.:-]{1,62}\w)", re.IGNORECASE)
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)]|\|)[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"[`*_\[\"]*/?([A-Za-z0-9][\w .&:/-]{1,62}?\w)[`*_\]\")]*"
    r"(?=[ \t]*(?:$|[:|(]|[-–—→]+[ \t]|\]\())",
    re.MULTILINE,
)
_NAMELIKE = re.compile(r"/?[A-Za-z0-9][\w .:&+-]{0,62}[A-Za-z0-9]$")
_NEED_TITLE = re.compile(
    r"\b(?:prerequisites?|requirements?|inputs?|before you|depend\w+|next steps?|hand-?offs?|follow-?ups?)\b",
    re.IGNORECASE,
)
_NEED_CHARS = 600
"""Characters of such a section: what is needed is named early, details follow."""
_PROSE_LANGUAGES = frozenset(
    {"", "text", "txt", "md", "markdown", "mermaid", "dot", "graphviz", "yaml", "yml"}
)
"""Languages of code blocks in which authors draw or describe a process rather than show a program."""


def read_facts(skill: Skill) -> SkillFacts:
    """Read the facts of one skill; any text is legal. Pure: the same skill gives the same facts."""
    document = read_markdown(skill.body)
    code = tuple((block.start, block.end, block.language) for block in document.code_blocks)
    mentions = [
        *_field(skill.description, Field.DESCRIPTION),
        *_field(skill.when_to_use, Field.WHEN_TO_USE),
        *_links(document),
        *_body(document, code),
    ]
    sections = tuple((heading.start, heading.level, heading.text) for heading in document.headings)
    needs = tuple(
        (section.start, min(section.end, section.start + _NEED_CHARS), section.title)
        for section in document.sections()
        if _NEED_TITLE.search(section.title)
    )
    return SkillFacts(_strongest(mentions), sections, code, needs, read_artifacts(skill.body))


def _field(text: str, field: Field) -> Iterator[Mention]:
    for form, raw, start, end in _spans(text, 0, len(text)):
        yield Mention(form, raw, start, end, field)


def _body(document: Document, code: tuple[tuple[int, int, str], ...]) -> Iterator[Mention]:
    """Everything outside of program code; in drawings and transcripts only what cannot be a word."""
    text, at = document.text, 0
    for start, end, language in (*code, (len(text), len(text), "")):
        if start > at:
            for form, raw, s, e in _spans(text, at, start):
                yield Mention(form, raw, s, e, Field.BODY)
        if language in _PROSE_LANGUAGES:
            for form, raw, s, e in _spans(text, start, end):
                if form in (Form.QUALIFIED, Form.BARE, Form.COMMAND, Form.PATH, Form.CUED):
                    yield Mention(form, raw, s, e, Field.BODY)
        at = max(at, end)


def _links(document: Document) -> Iterator[Mention]:
    text = document.text
    for link in document.links:
        target = link.target.split("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            continue
        close = text.find("](", link.start)
        stop = text.find(")", close) + 1 if close >= 0 else 0
        if not link.start < stop <= link.start + len(link.text) + len(link.target) + 24:  # a reference link
            stop = link.start + len(link.text) + 2
        yield Mention(Form.PATH, target, link.start, stop, Field.BODY)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[Form, str, int, int]]:
    for match in _WIKI.finditer(text, start, end):
        yield Form.WIKI, match[1].strip(), *match.span()
    for match in _QUALIFIED.finditer(text, start, end):
        yield Form.QUALIFIED, match[1], *match.span()
    yield from _before_skill(text, start, end)
    for match in _AFTER_SKILL.finditer(text, start, end):
        yield Form.CUED, match[1], *match.span(1)
    for match in _ITEM.finditer(text, start, end):
        yield Form.ITEM, match[1], *match.span(1)
    for match in _COMMAND.finditer(text, start, end):
        yield Form.COMMAND, match[1], *match.span()
    for match in _BARE.finditer(text, start, end):
        yield Form.BARE, match[0], *match.span()
    yield from _marked(text, start, end)


def _before_skill(text: str, start: int, end: int) -> Iterator[tuple[Form, str, int, int]]:
    for word in _SKILL_WORD.finditer(text, start, end):
        low = max(start, word.start() - _REACH)
        match = _BEFORE_SKILL.search(text[low : word.start()])
        if match:
            yield Form.CUED, match[1], low + match.start(1), low + match.end(1)


def _marked(text: str, start: int, end: int) -> Iterator[tuple[Form, str, int, int]]:
    for match in _MARKED.finditer(text, start, end):
        inner = next(group for group in match.groups() if group is not None).strip()
        if "/" in inner[1:] and _PATHLIKE.fullmatch(inner):
            yield Form.PATH, inner, *match.span()
        elif _NAMELIKE.match(inner):
            form = Form.COMMAND if inner[0] == "/" else Form.MARKED
            yield form, inner.lstrip("/"), *match.span()


def _strongest(mentions: list[Mention]) -> tuple[Mention, ...]:
    """Order by place; of equal strings that overlap keep the strongest form."""
    kept: dict[tuple[int, str, int], Mention] = {}
    for mention in sorted(mentions, key=lambda m: (m.field, m.start, m.form, m.raw)):
        kept.setdefault((mention.field, mention.raw, mention.end), mention)
    return tuple(kept.values())

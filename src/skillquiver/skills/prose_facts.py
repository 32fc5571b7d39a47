"""File types that a description says are read or written, and terms of *Input* and *Output* sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillquiver.skills.markdown import Document, Section
from skillquiver.skills.terms import file_terms, name_term, type_of
from skillquiver.skills.vocabulary import (
    ACRONYMS,
    ATTRIBUTES,
    BOTH_WAYS,
    CLAUSE_ENDS,
    CONVERTING,
    INWARD,
    OUTWARD,
    PROTOCOL_WORDS,
    TYPE_WORDS,
)

__all__ = ["described_types", "section_terms"]

_INPUT_TITLE = re.compile(
    r"(?:\d+[.)]\s*)?(?:(?:required|expected|supported|accepted|main|primary)\s+)?(?:inputs?(?:\s*(?:files?|formats?|data|"
    r"requirements|schema|required|artifacts?))?|inputs?\s*/\s*prerequisites|prerequisites?|what you need|"
    r"supported (?:file )?(?:formats|types))(?:\s*\(.*\))?:?",
    re.IGNORECASE,
)
_OUTPUT_TITLE = re.compile(
    r"(?:\d+[.)]\s*)?(?:(?:required|expected|primary|main|final)\s+)?(?:outputs?(?:\s*(?:files?|formats?|artifacts?|schema|"
    r"deliverables|structure))?|outputs?\s*(?:/|and)\s*deliverables|deliverables?|artifacts?|generated files|"
    r"what it produces)(?:\s*\(.*\))?:?",
    re.IGNORECASE,
)
_TITLE_HINT = re.compile(r"put|requi|deliver|artifact|support|need|produce|generat", re.IGNORECASE)
"""Letters that every such title has: most documents end here."""

_PROPERTIES = re.compile(r'"properties"\s*:\s*\{')
_MAX_TITLE = 80
_MAX_SECTION = 6000
"""Characters of one section that are looked at."""

_ROLES = {
    **dict.fromkeys(INWARD, "inward"),
    **dict.fromkeys(OUTWARD, "outward"),
    **dict.fromkeys(BOTH_WAYS, "both"),
    **dict.fromkeys(CONVERTING, "convert"),
    **dict.fromkeys(("to", "into", "as"), "toward"),
    **dict.fromkeys(CLAUSE_ENDS, "stop"),
}
"""What a word of a description says about the file types after it."""

_MAYBE_TYPE = re.compile(
    r"\b[A-Z][A-Z0-9]{2}|\.[A-Za-z0-9]|(?i:"
    + "|".join(sorted({word.split()[0] for word in TYPE_WORDS}))
    + ")"
)
"""What every text with a file type has: most descriptions end here."""

_TOKEN = re.compile(r"[.;!?](?=\s|$)|(?<![\w/])\*?\.[A-Za-z0-9]{2,8}\b|[A-Za-z][A-Za-z0-9]*")


_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1")
"""Code below *Prerequisites* prepares a machine; what it reads is found with all other code."""

_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
_NO_ARTIFACT = (".exe", ".dll", ".sh", ".ps1", ".bat")
_NO_INPUT = (*_NO_ARTIFACT, ".md", ".py", ".js", ".ts", ".mjs", ".env", ".lock")
"""Sections name these as set-up steps or further reading."""


class _Verbs:
    """Which way the words of a clause point."""

    def __init__(self) -> None:
        self.direction = ""
        self.source_seen = self.negated = False

    def hear(self, role: str, word: str) -> None:
        """Take in a verb, a preposition or the end of a clause."""
        if role == "stop":
            self.direction, self.source_seen = "", False
            self.negated = word in ("not", "never", "without")
        elif role == "toward":
            turns = self.direction in ("inward", "convert") and self.source_seen
            self.direction = "outward" if turns or self.direction == "convert" else self.direction
        else:
            self.source_seen = self.source_seen and word == "from"
            self.direction = "" if self.negated else role

    def sides(self) -> tuple[str, ...]:
        """Where a file type belongs now."""
        if self.direction == "both":
            return ("inputs", "outputs")
        return ("outputs",) if self.direction == "outward" else ("inputs",)


def described_types(description: str) -> dict[str, set[str]]:
    """``{"inputs": …, "outputs": …}``: file types of the description by the verb that governs them.

    A verb holds until the next verb or the end of the clause; ``to`` and ``into`` turn outward after a verb
    of converting or once something was read, ``from`` always turns inward, a negation silences the clause.
    """
    found: dict[str, set[str]] = {"inputs": set(), "outputs": set()}
    if not _MAYBE_TYPE.search(description):
        return found
    tokens = _TOKEN.findall(description)
    verbs = _Verbs()
    for at, word in enumerate(tokens):
        role = _ROLES.get(word.lower())
        if role:
            verbs.hear(role, word.lower())
        elif verbs.direction:
            kind = _described_type(word, tokens[at + 1] if at + 1 < len(tokens) else "")
            verbs.source_seen = verbs.source_seen or bool(kind)
            for side in verbs.sides() if kind else ():
                found[side].add(kind)
    return found


def _described_type(word: str, following: str) -> str:
    """The file type a word stands for, or ``""``."""
    lower = word.lower()
    if word.startswith((".", "*")):
        return type_of(word)
    if following.lower() in PROTOCOL_WORDS:
        return ""
    known = ACRONYMS.get(word) or ACRONYMS.get(word.removesuffix("s"))
    if known:
        return known
    return TYPE_WORDS.get(lower) or TYPE_WORDS.get(f"{lower} {following.lower()}", "")


def section_terms(document: Document) -> dict[str, set[str]]:
    """``{"inputs": …, "outputs": …}``: files, types and schema properties of sections with such a title."""
    found: dict[str, set[str]] = {"inputs": set(), "outputs": set()}
    if not any(_TITLE_HINT.search(heading.text) for heading in document.headings):
        return found
    sections = document.sections()
    for at, section in enumerate(sections):
        title = section.title.strip(" :*_`")[:_MAX_TITLE]
        side = (
            "inputs" if _INPUT_TITLE.fullmatch(title) else "outputs" if _OUTPUT_TITLE.fullmatch(title) else ""
        )
        if side:
            found[side].update(_terms(_whole(document, sections, at), title, outward=side == "outputs"))
    return found


def _whole(document: Document, sections: tuple[Section, ...], at: int) -> str:
    """A section with its sub-sections."""
    end = at + 1
    while end < len(sections) and sections[end].level > sections[at].level:
        end += 1
    return document.text[sections[at].start : sections[end - 1].end][:_MAX_SECTION]


def _terms(text: str, title: str, *, outward: bool) -> Iterator[str]:
    if "schema" in title.lower():
        begin = _PROPERTIES.search(text)
        if begin:
            yield from filter(None, map(_object_name, _top_keys(text[begin.end() :])))
        return
    plain = _LINK_TARGET.sub("] ", text if outward else _FENCED.sub("", text))
    for term in file_terms(plain):
        if not term.endswith(_NO_ARTIFACT if outward else _NO_INPUT):
            yield term


def _object_name(key: str) -> str:
    """``trainingDataPath`` is ``training-data``; one word or an attribute is no data object."""
    words = name_term(key).split("-")
    if words[-1] in ("path", "paths", "file", "files", "dir"):
        words.pop()
    return "-".join(words) if len(words) > 1 and words[-1] not in ATTRIBUTES else ""


def _top_keys(text: str) -> Iterator[str]:
    """Keys at the first level of a JSON object whose opening brace has been read."""
    depth = 0
    for match in re.finditer(r'"([A-Za-z_]\w{1,40})"\s*:|[{}]', text):
        if match[1]:
            if depth == 0:
                yield match[1]
            continue
        depth += 1 if match[0] == "{" else -1
        if depth < 0:
            return

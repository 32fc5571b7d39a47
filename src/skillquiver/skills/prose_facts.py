"""File types that a description says are read or written, and terms of *Input* and *Output* sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillquiver.skills.markdown import Document, Section
from skillquiver.skills.terms import ACRONYMS, TYPE_WORDS, file_terms, name_term

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
_TEMPLATE_TITLE = re.compile(r"structure|schema", re.IGNORECASE)
_PROPERTIES = re.compile(r'"properties"\s*:\s*\{')
_KEY = re.compile(r'"([A-Za-z_]\w{2,40})"\s*:\s*\{')
_PLAIN_KEYS = frozenset(
    "type properties items required description success error errors message status result results metadata "
    "artifacts summary data name options config id title version timestamp notes".split()
)
_MAX_SECTION = 6000
"""Characters of one section that are looked at."""

_INWARD = "read|reads|reading|parse|parses|parsing|extract|extracts|extracting|analyze|analyzes|analyzing|analyse|load|loads|import|imports|ingest|ingests|open|opens|process|processes|processing|from|given|merge|merging|split|splitting|fill|filling|ocr|transcribe|transcribes"
_OUTWARD = "write|writes|writing|create|creates|creating|generate|generates|generating|produce|produces|producing|export|exports|exporting|save|saves|saving|output|outputs|build|builds|render|renders|rendering|draft|drafts|to|into|as"
_BOTH = "edit|edits|editing|modify|modifies|modifying|manipulate|manipulating|manipulation|update|updates|updating|annotate|annotating|work with|working with|works with|redact|redacts"
_CONVERT = (
    "convert|converts|converting|conversion|transform|transforms|transforming|turn|turns|translate|translates"
)
_WORDS = "|".join(sorted((re.escape(word) for word in TYPE_WORDS), key=len, reverse=True))
_SCAN = re.compile(
    rf"\b(?P<both>{_BOTH})\b|\b(?P<convert>{_CONVERT})\b|\b(?P<inward>{_INWARD})\b|\b(?P<outward>{_OUTWARD})\b"
    rf"|\b(?P<word>{_WORDS})\b|(?P<stop>[.;!?](?=\s|$)|\b(?:when|if|for|using|with|via|not|never|without|instead|about)\b)"
    rf"|(?P<file>(?<![\w/])\*?\.[A-Za-z0-9]{{2,8}}\b)|(?P<acronym>\b[A-Z][A-Z0-9]{{2,6}}(?=s?\b))",
    re.IGNORECASE,
)
_API = re.compile(
    r"s?[- ](?:api|schema|rest|viewer|parser library|rpc|web token|path|injection|validation)", re.IGNORECASE
)


def described_types(description: str) -> dict[str, set[str]]:
    """``{"inputs": …, "outputs": …}``: file types of the description by the verb that governs them.

    A verb holds until the next verb or the end of the clause; ``to`` and ``into`` turn outward only after
    a verb of converting or writing, ``from`` always turns inward.
    """
    inward: set[str] = set()
    outward: set[str] = set()
    direction, converting = "", False
    for match in _SCAN.finditer(description):
        kind, text = match.lastgroup, match[0].lower()
        if kind == "stop":
            direction, converting = (
                ("", False)
                if text in ".;!?" or text in ("not", "never", "without")
                else (direction, converting)
            )
        elif kind == "convert":
            direction, converting = "inward", True
        elif kind in ("both", "inward"):
            direction, converting = kind, converting and text != "both"
        elif kind == "outward":
            turns = text not in ("to", "into", "as") or converting or direction == "outward"
            direction = "outward" if turns else direction
        else:
            types = _types(match, description)
            inward.update(types if direction in ("inward", "both") else ())
            outward.update(types if direction in ("outward", "both") else ())
    return {"inputs": inward, "outputs": outward}


def _types(match: re.Match[str], text: str) -> tuple[str, ...]:
    if match.lastgroup == "file":
        return tuple(file_terms(match[0]))
    if _API.match(text, match.end()):
        return ()
    if match.lastgroup == "word":
        return (TYPE_WORDS[match[0].lower()],)
    known = ACRONYMS.get(match[0]) or ACRONYMS.get(match[0].removesuffix("S").removesuffix("s"))
    return (known,) if known else ()


def section_terms(document: Document) -> dict[str, set[str]]:
    """``{"inputs": …, "outputs": …}``: files, types and schema properties of sections with such a title."""
    found: dict[str, set[str]] = {"inputs": set(), "outputs": set()}
    sections = document.sections() if document.headings else ()
    for at, section in enumerate(sections):
        title = section.title.strip(" :*_`")
        side = (
            "inputs" if _INPUT_TITLE.fullmatch(title) else "outputs" if _OUTPUT_TITLE.fullmatch(title) else ""
        )
        if side:
            found[side].update(_terms(_whole(document, sections, at), title))
    return found


def _whole(document: Document, sections: tuple[Section, ...], at: int) -> str:
    """A section with its sub-sections."""
    end = at + 1
    while end < len(sections) and sections[end].level > sections[at].level:
        end += 1
    return document.text[sections[at].start : sections[end - 1].end][:_MAX_SECTION]


def _terms(text: str, title: str) -> Iterator[str]:
    if "schema" in title.lower():
        begin = _PROPERTIES.search(text)
        if begin:
            yield from (name_term(key) for key in _top_keys(text[begin.end() :]) if key not in _PLAIN_KEYS)
        return
    yield from file_terms(text)


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

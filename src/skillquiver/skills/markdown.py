"""Markdown to the parts the engine reads: headings, sections, code blocks, links.

CommonMark with tables, parsed by ``pyromark`` (Rust), in a fourteenth of the time that a Python parser
needs (docs/decisions/0002).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["CodeBlock", "Document", "Heading", "Link", "Section", "read_markdown"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``start`` and ``end`` are character offsets into the body."""

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced or indented block; ``language`` is the first word after the fence, lower case."""

    language: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """An inline or reference link (or image): where it points and what it is called."""

    target: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Section:
    """The text from one heading to the next. The part before the first heading has level 0."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed body. Every offset counts characters of ``text``."""

    text: str
    headings: tuple[Heading, ...]
    code_blocks: tuple[CodeBlock, ...]
    links: tuple[Link, ...]
    inline_code: tuple[tuple[str, int], ...]

    def sections(self) -> tuple[Section, ...]:
        """Split the text at its headings, in order; code is part of the section it stands in."""
        marks = [(0, "", 0), *((h.level, h.text, h.start) for h in self.headings)]
        ends = [start for _, _, start in marks[1:]] + [len(self.text)]
        cut = [
            Section(level, title, start, end) for (level, title, start), end in zip(marks, ends, strict=True)
        ]
        return tuple(s for s in cut if s.level or self.text[s.start : s.end].strip())


def read_markdown(text: str) -> Document:
    """Parse ``text``; any string is legal. Headings inside code are not headings."""
    import pyromark  # 10 ms that the lexical path must not pay

    options = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
    reader = _Reader(text)
    for event, span in pyromark.events_with_range(text, options=options):
        # most events are text outside everything we keep: they cost two look-ups here
        if reader.inside or (isinstance(event, dict) and ("Start" in event or "Code" in event)):
            reader.take(event, span["start"], span["end"])
    return reader.document()


class _Offsets:
    """Maps the parser's UTF-8 byte offsets to character offsets; free for ASCII text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._encoded = None if text.isascii() else text.encode("utf-8", "surrogatepass")
        self._byte = self._char = 0

    def __call__(self, byte: int) -> int:
        if self._encoded is None:
            return byte
        if byte < self._byte:
            self._byte = self._char = 0
        self._char += len(self._encoded[self._byte : byte].decode("utf-8", "ignore"))
        self._byte = byte
        return self._char


class _Reader:
    """Folds parser events into a ``Document``."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, _Offsets(text)
        self.inside: list[tuple[str, Any, int, list[str]]] = []
        self._headings: list[Heading] = []
        self._blocks: list[CodeBlock] = []
        self._links: list[Link] = []
        self._inline: list[tuple[str, int]] = []

    def take(self, event: Any, start: int, end: int) -> None:
        if event.__class__ is str:
            if event in ("SoftBreak", "HardBreak"):
                self._say(" ")
        elif "Text" in event:
            self._say(event["Text"])
        elif "End" in event:
            self._end(event["End"], end)
        elif "Start" in event:
            if event["Start"].__class__ is dict:
                self._start(event["Start"], start)
        elif "Code" in event:
            self._say(event["Code"])
            self._inline.append((event["Code"], self._at(start)))

    def document(self) -> Document:
        return Document(
            self._text, tuple(self._headings), tuple(self._blocks), tuple(self._links), tuple(self._inline)
        )

    def _say(self, text: str) -> None:
        for _, _, _, words in self.inside:
            words.append(text)

    def _start(self, value: Any, start: int) -> None:
        for name, detail in _tags(value):
            self.inside.append((name, detail, self._at(start), []))

    def _end(self, value: Any, end: int) -> None:
        name = value if isinstance(value, str) else next(iter(value))
        if not self.inside or self.inside[-1][0] != name:
            return
        _, detail, start, words = self.inside.pop()
        text = "".join(words)
        if name == "Heading":
            self._headings.append(Heading(int(detail["level"][1:]), text.strip(), start, self._at(end)))
        elif name == "CodeBlock":
            info = detail.get("Fenced", "") if isinstance(detail, dict) else ""
            language = info.split()[0].lower() if info.split() else ""
            self._blocks.append(CodeBlock(language, text, start, self._at(end)))
        else:
            self._links.append(Link(detail["dest_url"], text.strip(), start))


def _tags(value: Any) -> Iterator[tuple[str, Any]]:
    """The start tags whose text we keep; everything else passes through."""
    if isinstance(value, dict):
        name, detail = next(iter(value.items()))
        if name in ("Heading", "CodeBlock", "Link", "Image"):
            yield name, detail

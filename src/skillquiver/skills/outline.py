"""The heading tree of a body with what each section says first."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from skillquiver.skills.markdown import CodeBlock, Document, Section
from skillquiver.skills.sanitize import plain
from skillquiver.skills.sentences import leading_sentences

__all__ = ["outline_lines"]

SECTION_LIMIT = 220
"""Characters of first sentences per section: about two sentences of technical English."""

ITEM_LIMIT = 110
"""Characters of one list item: it names a step, it does not explain it."""

BRIEF = 110
"""Characters per section when the outline is too long: one sentence."""

ITEMS = 3
"""List items quoted per section; the rest is counted."""

SHARE = 0.22
"""An outline above this share of its body gives up its deepest level: 10 to 25 % is the aim."""

SHORTEST_CUT = 900
"""Characters below which an outline is left as it is, whatever its share."""

LONGEST = 4_000
"""Characters of an outline, whatever the length of the body: about 1,000 tokens, a body of median length."""

LONGEST_TITLE = 200
"""Characters of a heading; longer ones are text under a wrong mark."""

MOST_SECTIONS = 400
"""Sections looked at: no outline shows more, and a hostile file has a million."""

REPEATED = 0.15
"""Share of new words up to which an opening repeats the description."""

WINDOW = 4_000
"""Characters of a section that are looked at for its first sentences."""

_CONTENTS = re.compile(
    r"(?:table of )?contents?|toc|目录|目次|inhalt(?:sverzeichnis)?|índice|sommaire", re.IGNORECASE
)
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_TABLE = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|?[\s:|-]+\|?$")
_QUOTE = re.compile(r"^\s*(?:>\s?)+(?:\[![A-Z]+\]\s*)?")
_IMAGE = re.compile(r"\[?!\[[^\[\]]{0,300}\]\([^()]{0,500}\)(?:\]\([^()]{0,500}\))?|!\[\[[^\[\]]{0,300}\]\]")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}(?:\s+\"[^\"]{0,200}\")?\)")
_HTML = re.compile(
    r"(`[^`]*`)|<!--.*?(?:-->|$)|</?(?:a|abbr|b|big|blockquote|br|center|code|dd|details|div|dl|dt|em|figure|font"
    r"|h[1-6]|hr|i|img|kbd|li|ol|p|picture|pre|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr"
    r"|u|ul|video)(?:\s[^<>]*)?/?>",
    re.DOTALL | re.IGNORECASE,
)
"""Comments and the tags of prose, but not inside inline code: ``<name>`` is mostly a placeholder."""

_EMPHASIS = re.compile(r"\*\*(?=\S)([^*]{1,200})(?<=\S)\*\*")


@dataclass(frozen=True, slots=True)
class _Entry:
    level: int
    title: str
    says: str


def outline_lines(document: Document, *, title: str = "", known: str = "") -> list[str]:
    """Return the outline of ``document`` as lines without newlines; every line is plain text.

    A heading keeps its level marks. A first heading equal to ``title`` is dropped, its text is kept; an
    opening that only repeats ``known`` is dropped.
    """
    sections = document.sections()
    if len(sections) == 1:  # nothing to go by but paragraphs
        sections = _paragraphs(document, sections[0])
    sections = sections[:MOST_SECTIONS]
    entries = _useful([_entry(document, section) for section in sections], title)
    entries = [
        entry for at, entry in enumerate(entries) if at > 1 or entry.title or not _repeats(entry, known)
    ]
    limit = min(LONGEST, max(SHORTEST_CUT, int(SHARE * len(document.text))))
    return [line for entry in _shrink(entries, limit) for line in _lines(entry)]


def _paragraphs(document: Document, section: Section) -> tuple[Section, ...]:
    """Split the only section at blank lines outside code, unless a colon leads over the blank line."""
    text = document.text
    code = [(block.start, block.end) for block in document.code_blocks[:MOST_SECTIONS]]
    first = _after_heading(text, section) if section.level else section.start
    first += len(text[first : section.end]) - len(text[first : section.end].lstrip())
    cuts = [
        match.end()
        for match in islice(_BLANK.finditer(text), MOST_SECTIONS)
        if first < match.end() < section.end
        and text[match.start() - 1 : match.start()] not in (":", "：", "*")
        and not any(start <= match.start() < end for start, end in code)
    ]
    paragraphs = (Section(0, "", start, end) for start, end in pairwise([*cuts, section.end]))
    return (replace(section, end=cuts[0] if cuts else section.end), *paragraphs)


def _entry(document: Document, section: Section) -> _Entry:
    blocks = _code_within(document.code_blocks, section)
    title = section.title
    title = _inline(title) if len(title) <= LONGEST_TITLE else f"(a heading of {len(title)} characters)"
    return _Entry(section.level, title, _says(document.text, section, blocks))


def _repeats(entry: _Entry, known: str) -> bool:
    """Whether nearly every word of what the entry says stands in ``known`` already."""
    words, there = set(re.findall(r"\w+", entry.says.lower())), set(re.findall(r"\w+", known.lower()))
    return len(words - there) <= len(words) * REPEATED


def _code_within(blocks: Sequence[CodeBlock], section: Section) -> Sequence[CodeBlock]:
    low = bisect_left(blocks, section.start, key=lambda block: block.start)
    high = bisect_left(blocks, section.end, key=lambda block: block.start)
    return blocks[low:high]


def _says(text: str, section: Section, blocks: Sequence[CodeBlock]) -> str:
    """First sentences of a section; a colon at their end is answered by what follows it."""
    start = section.start
    if section.level:
        start = _after_heading(text, section)
    end = min(section.end, start + WINDOW)
    code = next((block for block in blocks if block.start < end), None)
    prose_end = min(end, code.start) if code else end
    window = text[start:prose_end]
    if prose_end < section.end and code is None:
        # The window cuts the section: its last line may be half a line, unless that is all there is, and
        # then the limits on what is quoted stop long before the cut.
        window = window.rpartition("\n")[0] or window
    return _first_block(_HTML.sub(r"\1", window) if "<" in window else window, code)


def _after_heading(text: str, section: Section) -> int:
    line_end = text.find("\n", section.start, section.end)
    if line_end < 0:
        return section.end
    following = text.find("\n", line_end + 1, section.end)
    underline = text[line_end + 1 : following if following >= 0 else section.end].strip()
    is_setext = (
        bool(underline) and not text.startswith("#", section.start) and set(underline) in ({"="}, {"-"})
    )
    return line_end + 1 + (len(text[line_end + 1 : following]) + 1 if is_setext and following >= 0 else 0)


def _first_block(window: str, code: CodeBlock | None) -> str:
    paragraph, items, rows = _blocks(window)
    said = leading_sentences(_inline(" ".join(paragraph)), SECTION_LIMIT)
    if said and not said.endswith((":", "：")):
        return said
    if items:
        return f"{said} {_items(items)}".strip()
    if rows:
        return f"{said} {_table(rows)}".strip()
    if code is not None:
        return f"{said} {_code(code)}".strip()
    return said.rstrip(":：")


def _blocks(window: str) -> tuple[list[str], list[str], list[str]]:
    """First paragraph, and the list items or table rows that follow it directly or stand alone."""
    paragraph: list[str] = []
    items: list[str] = []
    rows: list[str] = []
    for raw in window.split("\n"):
        line = _QUOTE.sub("", raw) if ">" in raw else raw
        kind = _kind(line)
        if kind == "blank":
            said = _inline(" ".join(paragraph))
            if said and not said.endswith((":", "：")):
                break
        elif kind == "row":
            rows.append(line)
        elif kind == "item":
            items.append(line)
        elif items or rows:
            if kind == "text" and not raw[:1].isspace():
                break
            if items and len(items[-1]) < ITEM_LIMIT * 4:
                items[-1] = _joined(items[-1], line.strip())
        elif kind == "text":
            paragraph.append(line)
    return paragraph, items, rows


def _kind(line: str) -> str:
    first = line.lstrip()[:1]
    if not first or (first in "-*_=|:" and _RULE.match(line)):
        return "blank"
    if first == "|" and _TABLE.match(line):
        return "row"
    return "item" if (first in "-*+" or first.isdigit()) and _ITEM.match(line) else "text"


def _items(items: Sequence[str]) -> str:
    top = [item for item in items if not item[:1].isspace()] or items
    texts = (_inline(match[1]) for match in map(_ITEM.match, top[: ITEMS + 2]) if match)
    heads = [head for head in map(_head, texts) if head][:ITEMS]
    if not heads:
        return f"({len(top)} items)" if len(top) > 1 else ""
    more = len(top) - len(heads)
    return "; ".join(head.rstrip(" .;,:：") for head in heads) + (f" (and {more} more)" if more > 0 else ".")


def _joined(item: str, line: str) -> str:
    """An item and its next line; a new thought after an item without a stop is set off by a dash."""
    starts_anew = line[:1].isupper() and item.rstrip()[-1:] not in ".!?:;,、。："
    return f"{item} — {line}" if starts_anew else f"{item} {line}"


def _head(text: str) -> str:
    """What a list item is about: its first sentence, or the term before its colon or dash."""
    taken = leading_sentences(text, ITEM_LIMIT)
    if taken:
        return taken
    term = re.match(r"(.{2,80}?)(?:\s+[—–-]\s+|[:：](?:\s|$))", text)
    return term[1] if term else ""


def _table(rows: Sequence[str]) -> str:
    columns = [_inline(cell) for cell in rows[0].strip().strip("|").split("|")]
    named = ", ".join(column for column in columns if column)
    size = max(len(rows) - 1, 1)
    plural = "s" if size > 1 else ""
    columns_named = f": {named}" if named and len(named) <= ITEM_LIMIT else ""
    return f"(table of {size} row{plural}{columns_named})"


def _code(code: CodeBlock) -> str:
    lines = code.text.count("\n") or 1
    language = plain(code.language) if len(code.language) <= 20 else ""
    return f"({language or 'code'}, {lines} line{'s' if lines > 1 else ''})"


def _inline(text: str) -> str:
    """One line of prose: images and HTML gone, links as their text, bold marks off."""
    # Most lines hold none of these, and looking for one character is ten times cheaper than a pattern.
    if "<" in text:
        text = _HTML.sub(r"\1", text)
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "**" in text:
        text = _EMPHASIS.sub(r"\1", text)
    return plain(text)


def _useful(entries: Sequence[_Entry], title: str) -> list[_Entry]:
    """Drop tables of contents and sections that say nothing and hold nothing."""
    kept: list[_Entry] = []
    for position, entry in enumerate(entries):
        following = entries[position + 1].level if position + 1 < len(entries) else 0
        if _CONTENTS.fullmatch(entry.title):
            continue
        if not entry.says and following <= entry.level:
            continue
        if position < 2 and entry.level == 1 and _same_title(entry.title, title):
            entry = replace(entry, level=0, title="")
        kept.append(entry)
    return [entry for entry in kept if entry.title or entry.says]


def _same_title(left: str, right: str) -> bool:
    def letters(text: str) -> str:
        return re.sub(r"\bskill\b|\W|_", "", text.lower())

    return letters(left) == letters(right)


def _shrink(entries: Sequence[_Entry], limit: int) -> list[_Entry]:
    """Bring the outline under ``limit`` characters, deepest level and last section first.

    Long sayings become one sentence, then sayings go, then headings below level 2, then the end.
    """
    kept = list(entries)
    if _size(kept) > limit:
        kept = [replace(entry, says=leading_sentences(entry.says, BRIEF) or entry.says) for entry in kept]
    over = _size(kept) - limit
    order = sorted(range(len(kept)), key=lambda at: (-kept[at].level, -at))
    for at in order:
        if over > 0 and kept[at].level >= 2:
            over -= len(kept[at].says)
            kept[at] = replace(kept[at], says="")
    dropped = set()
    for at in order:
        if over > 0 and kept[at].level > 2:
            over -= _size([kept[at]])
            dropped.add(at)
    kept = [entry for at, entry in enumerate(kept) if at not in dropped]
    return _without_end(kept, limit)


def _without_end(entries: Sequence[_Entry], limit: int) -> list[_Entry]:
    kept = list(entries)
    size = _size(kept)
    while kept and size > limit:
        size -= _size([kept.pop()])
    left = len(entries) - len(kept)
    return [*kept, _Entry(0, "", f"({left} more section{'s' if left > 1 else ''})")] if left else kept


def _size(entries: Sequence[_Entry]) -> int:
    return sum(entry.level + len(entry.title) + len(entry.says) + 3 for entry in entries)


def _lines(entry: _Entry) -> Iterator[str]:
    if entry.title:
        yield f"{'#' * entry.level} {entry.title}"
    if entry.says:
        yield entry.says

"""Text to fields, body and findings; no file access.

Order of repair: strict YAML; quoting the values that are no YAML without quotes; cutting a frontmatter that
never closes where its fields end; reading simple fields line by line. Valid YAML never goes through a repair.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from skillquiver.settings import DEFAULT_READ, ReadSettings
from skillquiver.skills.fields import as_text
from skillquiver.skills.findings import clip, finding
from skillquiver.skills.repair import quote_values, salvage
from skillquiver.skills.yaml_values import TooMuchYamlError, YamlResult, load_yaml
from skillquiver.types import Finding

__all__ = ["Frontmatter", "split_frontmatter"]

_FENCE = re.compile(r"---[ \t]*")
_FIELD = re.compile(r"[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)")
_OWN_LINE = re.compile(r"[ \t]|#(?!#|\s*[A-Z])|- |[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)")
"""Lines that may stand in a frontmatter: indented, comment, list item, field. A Markdown heading may not."""

_UNFENCED = re.compile(r"(?:name|description)[ \t]*:[ \t]+\S")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")
_RESTRICTIONS = (
    "allowed-tools",
    "allowed_tools",
    "disallowed-tools",
    "disable-model-invocation",
    "user-invocable",
)
_MAX_LATE_LINES = 40
"""A licence comment may stand before the frontmatter; anything longer is the body."""


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """``fields`` are JSON values as written; ``lines`` says where each field stands; the body is verbatim."""

    fields: Mapping[str, Any]
    body: str
    findings: tuple[Finding, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    body_line: int = 1


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where the YAML and the body are, in lines counted from 0; ``closed`` if a fence ended the YAML."""

    start: int
    end: int
    body: int
    closed: bool


def split_frontmatter(text: str, path: str = "", settings: ReadSettings = DEFAULT_READ) -> Frontmatter:
    """Split a decoded file (line feeds only). Any text is legal; what is wrong is in the findings."""
    lines = text.split("\n")
    found: list[Finding] = []
    cut = _cut(lines, path, found)
    if cut is None:
        found.append(finding("frontmatter-missing", path, line=1))
        return Frontmatter({}, text, tuple(found))
    if not cut.closed:
        keep = _fields_end(lines[cut.start : cut.end])
        found.append(finding("frontmatter-unclosed", path, line=cut.start + keep))
        cut = _Cut(cut.start, cut.start + keep, cut.start + keep, closed=False)
    reader = _Reader(path, settings, cut.start, found)
    fields = reader.read(lines[cut.start : cut.end])
    if reader.ends_after is not None:  # the YAML broke because the fence was the body's, not its own
        cut = _Cut(cut.start, cut.start + reader.ends_after, cut.start + reader.ends_after, closed=False)
    body = "\n".join(lines[cut.body :])
    return Frontmatter(fields, body, tuple(found), reader.lines, cut.body + 1)


def _cut(lines: list[str], path: str, found: list[Finding]) -> _Cut | None:
    """Find the fences. Only blank lines or an HTML comment may stand before the first."""
    start = _opening(lines)
    if start is None:
        return _unfenced(lines, path, found)
    if start:
        found.append(finding("frontmatter-late", path, f"it begins on line {start + 1}", line=start + 1))
    for index in range(start + 1, len(lines)):
        if _FENCE.fullmatch(lines[index]):
            return _Cut(start + 1, index, index + 1, closed=True)
    if not any(_FIELD.match(line) for line in lines[start + 1 : start + 4]):
        return None  # a horizontal rule above plain text
    return _Cut(start + 1, len(lines), len(lines), closed=False)


def _opening(lines: list[str]) -> int | None:
    comment = False
    for index, line in enumerate(lines[:_MAX_LATE_LINES]):
        if not comment and _FENCE.fullmatch(line):
            return index
        bare = line.strip()
        comment = (comment or bare.startswith("<!--")) and "-->" not in bare
        if bare and not comment and not bare.endswith("-->"):
            return None
    return None


def _unfenced(lines: list[str], path: str, found: list[Finding]) -> _Cut | None:
    """Fields at the very top without an opening fence: ``name: x`` and ``description: y``."""
    blank = next(
        (n for n, line in enumerate(lines) if not line.strip() or _FENCE.fullmatch(line)), len(lines)
    )
    end = _fields_end(lines[:blank])
    if sum(bool(_UNFENCED.match(line)) for line in lines[:end]) < 2:
        return None
    found.append(finding("frontmatter-unfenced", path, line=1))
    fence = end < len(lines) and bool(_FENCE.fullmatch(lines[end]))
    return _Cut(0, end, end + fence, closed=True)


def _fields_end(lines: list[str]) -> int:
    """Number of leading lines that can be fields: up to the first line that only a body can have."""
    end = 0
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        if not _OWN_LINE.match(line):
            break
        if line.startswith("- ") and not _takes_items(lines, end):
            break  # a Markdown list
        if index > end and line.startswith(("    ", "\t")) and not _continues(lines, end):
            break  # indented code
        end = index + 1
    return end


def _takes_items(lines: list[str], end: int) -> bool:
    """Whether the line before may be followed by ``- item`` at the margin: ``key:`` or another item."""
    last = lines[end - 1].rstrip() if end else ""
    return last.endswith(":") or (
        last.startswith(("- ", " ", "#")) and any(line.startswith("- ") for line in lines[:end])
    )


def _continues(lines: list[str], end: int) -> bool:
    """Whether the last field line before a blank one opens a block (``key: |``, ``key:``)."""
    last = lines[end - 1].rstrip() if end else ""
    return last.endswith((":", "|", ">", "|-", ">-")) or last.startswith((" ", "\t"))


class _Reader:
    """Tries the repairs in order; ``ends_after`` is set when the YAML ends before its closing fence."""

    def __init__(self, path: str, settings: ReadSettings, offset: int, found: list[Finding]) -> None:
        self._path, self._settings, self._offset, self._found = path, settings, offset, found
        self.lines: dict[str, int] = {}
        self.ends_after: int | None = None

    def read(self, source: list[str]) -> dict[str, Any]:
        text = "\n".join(source)
        if _CONTROLS.search(text):
            self._say("characters-hidden", "the frontmatter has control characters; they were read as blanks")
            text = _CONTROLS.sub(" ", text)
        try:
            return self._accept(load_yaml(text, self._settings))
        except TooMuchYamlError as error:
            return self._salvage(text, error.code, str(error), 0, 0)
        except yaml.YAMLError as error:
            return self._repair(text, error)

    def _repair(self, text: str, error: yaml.YAMLError) -> dict[str, Any]:
        for end in (None, *self._body_begins(text)):
            lines = text.split("\n")[:end]
            fixed = quote_values("\n".join(lines), self._settings)
            if fixed is None or not isinstance(fixed.result.value, dict):
                continue
            for repair in fixed.repairs:
                self._say(repair.code, repair.message, repair.line, repair.column)
            if end is not None:
                self._say("frontmatter-unclosed", "", end)
                self.ends_after = end
            fields = self._accept(fixed.result)
            self._keep_restrictions({key: (fields[key], self.lines[key] - self._offset) for key in fields})
            return fields
        line, column, problem = place(error)
        return self._salvage(text, "frontmatter-invalid", problem, line, column)

    def _body_begins(self, text: str) -> tuple[int, ...]:
        """A body that begins before the fence: the number of lines that are fields, if fewer than all."""
        lines = text.split("\n")
        end = _fields_end(lines)
        rest = [line for line in lines[end:] if line.strip()]
        return (end,) if 0 < end < len(lines) and len(rest) > 1 else ()

    def _salvage(self, text: str, code: str, problem: str, line: int, column: int) -> dict[str, Any]:
        """Read ``key: value`` lines; a restriction must not be lost with the rest."""
        self._say(code, problem, line, column)
        saved = salvage(text[: self._settings.max_yaml_bytes])
        self.lines = {key: where + self._offset for key, (_, where) in saved.items()}
        self._keep_restrictions(saved)
        return {key: value for key, (value, _) in saved.items()}

    def _keep_restrictions(self, fields: Mapping[str, tuple[Any, int]]) -> None:
        for key in _RESTRICTIONS:
            if key in fields:
                value, line = fields[key]
                self._say("frontmatter-restriction", f"{key}: {as_text(value)}", line)

    def _accept(self, result: YamlResult) -> dict[str, Any]:
        for tag, line, column in result.tags:
            self._say("frontmatter-tag", f"the value with the tag {clip(tag)} was dropped", line, column)
        for key, line in result.repeated:
            self._say("field-repeated", f"the field {clip(key)} is repeated", line)
        if result.value is not None and not isinstance(result.value, dict):
            self._say(
                "frontmatter-not-fields", f"it is {_KINDS.get(type(result.value), 'a single value')}", 1
            )
            return {}
        self.lines = {key: line + self._offset for key, line in result.lines.items()}
        return result.value or {}

    def _say(self, code: str, message: str, line: int = 0, column: int = 0) -> None:
        where = line + self._offset if line else 0
        self._found.append(finding(code, self._path, message, line=where, column=column))


_KINDS = {list: "a list", str: "plain text", int: "a number", float: "a number"}


def place(error: yaml.YAMLError) -> tuple[int, int, str]:
    """Line and column (from 1) and the parser's words."""
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or str(error).split("\n", maxsplit=1)[0])
    return (mark.line + 1, mark.column + 1, problem) if mark else (0, 0, problem)

"""Two repairs of broken YAML: quote the values that need it, or read simple fields line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from skillquiver.settings import ReadSettings
from skillquiver.skills.findings import clip
from skillquiver.skills.yaml_values import TooMuchYamlError, YamlResult, load_yaml

__all__ = ["Quoted", "Repair", "quote_values", "salvage"]

_MAX_REPAIRS = 16
"""Values quoted in one frontmatter; each costs a parse."""

_ENTRY = re.compile(r"(?P<head>(?P<indent> *)(?:- +)?(?P<key>[A-Za-z_][\w.-]*)[ \t]*:[ \t]+)(?P<value>\S.*)")
_LIST_ITEM = re.compile(r"(?P<head>(?P<indent> *)- +)(?P<value>\S.*)")
_TOP_ENTRY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:[ \t]*(.*)")
_BLOCK = re.compile(r"[|>][+-]?[0-9]?[ \t]*(#.*)?")
_MAX_SALVAGED = 8_000
"""Characters of one salvaged value: a broken file must not become one endless description."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change, for a finding; line and column count from 1 within the YAML text."""

    code: str
    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Quoted:
    """A document that became valid, and what was changed."""

    result: YamlResult
    repairs: tuple[Repair, ...]


def quote_values(text: str, settings: ReadSettings) -> Quoted | None:
    """Quote the value at each place the parser stops at, until the text is valid; else None."""
    lines, repairs = text.split("\n"), list[Repair]()
    tabbed = next((n for n, line in enumerate(lines) if re.match(r" *\t", line)), None)
    for _ in range(_MAX_REPAIRS):
        try:
            return Quoted(load_yaml("\n".join(lines), settings), tuple(repairs))
        except TooMuchYamlError:
            return None
        except yaml.YAMLError as error:
            if tabbed is not None:
                repair: Repair | None = Repair("frontmatter-tab", "", tabbed + 1, 1)
                lines, tabbed = [_untab(line) for line in lines], None
            else:
                repair = _quote_at(lines, error)
        if repair is None:
            return None
        repairs.append(repair)
    return None


def _untab(line: str) -> str:
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].replace("\t", "  ") + body


def _quote_at(lines: list[str], error: yaml.YAMLError) -> Repair | None:
    """Quote the entry that the parser stopped in, or the one before it; change ``lines`` in place."""
    mark = getattr(error, "problem_mark", None)
    if mark is None or mark.line > len(lines):
        return None
    for start in range(min(mark.line, len(lines) - 1), max(-1, mark.line - 4), -1):
        entry = _ENTRY.fullmatch(lines[start]) or _LIST_ITEM.fullmatch(lines[start])
        if entry and not _is_quoted(entry["value"]) and not _BLOCK.fullmatch(entry["value"]):
            return _quote(lines, start, entry)
        if entry and start == mark.line:
            return None
    return None


def _is_quoted(value: str) -> bool:
    return value[0] in "\"'" and len(value) > 1 and value.rstrip()[-1] == value[0] and "\\" not in value


def _quote(lines: list[str], start: int, entry: re.Match[str]) -> Repair:
    """Replace the value and its continuation lines by one quoted value; blank lines keep the line numbers."""
    indent, end = len(entry["indent"]), start + 1
    words = [entry["value"].strip()]
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) > indent:
        words.append(lines[end].strip())
        end += 1
    value = " ".join(words)
    column = len(entry["head"]) + 1
    colon = re.search(r":(?=\s|$)", entry["value"])
    where = column + colon.start() if colon else column
    lines[start:end] = [entry["head"] + "'" + value.replace("'", "''") + "'"] + [""] * (end - start - 1)
    return Repair("frontmatter-quoted", f"quoted: {clip(value)}", start + 1, where)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def salvage(text: str) -> dict[str, tuple[str | list[str], int]]:
    """Top-level fields of broken YAML, each with its line (from 1): text, or a list of ``- item`` lines."""
    saved: dict[str, tuple[str | list[str], int]] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _TOP_ENTRY.fullmatch(line)
        if match is None or match[1] in saved:
            continue
        value, items = _unquote(match[2].strip()), list[str]()
        if _BLOCK.fullmatch(value):
            value = ""
        for more in lines[number + 1 :]:
            if not more.strip() or not more.startswith((" ", "\t", "- ")):
                break
            item = more.strip()
            if item.startswith("- "):
                items.append(_unquote(item[2:].strip()))
            elif not items:
                value = f"{value} {item}".strip()
        saved[match[1]] = (items if items and not value else value[:_MAX_SALVAGED], number + 1)
    return saved


def _unquote(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0] else value

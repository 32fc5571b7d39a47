"""Frontmatter values to record fields: libraries spell and type the same field in many ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

__all__ = ["as_flag", "as_items", "as_text", "field", "normalise_tags", "normalise_tools"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_TOOL = re.compile(r"[^\s,()]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")
_TRUE = frozenset({"true", "yes", "on", "1"})
_MAX_ITEMS = 64
"""Entries of one list field; longer lists are data, not a declaration."""
_MAX_TAG = 64
_MAX_DEPTH = 4


def field(fields: Mapping[str, Any], *names: str) -> Any:
    """The first of ``names`` with a value, at the top or below ``metadata``; ``-`` equals ``_``."""
    nested = fields.get("metadata")
    for source in (fields, nested if isinstance(nested, Mapping) else {}):
        for name in names:
            for spelling in _spellings(name):
                value = source.get(spelling)
                if value not in (None, "", [], {}):
                    return value
    return None


@cache
def _spellings(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((name, name.replace("-", "_"), name.replace("_", "-"))))


def as_text(value: Any) -> str:
    """One line of text without control and invisible characters; lists are joined by commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return " ".join(_HIDDEN.sub(" ", value).split())
    if isinstance(value, Mapping):
        return ", ".join(f"{as_text(key)}: {as_text(item)}" for key, item in list(value.items())[:_MAX_ITEMS])
    if isinstance(value, Sequence):
        return ", ".join(text for text in (as_text(item) for item in value[:_MAX_ITEMS]) if text)
    return str(value)


def as_flag(value: Any) -> bool:
    """Whether a switch is on, also where YAML 1.1 spellings (``yes``) or quotes made it text."""
    return value if isinstance(value, bool) else as_text(value).lower() in _TRUE


def as_items(value: Any) -> tuple[str, ...]:
    """A list of texts: a YAML list, the keys of a map, or text split at commas, else at line ends."""
    return tuple(dict.fromkeys(item for item in _items(value, 0) if item))[:_MAX_ITEMS]


def _items(value: Any, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH or value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        yield from (as_text(part) for part in re.split(r"[,\n;]", value.strip("[]")))
    elif isinstance(value, Mapping):
        yield from (as_text(key) for key in value)
    elif isinstance(value, Sequence):
        for item in value[:_MAX_ITEMS]:
            if isinstance(item, str):
                yield as_text(item)
            else:
                yield from _items(item, depth + 1)
    else:
        yield as_text(value)


def normalise_tags(*values: Any) -> tuple[str, ...]:
    """Lower-case tags in order of appearance, without ``#``; one text without commas is split at blanks."""
    found: list[str] = []
    for value in values:
        items = as_items(value)
        if isinstance(value, str) and len(items) == 1 and "#" in value:
            items = tuple(value.split())
        found.extend(item.lstrip("#").strip("\"' ").lower()[:_MAX_TAG] for item in items)
    return tuple(dict.fromkeys(tag for tag in found if tag))[:_MAX_ITEMS]


def normalise_tools(value: Any) -> tuple[str, ...]:
    """Tools of a list, or of text with commas or blanks; ``Bash(git add:*)`` is one tool."""
    if isinstance(value, Mapping):
        value = list(value)
    texts = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    found = (tool for text in texts[: 4 * _MAX_ITEMS] for tool in _TOOL.findall(as_text(text).strip("[]")))
    return tuple(dict.fromkeys(tool.strip("\"'") for tool in found if tool.strip("\"'-")))[: 4 * _MAX_ITEMS]

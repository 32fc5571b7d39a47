"""What a report says about its run, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["about_lines"]


def about_lines(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(what, value) of everything that ``about`` holds, nested values by their path."""
    found: list[tuple[str, str]] = []
    for name, value in about.items():
        found += _lines(name.replace("_", " "), value)
    return found


def _lines(name: str, value: object) -> list[tuple[str, str]]:
    match value:
        case None:
            return [(name, "–")]
        case dict():
            return [line for key, item in value.items() for line in _lines(f"{name}: {key}", item)]
        case list() | tuple():
            return [line for item in value for line in _item(name, item)]
        case float():
            return [(name, f"{value:,.1f}" if abs(value) >= 10 else f"{value:g}")]
        case int():
            return [(name, str(value) if name == "seed" else f"{value:,}")]
        case _:
            return [(name, str(value))]


def _item(name: str, item: object) -> list[tuple[str, str]]:
    """A file stands on one line."""
    if isinstance(item, dict):
        return [(name, ", ".join(str(value) for value in item.values()))]
    return [(name, str(item))]

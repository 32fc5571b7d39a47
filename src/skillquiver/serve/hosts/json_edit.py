"""Put one value into a JSON text and take it out again, leaving every other byte as it was. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skillquiver.serve.hosts.jsonc import Child, Node, nodes_along, parse_jsonc, value_of

__all__ = [
    "EditError",
    "Inserted",
    "insert_item",
    "insert_json",
    "is_blank_json",
    "remove_item",
    "remove_json",
]


class EditError(ValueError):
    """The text cannot take this edit; the message says what stands in the way."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """How values were put in: what taking them out exactly needs."""

    made: int = 0
    """Containers made for them."""
    pad: str = ""
    """Line end and indent written before the closing bracket of a container that was empty."""
    keys: tuple[str, ...] = ()
    """Names of the members that were not there before."""


def insert_json(text: str, path: tuple[str, ...], members: Mapping[str, Any]) -> tuple[str, Inserted | None]:
    """Add ``members`` to the object at ``path``, which is made if it is not there, with those above it.

    Members that are there with the same value are left; if all are, the text comes back with ``None``.
    Raises ``EditError`` if one has another value or something on the way is no object, ``JsonError`` if the
    text is no JSON.
    """
    root, found = _along(text, path)
    holder = found[-1] if found else root
    if holder.kind != "object":
        raise EditError(f"{_name(path[: len(found)])} is no object")
    missing = path[len(found) :]
    if missing:
        nested: Any = dict(members)
        for key in reversed(missing[1:]):
            nested = {key: nested}
        return _put(text, root, holder, [(missing[0], nested)], Inserted(len(missing), keys=tuple(members)))
    fresh = []
    for key, value in members.items():
        held = holder.member(key)
        if held is None:
            fresh.append((key, value))
        elif value_of(text, held.node) != value:
            raise EditError(f"{_name((*path, key))} is there already, with another value")
    if not fresh:
        return text, None
    return _put(text, root, holder, fresh, Inserted(keys=tuple(key for key, _ in fresh)))


def insert_item(text: str, path: tuple[str, ...], value: Any) -> tuple[str, Inserted | None]:
    """Append ``value`` to the array at ``path``, which is made if it is not there, with what is above it.

    Returns the text and ``None`` if an equal item is there. Raises as ``insert_json``.
    """
    root, found = _along(text, path)
    holder = found[-1] if found else root
    missing = path[len(found) :]
    if holder.kind != ("object" if missing else "array"):
        raise EditError(f"{_name(path[: len(found)])} is no {'object' if missing else 'array'}")
    if not missing:
        if value in value_of(text, holder):
            return text, None
        return _put(text, root, holder, [(None, value)], Inserted())
    nested: Any = [value]
    for key in reversed(missing[1:]):
        nested = {key: nested}
    return _put(text, root, holder, [(missing[0], nested)], Inserted(len(missing)))


def remove_json(text: str, path: tuple[str, ...], how: Inserted) -> tuple[str, bool]:
    """Take out the members that ``insert_json`` put in, whatever they hold now; also whether one was there.

    Containers made for them go with them if they hold nothing else.
    """
    root, found = _along(text, path)
    if len(found) < len(path):
        return text, False
    holder = found[-1] if found else root
    return _remove(text, path, how, [child for child in holder.children if child.key in how.keys])


def remove_item(text: str, path: tuple[str, ...], value: Any, how: Inserted) -> tuple[str, bool]:
    """Take out the item that ``insert_item`` put in, found by its value; also whether it was there."""
    _, found = _along(text, path)
    if len(found) < len(path) or not found or found[-1].kind != "array":
        return text, False
    equal = [child for child in found[-1].children if value_of(text, child.node) == value]
    return _remove(text, path, how, equal[-1:])


def _along(text: str, path: tuple[str, ...]) -> tuple[Node, list[Node]]:
    root = parse_jsonc(text)
    return root, [child.node for child in nodes_along(root, path)]


def _remove(text: str, path: tuple[str, ...], how: Inserted, ours: list[Child]) -> tuple[str, bool]:
    """Cut ``ours``, the children at ``path``, or the outermost container made for them that holds no more."""
    if not ours:
        return text, False
    root = parse_jsonc(text)
    chain = list(nodes_along(root, path))
    holders = [root, *(child.node for child in chain)]
    starts = {child.start for child in ours}
    ours = [child for child in holders[-1].children if child.start in starts]
    for _ in range(how.made):
        if holders[-1].comments or len(ours) < len(holders[-1].children):
            break
        holders.pop()
        ours = [chain.pop()]
    for child in reversed(ours):
        text = _cut(text, holders[-1], child, how.pad)
    return text, True


def is_blank_json(text: str) -> bool:
    """Whether the text is an object with nothing in it, not even a comment."""
    root = parse_jsonc(text)
    outside = (text[: root.start] + text[root.end :]).strip("\ufeff \t\r\n")
    return root.kind == "object" and not (root.children or root.comments or outside)


# --- putting in ------------------------------------------------------------------------------------


def _put(
    text: str, root: Node, holder: Node, entries: Sequence[tuple[str | None, Any]], how: Inserted
) -> tuple[str, Inserted]:
    """Insert (key or None, value) pairs as the last children of ``holder``, in the style around them."""
    style = _style(text, root, holder)
    separator = style.line if style.lines else " "
    body = ("," + separator).join(_rendered(entry, style) for entry in entries)
    last = holder.children[-1] if holder.children else None
    after = holder.start + 1 if last is None else last.comma + 1 if last.comma >= 0 else last.node.end
    at = max([after, *(end for start, end in holder.comments if start >= after)])
    if last is None:
        pad = style.outer if style.lines and "\n" not in text[at : holder.end - 1] else ""
        body = (separator if style.lines else "") + body + pad
        return text[:at] + body + text[at:], replace(how, pad=pad)
    if last.comma >= 0:  # the file's style ends every line with a comma
        return text[:at] + separator + body + "," + text[at:], how
    middle = text[last.node.end : at]
    return text[: last.node.end] + "," + middle + separator + body + text[at:], how


@dataclass(frozen=True, slots=True)
class _Style:
    lines: bool
    """Whether each child stands on a line of its own."""
    unit: str
    line: str
    """Line end and indent of a child."""
    outer: str
    """Line end and indent of the closing bracket."""


def _style(text: str, root: Node, holder: Node) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "\n" in text[holder.start : holder.end]
    if not holder.children and (holder is root or "\n" in text.strip()):
        lines = True
    unit = _unit(text, root)
    outer = _indent_of_line(text, holder.start)
    return _Style(lines, unit, newline + _child_indent(text, holder, outer + unit), newline + outer)


def _rendered(entry: tuple[str | None, Any], style: _Style) -> str:
    key, value = entry
    text = json.dumps(value, ensure_ascii=False, indent=style.unit if style.lines else None)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    return name + text.replace("\n", style.line)


def _name(path: tuple[str, ...]) -> str:
    return ".".join(path) or "the document"


def _unit(text: str, root: Node) -> str:
    """One level of indentation: that of the root's first member that starts a line, else two spaces."""
    for child in root.children:
        indent = _indent_before(text, child.start)
        if indent:
            return indent
    return "  "


def _child_indent(text: str, holder: Node, default: str) -> str:
    for child in reversed(holder.children):
        indent = _indent_before(text, child.start)
        if indent is not None:
            return indent
    return default


def _indent_before(text: str, at: int) -> str | None:
    """White space between the line's start and ``at``, or None if something else stands there."""
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    return indent if not indent.strip(" \t") and "\n" in text[:at] else None


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


# --- taking out ------------------------------------------------------------------------------------


def _cut(text: str, holder: Node, child: Child, pad: str) -> str:
    """Remove ``child`` with the white space before it and the comma that belonged to it.

    The tree is kept true for what stands before it, so that several can be cut from the last to the first.
    """
    place = next(i for i, one in enumerate(holder.children) if one is child)
    before = holder.children[place - 1] if place else None
    del holder.children[place]
    floor = holder.start + 1 if before is None else before.comma + 1
    floor = max([floor, *(end for start, end in holder.comments if end <= child.start)])
    if child.comma >= 0:
        return text[:floor] + text[child.comma + 1 :]
    rest = text[child.node.end :]
    if before is None:
        return text[:floor] + (rest[len(pad) :] if pad and rest.startswith(pad) else rest)
    comma, before.comma = before.comma, -1
    return text[:comma] + text[comma + 1 : floor] + rest

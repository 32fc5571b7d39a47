"""Put one value into a JSON text and take it out again, leaving every other byte as it was. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from skillquiver.serve.hosts.jsonc import Child, Node, nodes_along, parse_jsonc, value_of

__all__ = ["EditError", "Inserted", "insert_json", "is_blank_json", "remove_json"]


class EditError(ValueError):
    """The text cannot take this edit; the message says what stands in the way."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """How a value was put in: how many containers were made for it, and what was put after it.

    ``pad`` is the line end and indent written before the closing bracket of a container that was empty.
    """

    made: int = 0
    pad: str = ""


def insert_json(
    text: str, path: tuple[str, ...], value: Any, *, item: bool = False
) -> tuple[str, Inserted | None]:
    """Set the member at ``path``, or with ``item`` append to the array there; containers are made as needed.

    Returns the text unchanged and ``None`` if the value is there already. Raises ``EditError`` if
    something else stands at ``path``, ``JsonError`` if the text is no JSON.
    """
    root = parse_jsonc(text)
    found = list(nodes_along(root, path))
    parent = found[-1].node if found else root
    where = ".".join(path[: len(found)]) or "the document"
    if len(found) == len(path):
        held = value_of(text, parent)
        if not item:
            if held == value:
                return text, None
            raise EditError(f"{where} is there already, with another value")
        if parent.kind != "array":
            raise EditError(f"{where} is no array")
        return (text, None) if value in held else _put(text, root, parent, (None, value), 0)
    if parent.kind != "object":
        raise EditError(f"{where} is no object")
    missing = path[len(found) :]
    nested: Any = [value] if item else value
    for key in reversed(missing[1:]):
        nested = {key: nested}
    return _put(text, root, parent, (missing[0], nested), len(missing) - (not item))


def remove_json(
    text: str, path: tuple[str, ...], value: Any, how: Inserted, *, item: bool = False
) -> tuple[str, bool]:
    """Take out what ``insert_json`` put in; also returns whether it was there.

    A member is found by its path, whatever value it has by now; an item by its value. Containers made for
    it go with it if they hold nothing else.
    """
    root = parse_jsonc(text)
    chain = list(nodes_along(root, path))
    if len(chain) < len(path):
        return text, False
    holders = [root, *(child.node for child in chain)]
    if item:
        items = [child for child in chain[-1].node.children if value_of(text, child.node) == value]
        if chain[-1].node.kind != "array" or not items:
            return text, False
        chain.append(items[-1])
    else:
        holders.pop()
    level = len(chain) - 1
    while how.made > len(chain) - 1 - level and _holds_only(holders[level], chain[level]):
        level -= 1
    return _cut(text, holders[level], chain[level], how.pad), True


def is_blank_json(text: str) -> bool:
    """Whether the text is an object with nothing in it, not even a comment."""
    root = parse_jsonc(text)
    outside = (text[: root.start] + text[root.end :]).strip("\ufeff \t\r\n")
    return root.kind == "object" and not (root.children or root.comments or outside)


def _holds_only(holder: Node, child: Child) -> bool:
    return holder.children == [child] and not holder.comments


# --- putting in ------------------------------------------------------------------------------------


def _put(
    text: str, root: Node, holder: Node, entry: tuple[str | None, Any], made: int
) -> tuple[str, Inserted]:
    """Insert ``entry`` (key or None, value) as the last child of ``holder``, in the style of its surroundings."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "\n" in text[holder.start : holder.end]
    if not holder.children and (holder is root or "\n" in text.strip()):
        lines = True
    unit = _unit(text, root)
    outer = _indent_of_line(text, holder.start)
    indent = _child_indent(text, holder, outer + unit)
    separator = newline + indent if lines else " "
    body = _rendered(entry, unit, newline + indent, lines=lines)
    last = holder.children[-1] if holder.children else None
    after = holder.start + 1 if last is None else last.comma + 1 if last.comma >= 0 else last.node.end
    at = max([after, *(end for start, end in holder.comments if start >= after)])
    if last is None:
        rest = text[at : holder.end - 1]
        pad = newline + outer if lines and "\n" not in rest else ""
        return text[:at] + (separator if lines else "") + body + pad + text[at:], Inserted(made, pad)
    if last.comma >= 0:  # the file's style ends every line with a comma
        return text[:at] + separator + body + "," + text[at:], Inserted(made)
    middle = text[last.node.end : at]
    return text[: last.node.end] + "," + middle + separator + body + text[at:], Inserted(made)


def _rendered(entry: tuple[str | None, Any], unit: str, line: str, *, lines: bool) -> str:
    key, value = entry
    text = json.dumps(value, ensure_ascii=False, indent=unit if lines else None)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    return name + text.replace("\n", line)


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
    """Remove ``child`` with the white space before it and the comma that belonged to it."""
    place = next(i for i, one in enumerate(holder.children) if one is child)
    before = holder.children[place - 1] if place else None
    floor = holder.start + 1 if before is None else before.comma + 1
    floor = max([floor, *(end for start, end in holder.comments if end <= child.start)])
    if child.comma >= 0:
        return text[:floor] + text[child.comma + 1 :]
    rest = text[child.node.end :]
    if before is None:
        if pad and rest.startswith(pad):
            rest = rest[len(pad) :]
        return text[:floor] + rest
    return text[: before.comma] + text[before.comma + 1 : floor] + rest

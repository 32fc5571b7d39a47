"""JSON with comments and trailing commas, parsed into places: what edits by span need. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Child", "JsonError", "Node", "nodes_along", "parse_jsonc", "value_of"]

MAX_DEPTH = 100
"""Configuration is a handful of levels deep; the parser recurses."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_WORDS = ("true", "false", "null")


class JsonError(ValueError):
    """The text is not JSON, even with comments and trailing commas; the message names line and column."""


@dataclass(slots=True)
class Child:
    """A member (``key`` is set) or an item: where it starts, its value, and the comma after it (-1: none)."""

    key: str | None
    start: int
    node: Node
    comma: int = -1


@dataclass(slots=True)
class Node:
    """A value at ``text[start:end]``. ``kind`` is ``object``, ``array`` or ``scalar``."""

    kind: str
    start: int
    end: int = -1
    children: list[Child] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    """Spans of the comments directly inside a container, in order."""

    def member(self, key: str) -> Child | None:
        """The member of this name; of several the last, which is the one readers take."""
        return next((child for child in reversed(self.children) if child.key == key), None)


def parse_jsonc(text: str) -> Node:
    """Return the root value. Raises ``JsonError`` for anything that is not one JSON document.

    A byte order mark before it is skipped.
    """
    parser = _Parser(text)
    at = parser.skip(1 if text.startswith("\ufeff") else 0, [])
    root = parser.value(at, 0)
    end = parser.skip(root.end, [])
    if end != len(text):
        raise parser.error(end, "something follows the document")
    return root


def value_of(text: str, node: Node) -> Any:
    """Return the Python value of a node; of repeated keys the last counts."""
    if node.kind == "object":
        return {child.key: value_of(text, child.node) for child in node.children}
    if node.kind == "array":
        return [value_of(text, child.node) for child in node.children]
    return json.loads(text[node.start : node.end])


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, at: int, what: str) -> JsonError:
        before = self.text[:at]
        return JsonError(f"line {before.count(chr(10)) + 1}, column {at - before.rfind(chr(10))}: {what}")

    def skip(self, at: int, comments: list[tuple[int, int]]) -> int:
        """Pass white space and comments, whose spans are added to ``comments``."""
        while True:
            at = self._end(_SPACE, at)
            if self.text.startswith("//", at):
                end = self._end(_LINE_COMMENT, at)
            elif self.text.startswith("/*", at):
                end = self.text.find("*/", at + 2) + 2
                if end < 2:
                    raise self.error(at, "a comment never ends")
            else:
                return at
            comments.append((at, end))
            at = end

    def _end(self, pattern: re.Pattern[str], at: int) -> int:
        match = pattern.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(at, "nested too deeply")
        if at == len(self.text):
            raise self.error(at, "the document ends early")
        if self.text[at] in "{[":
            return self._container(at, depth)
        end = self._end(_STRING, at) if self.text[at] == '"' else self._end(_NUMBER, at)
        if end == at:
            end += next((len(word) for word in _WORDS if self.text.startswith(word, at)), 0)
        if end == at:
            raise self.error(at, "no JSON value")
        return Node("scalar", at, end)

    def _container(self, at: int, depth: int) -> Node:
        node = Node("object" if self.text[at] == "{" else "array", at)
        closing = "}" if node.kind == "object" else "]"
        at = self.skip(at + 1, node.comments)
        while not self.text.startswith(closing, at):
            if node.children and node.children[-1].comma < 0:
                raise self.error(at, f"a comma or {closing!r} is missing")
            child = self._child(at, node, depth)
            at = self.skip(child.node.end, node.comments)
            if self.text.startswith(",", at):
                child.comma = at
                at = self.skip(at + 1, node.comments)
            node.children.append(child)
        node.end = at + 1
        return node

    def _child(self, at: int, node: Node, depth: int) -> Child:
        if node.kind == "array":
            return Child(None, at, self.value(at, depth + 1))
        end = self._end(_STRING, at)
        if end == at:
            raise self.error(at, "a name in double quotes is missing")
        colon = self.skip(end, node.comments)
        if not self.text.startswith(":", colon):
            raise self.error(colon, "':' is missing")
        value = self.skip(colon + 1, node.comments)
        return Child(json.loads(self.text[at:end]), at, self.value(value, depth + 1))


def nodes_along(root: Node, path: tuple[str, ...]) -> Iterator[Child]:
    """Yield the members that ``path`` names, one after the other, as far as they exist."""
    node = root
    for key in path:
        child = node.member(key) if node.kind == "object" else None
        if child is None:
            return
        yield child
        node = child.node

"""YAML text to JSON values, in the YAML 1.2 core schema, without building any object.

The libyaml parser gives bare nodes; this module turns them into dict, list, str, int, float, bool and None.
Tags are never obeyed. A number that would not print back as it was written stays text, so ``version: 1.10``
keeps its zero; dates stay text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from skillquiver.settings import ReadSettings

__all__ = ["TooMuchYamlError", "YamlResult", "load_yaml", "plain_value"]

_MAX_NODES = 20_000
"""More values than any frontmatter has; an alias bomb reaches it at once."""

_MAX_NESTING = 48
"""Brackets or indentation levels: real frontmatter stays below 10."""

_INT = re.compile(r"-?(0|[1-9][0-9]{0,14})")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{1,15}")
_CONSTANTS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    spelling: word == "true" for word in ("true", "false") for spelling in (word, word.title(), word.upper())
}
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class TooMuchYamlError(ValueError):
    """The document is too large, too nested, or repeats itself by aliases; ``code`` is a finding code."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass(slots=True)
class YamlResult:
    """What a document held. Lines and columns count from 1, within the YAML text."""

    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    """Line of each top-level field."""
    repeated: list[tuple[str, int]] = field(default_factory=list)
    tags: list[tuple[str, int, int]] = field(default_factory=list)


def load_yaml(text: str, settings: ReadSettings) -> YamlResult:
    """Parse one document. Raises ``yaml.YAMLError`` if it is no YAML, else ``TooMuchYamlError``."""
    if len(text) > settings.max_yaml_bytes:
        raise TooMuchYamlError("frontmatter-too-large", f"more than {settings.max_yaml_bytes:,} characters")
    if _nesting(text) > _MAX_NESTING:
        raise TooMuchYamlError("frontmatter-too-large", f"nested more than {_MAX_NESTING} deep")
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
    except RecursionError as error:
        raise TooMuchYamlError("frontmatter-too-large", "nested too deep") from error
    finally:
        loader.dispose()
    builder = _Builder(settings.max_yaml_aliases)
    if node is not None:
        builder.result.value = builder.build(node, 0)
    return builder.result


def plain_value(text: str) -> Any:
    """The JSON value of an unquoted scalar."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text) and text != "-0":
        return int(text)
    if _FLOAT.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def _nesting(text: str) -> int:
    """A bound on nesting without parsing: open brackets, ``- - -`` runs on one line, distinct indents."""
    open_now = deepest = 0
    for character in re.findall(r"[\[\]{}]", text):
        open_now = open_now + 1 if character in "[{" else max(0, open_now - 1)
        deepest = max(deepest, open_now)
    runs = re.findall(r"(?m)^[ ]*((?:[-?] +)+)", text)
    indents = {len(indent) for indent in re.findall(r"(?m)^( +)\S", text)}
    return max(
        deepest, max((len(run.split()) for run in runs), default=0), len(indents) if len(indents) > 48 else 0
    )


class _Builder:
    """Walks nodes once per use, counting them, so that aliases cannot multiply without end."""

    def __init__(self, max_aliases: int) -> None:
        self.result = YamlResult()
        self._max_aliases, self._aliases, self._nodes = max_aliases, 0, 0
        self._seen: set[int] = set()

    def build(self, node: Any, depth: int) -> Any:
        self._count(node, depth)
        if node.tag not in _PLAIN_TAGS and node.tag != "!":
            mark = node.start_mark
            self.result.tags.append((str(node.tag), mark.line + 1, mark.column + 1))
            return None
        if isinstance(node, yaml.ScalarNode):
            plain = not node.style and node.tag != "!"
            return plain_value(node.value) if plain else node.value
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, depth + 1) for child in node.value]
        return self._mapping(node, depth)

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
            line = key_node.start_mark.line + 1
            if key in values:
                self.result.repeated.append((key, line))
            if depth == 0:
                self.result.lines[key] = line
            values[key] = self.build(value_node, depth + 1)
        return values

    def _count(self, node: Any, depth: int) -> None:
        self._nodes += 1
        if id(node) in self._seen:
            self._aliases += 1
        self._seen.add(id(node))
        if self._aliases > self._max_aliases:
            raise TooMuchYamlError("frontmatter-aliases", f"more than {self._max_aliases} aliases")
        if self._nodes > _MAX_NODES or depth > _MAX_NESTING:
            raise TooMuchYamlError("frontmatter-too-large", "too many or too deeply nested values")

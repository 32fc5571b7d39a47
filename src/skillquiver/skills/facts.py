"""What a skill reads, writes and uses: artifact terms and tools out of frontmatter, sections and code.

Declared ``inputs:`` and ``outputs:`` are rare (5 of 1,000 public skills), so code and prose are read too.
Precision counts more than recall: a wrong term makes a wrong edge. See docs/decisions/0012.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillquiver.skills.code_facts import read_code
from skillquiver.skills.fields import as_items, as_text, field, normalise_tools
from skillquiver.skills.markdown import Document
from skillquiver.skills.prose_facts import described_types, section_terms
from skillquiver.skills.shell_facts import RENAMED, ShellFacts, read_shell
from skillquiver.skills.terms import file_terms, name_term, type_of
from skillquiver.skills.vocabulary import COMMON

__all__ = ["MAX_TERMS", "Facts", "declared_artifacts", "find_facts"]

MAX_TERMS = 64
"""Terms kept of each kind; a skill that names more proves nothing by them."""

_SHELL = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession", "fish"}
)
_SCRIPT_ENDS = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".ps1", ".r", ".R", ".go")
_SCRIPT_PATH = re.compile(r"(?:\./)?(?:scripts|bin|tools)/[\w./-]+")
_SCRIPT_HINT = re.compile(r"(?:scripts|bin|tools)/")
_COMMAND = re.compile(r"[a-z@][\w./+-]{1,40}")
_BASH_TOOL = re.compile(r"bash\(\s*(?:\$\w+/)?([a-z][\w.+-]{1,29})[\s:*)]", re.IGNORECASE)
_REQUIREMENT = re.compile(r"[A-Za-z@][\w./@-]{1,60}(?=\s*(?:\[|[=<>!~^]|$))")
_BINARY_KEYS = frozenset({"bins", "anybins", "binaries", "pip", "npm", "packages", "package", "formula"})
_MAX_NESTED = 400


@dataclass(frozen=True, slots=True)
class Facts:
    """Sorted terms, lower case; entrypoints are paths relative to the skill's folder."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    entrypoints: tuple[str, ...] = ()


def find_facts(
    fields: Mapping[str, Any], description: str, document: Document, siblings: Sequence[str] = ()
) -> Facts:
    """Collect the facts of one skill; deterministic, bounded, reads nothing."""
    found = ShellFacts()
    for block in document.code_blocks:
        if block.language in _SHELL:
            read_shell(block.text, found)
        else:
            if not block.language:
                read_shell(block.text, found, prompts_only=True)
            read_code(block.language, block.text, found)
    described, declared = described_types(description), section_terms(document)
    for terms, direction in ((found.reads, "inputs"), (found.writes, "outputs")):
        terms.update(_declared(field(fields, direction, direction[:-1])))
        terms.update(described[direction])
        terms.update(declared[direction])
    found.tools.update(tool for tool in _declared_tools(fields) if tool not in COMMON)
    found.scripts.update(path for path in siblings if path.endswith(_SCRIPT_ENDS))
    found.scripts.update(_named_scripts(document))
    return Facts(_kept(found.reads), _kept(found.writes), _kept(found.tools), _kept(found.scripts))


def declared_artifacts(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sorted terms that a frontmatter itself declares as ``inputs`` and as ``outputs``; see ``terms``."""
    reads, writes = (_kept(_declared(field(fields, name, name[:-1]))) for name in ("inputs", "outputs"))
    return reads, writes


def _kept(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(terms))[:MAX_TERMS])


def _declared(value: Any) -> Iterator[str]:
    """Terms of a declared field: a text, a list of texts, or of maps with ``name``, ``type``, ``format``."""
    if isinstance(value, Mapping):
        value = [{"name": key, "type": item} for key, item in value.items()]
    for item in value if isinstance(value, list) else as_items(value):
        if isinstance(item, Mapping):
            for key in ("name", "id", "path", "type", "format"):
                yield from _declared_text(as_text(item.get(key)), named=key in ("name", "id"))
        else:
            yield from _declared_text(as_text(item), named=True)


def _declared_text(text: str, *, named: bool) -> Iterator[str]:
    terms = list(file_terms(text)) or [known for known in (type_of(f".{text.lower()}"),) if known]
    yield from terms
    if named and not terms and name_term(text):
        yield name_term(text)


def _declared_tools(fields: Mapping[str, Any]) -> Iterator[str]:
    """Binaries and packages that the frontmatter names, and what ``allowed-tools`` lets run."""
    for tool in normalise_tools(field(fields, "allowed-tools")):
        shell = _BASH_TOOL.match(tool)
        if shell:
            yield RENAMED.get(shell[1].lower(), shell[1].lower())
        elif tool.lower().startswith("mcp__"):
            yield tool.lower().rstrip("*_")
    for item in as_items(field(fields, "dependencies")):
        requirement = _REQUIREMENT.match(item)
        if requirement and " " not in re.split(r"[\[=<>!~^]", item)[0].strip():
            yield requirement[0].lower().replace("_", "-")
    yield from _binaries(fields, [_MAX_NESTED])


def _binaries(value: Any, left: list[int], key: str = "") -> Iterator[str]:
    """Names below ``bins``, ``pip`` and the like, at any depth; ``left`` counts the values still to see."""
    left[0] -= 1
    if left[0] < 0:
        return
    if isinstance(value, str) and key == "metadata" and value.lstrip().startswith("{"):
        value = _json(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _binaries(item, left, name.lower() if name.lower() in _BINARY_KEYS else name)
    elif isinstance(value, list):
        for item in value:
            yield from _binaries(item, left, key)
    elif key in _BINARY_KEYS:
        for item in as_items(value):
            requirement = _REQUIREMENT.match(item)
            if requirement and _COMMAND.fullmatch(requirement[0].lower()):
                name = requirement[0].lower()
                yield RENAMED.get(name, name.rsplit("/", 1)[-1] if key == "formula" else name)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # then it is text, as it says
        return None


def _named_scripts(document: Document) -> Iterator[str]:
    """Bundled scripts that the text links or quotes."""
    quoted = [text for text, _ in document.inline_code] + [link.target for link in document.links]
    for text in quoted:
        for word in text.split()[:4] if _SCRIPT_HINT.search(text) else ():
            if _SCRIPT_PATH.fullmatch(word) and word.endswith(_SCRIPT_ENDS):
                yield word.removeprefix("./")

"""Python, JavaScript and R snippets: imported packages, files read and written. They need not be valid."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from skillquiver.skills.shell_facts import ShellFacts
from skillquiver.skills.terms import file_terms, type_of
from skillquiver.skills.vocabulary import DISTRIBUTIONS, LOCAL_MODULES, NODE_MODULES, READ_CALLS, WRITE_CALLS

__all__ = ["read_code"]

_CALL = re.compile(
    r"(?<![\w.])([A-Za-z_][\w.]{0,99}+)[ ]?\(\s*"
    r"(?:[rfbuRFBU]{0,2}(['\"])([^'\"\n]{1,200})\2)?"
    r"\s*(,\s*(?:mode\s*=\s*)?['\"]([rwaxbt+]{1,3})['\"])?"
)
"""A call: its dotted name, a literal first argument, a literal mode as second."""

_PATH_CALL = re.compile(r"Path\(\s*[rf]?(['\"])([^'\"\n]{1,200})\1\s*\)\.(read|write)_(?:text|bytes)")
_IMPORT = re.compile(
    r"(?m)^[ \t]*(?:>>> )?(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b"
    r"|import[ \t]+([A-Za-z_][\w., \t]*?)[ \t]*(?:#.*)?$)"
)
_JS_IMPORT = re.compile(r"""(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['"]([^'"\n]{1,100})['"]""")
_R_IMPORT = re.compile(r"\b(?:library|require)\(\s*['\"]?([A-Za-z][\w.]+)['\"]?\s*\)")

_PYTHON = frozenset({"python", "py", "python3", "ipython", "jupyter"})
_SCRIPT = frozenset({"javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs"})
_PLAIN = frozenset({"", "r"})

_LITERAL_ONLY = frozenset(
    {"save", "export", "document", "presentation", "pdf", "screenshot", "read_file", "write_text"}
)
"""Names with other meanings: they count only with a file name in the call."""


def read_code(language: str, text: str, facts: ShellFacts) -> None:
    """Add what a snippet shows; languages without rules add nothing."""
    if language in _PYTHON:
        facts.tools.update(_python_packages(text))
    elif language in _SCRIPT:
        facts.tools.update(_script_packages(text))
    elif language == "r":
        facts.tools.update(match[1].lower() for match in _R_IMPORT.finditer(text))
    elif language not in _PLAIN:
        return
    if "(" in text:
        _calls(text, facts)


def _calls(text: str, facts: ShellFacts) -> None:
    for match in _CALL.finditer(text):
        name, literal = match[1].lower(), match[3] or ""
        last = name.rsplit(".", 1)[-1]
        if last == "open" and name in ("open", "io.open") and literal:
            target = facts.writes if match[5] and set(match[5]) & set("wax") else facts.reads
            target.update(file_terms(literal))
            continue
        for table, target in ((READ_CALLS, facts.reads), (WRITE_CALLS, facts.writes)):
            key = name if name in table else ".".join(name.rsplit(".", 2)[-2:])
            key = key if key in table else last
            if key in table:
                target.update(_of_call(key, table[key], literal))
    for match in _PATH_CALL.finditer(text):
        (facts.reads if match[3] == "read" else facts.writes).update(file_terms(match[2]))


def _of_call(name: str, implied: str, literal: str) -> Iterator[str]:
    if literal and "://" not in literal and type_of(literal):
        yield from file_terms(literal)
    elif implied and not literal and name not in _LITERAL_ONLY:
        yield implied


def _python_packages(text: str) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        names = (
            [match[1]]
            if match[1]
            else [part.split()[0].split(".")[0] for part in match[2].split(",") if part.split()]
        )
        for name in names:
            if (
                name in sys.stdlib_module_names
                or name.lower() in LOCAL_MODULES
                or name.startswith(("_", "my", "your"))
            ):
                continue
            bare = name.lower()
            yield DISTRIBUTIONS.get(bare, bare.replace("_", "-"))


def _script_packages(text: str) -> Iterator[str]:
    for match in _JS_IMPORT.finditer(text):
        parts = match[1].split("/")
        if match[1].startswith((".", "/", "@/", "~", "#", "node:", "http", "$")) or parts[0] in NODE_MODULES:
            continue
        name = "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]
        if re.fullmatch(r"(?:@[a-z0-9-][\w.-]*/)?[a-z][\w.-]*", name):
            yield name.lower()

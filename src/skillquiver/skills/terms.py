"""Artifact terms: which words are file types or file names, and in what form they are compared.

A term is a file type (``.xlsx``), a file name (``budget.xlsx``), or the declared name of a data object
(``mask-instructions``). All are lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillquiver.skills.vocabulary import FRAMEWORKS, GENERIC_STEMS, KNOWN_TYPES, SAME_TYPE

__all__ = ["file_terms", "name_term", "type_of"]

_FILE = re.compile(
    r"(?<![\w@/.~-])(?P<path>[\w./~{}$<>*%\[\]-]*?)(?P<name>[\w{}$<>*%\[\]-]*)(?P<type>\.[A-Za-z0-9]{1,10})(?![\w-]|\.\w|[(/@])"
)
_HOLE = re.compile(r"[{}$<>*%\[\]]")
_NAME_WORDS = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_NAME = 48


def type_of(path: str) -> str:
    """The known file type at the end of ``path`` in its usual spelling, or ``""``."""
    dot = path.rfind(".")
    ending = path[dot:].lower() if dot >= 0 else ""
    return SAME_TYPE.get(ending, ending) if ending in KNOWN_TYPES else ""


def file_terms(text: str) -> Iterator[str]:
    """Terms of every file in ``text``: its type, and its name unless that has holes or is an example's."""
    if "." not in text:
        return
    for match in _FILE.finditer(text):
        ending = match["type"].lower()
        if ending not in KNOWN_TYPES or "://" in match["path"]:
            continue
        if not match["name"] and match["path"].strip("*/."):
            continue
        name = match["name"].lower()
        if f"{name}{ending}" in FRAMEWORKS or (ending == ".js" and match["name"][:1].isupper()):
            continue  # Node.js, Next.js
        yield SAME_TYPE.get(ending, ending)
        if name and not _HOLE.search(name) and not _is_generic(name):
            yield f"{name}{ending}"


def name_term(text: str) -> str:
    """A declared name as a term: ``Mask Instructions`` and ``maskInstructions`` are ``mask-instructions``."""
    words = _NAME_WORDS.findall(_CAMEL.sub(" ", text).lower())
    term = "-".join(words)
    return term if 0 < len(words) <= 5 and 3 <= len(term) <= _MAX_NAME else ""


def _is_generic(name: str) -> bool:
    words = _NAME_WORDS.findall(name)
    return all(word in GENERIC_STEMS or word.isdigit() or len(word) < 2 for word in words)

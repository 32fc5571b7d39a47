"""Artifact terms: which words are file types or file names, and in what form they are compared.

A term is a file type (``.xlsx``), a file name (``budget.xlsx``), or the declared name of a data object
(``mask-instructions``). All are lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillquiver.skills.vocabulary import FRAMEWORKS, GENERIC_STEMS, KNOWN_TYPES, SAME_TYPE

__all__ = ["file_terms", "name_term", "type_of"]

_ENDING = re.compile(r"\.([A-Za-z0-9]{1,10})(?![\w-]|\.\w|[(/@])")
_NAME_BACKWARDS = re.compile(r"[\w{}$<>*%\[\]-]*")
_MAX_PATH = 160
"""Characters looked at before a file type."""

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
    for match in _ENDING.finditer(text) if "." in text else ():
        ending = match[0].lower()
        if ending not in KNOWN_TYPES:
            continue
        before = text[max(0, match.start() - _MAX_PATH) : match.start()]
        backwards = _NAME_BACKWARDS.match(before[::-1])
        name = backwards[0][::-1] if backwards else ""
        path = before[: len(before) - len(name)]
        if _is_no_file(path, name, ending):
            continue
        yield SAME_TYPE.get(ending, ending)
        if (
            name.strip("_") == name != ""
            and path[-1:] != "."
            and not _HOLE.search(name)
            and not _is_generic(name)
        ):
            yield f"{name.lower()}{ending}"


def _is_no_file(path: str, name: str, ending: str) -> bool:
    """An address, a library such as Node.js, or a suffix that hangs on something else."""
    word = path.rsplit(None, 1)[-1] if path and not path[-1].isspace() else ""
    if "://" in word or word.endswith("@") or (not name and word.strip("*/.'\"`([")):
        return True
    return f"{name.lower()}{ending}" in FRAMEWORKS or (ending == ".js" and name[:1].isupper())


def name_term(text: str) -> str:
    """A declared name as a term: ``Mask Instructions`` and ``maskInstructions`` are ``mask-instructions``."""
    words = _NAME_WORDS.findall(_CAMEL.sub(" ", text).lower())
    term = "-".join(words)
    return term if 0 < len(words) <= 5 and 3 <= len(term) <= _MAX_NAME else ""


def _is_generic(name: str) -> bool:
    words = _NAME_WORDS.findall(name.lower())
    if words[:1] == ["your"]:
        return True
    return all(word in GENERIC_STEMS or word.isdigit() or len(word) < 2 for word in words)

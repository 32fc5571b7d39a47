"""Append a block to a TOML or Markdown text and take it out again; no other byte changes. Pure."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from skillquiver.serve.hosts.json_edit import EditError

__all__ = ["append_block", "insert_note", "insert_table", "remove_note", "remove_table"]

NOTE_BEGIN = "<!-- skillquiver: written by `quiver install`, removed by `quiver install --uninstall` -->"
NOTE_END = "<!-- skillquiver: end -->"

_NOTE = re.compile(
    r"(?:\r?\n)?" + re.escape(NOTE_BEGIN) + r".*?" + re.escape(NOTE_END) + r"(?:\r?\n)?", re.DOTALL
)


def append_block(text: str, block: str) -> str:
    """Return what is to be written after ``text``: ``block`` in its line ends, one empty line before it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    body = text.lstrip("\ufeff")
    gap = "" if not body.strip() else newline if body.endswith("\n") else newline * 2
    return gap + block.replace("\n", newline)


# --- TOML ------------------------------------------------------------------------------------------


def insert_table(text: str, path: tuple[str, ...], block: str) -> tuple[str, str]:
    """Append ``block``, which defines the table at ``path``; also returns exactly what was appended.

    That is empty if the same table is there already. Raises ``EditError`` if another one is, or if the text
    is no TOML, or defines its parent in a way that cannot be added to.
    """
    before = _toml(text)
    wanted = _at(tomllib.loads(block), path)
    held = _at(before, path)
    if held is not None:
        if held == wanted:
            return text, ""
        raise EditError(f"[{'.'.join(path)}] is there already, with other values")
    chunk = append_block(text, block)
    try:
        after = _toml(text + chunk)
    except EditError as error:
        raise EditError(
            f"[{path[0]}] is written inline and cannot be added to; write it as [{'.'.join(path)}] tables"
        ) from error
    assert _without(after, path) == _without(before, path)
    return text + chunk, chunk


def remove_table(text: str, path: tuple[str, ...], chunk: str) -> tuple[str, bool]:
    """Take out the table at ``path``; also returns whether it was there.

    What was appended is cut as it was; if it was edited since, the table goes from its header to the next.
    """
    before = _toml(text)
    if _at(before, path) is None:
        return text, False
    wanted = _without(before, path)
    for candidate in (_cut_once(text, chunk), _cut_table(text, path)):
        if candidate is not None and _parses_to(candidate, wanted):
            return candidate, True
    raise EditError(f"[{'.'.join(path)}] cannot be told from its surroundings; remove it by hand")


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EditError(str(error)) from error


def _parses_to(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return _without(_toml(text), ()) == wanted
    except EditError:
        return False


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _without(data: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the data without what is at ``path``, and without tables that are empty."""
    kept: dict[str, Any] = {}
    for key, value in data.items():
        if path == (key,):
            continue
        if isinstance(value, dict):
            inner = _without(value, path[1:] if path[:1] == (key,) else ())
            if inner:
                kept[key] = inner
        else:
            kept[key] = value
    return kept


def _cut_once(text: str, chunk: str) -> str | None:
    return text.replace(chunk, "") if chunk and text.count(chunk) == 1 else None


def _cut_table(text: str, path: tuple[str, ...]) -> str | None:
    """Cut every run of lines from a header of ``path``, or of a table below it, to the next other header."""
    name = r"\s*\.\s*".join(
        rf"(?:{re.escape(part)}|\"{re.escape(part)}\"|'{re.escape(part)}')" for part in path
    )
    ours = re.compile(rf"[ \t]*\[\[?\s*{name}\s*[\].]")
    kept: list[str] = []
    held: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            kept += held if inside else []
            inside, held = bool(ours.match(line)), []
        if not inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            held.append(line)  # comments before the next header belong to that
        else:
            held = []
    return "".join(kept + (held if inside else []))


# --- Markdown ----------------------------------------------------------------------------------------


def insert_note(text: str, note: str) -> tuple[str, str]:
    """Append ``note`` between our two marks; also returns exactly what was appended, empty if it is there.

    Raises ``EditError`` if another note of ours is there, or only one of the marks.
    """
    block = f"{NOTE_BEGIN}\n{note.strip()}\n{NOTE_END}\n"
    if _plain_lines(block).strip() in _plain_lines(text):
        return text, ""
    if NOTE_BEGIN in text or NOTE_END in text:
        raise EditError("marks of an older note are there; remove it by hand, marks included")
    chunk = append_block(text, block)
    return text + chunk, chunk


def remove_note(text: str, chunk: str) -> tuple[str, bool]:
    """Take out what ``insert_note`` appended, or, if it was edited since, what stands between the marks."""
    cut = _cut_once(text, chunk)
    if cut is None:
        cut = _NOTE.sub("", text, count=1)
    return cut, cut != text


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n")

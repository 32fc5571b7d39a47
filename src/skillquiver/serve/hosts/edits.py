"""One kind of edit for each kind of file, behind two functions: apply and revert. Pure text in and out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from skillquiver.serve.hosts.block_edit import insert_note, insert_table, remove_note, remove_table
from skillquiver.serve.hosts.json_edit import (
    Inserted,
    insert_item,
    insert_json,
    is_blank_json,
    remove_item,
    remove_json,
)

__all__ = ["Applied", "Edit", "EditKind", "apply_edits", "revert_edits"]


class EditKind(StrEnum):
    """What an edit puts where."""

    MEMBERS = "members"
    """Members of a JSON object; ``value`` is a JSON object of them."""
    ITEM = "item"
    """An item of a JSON array; ``value`` is JSON."""
    TABLE = "table"
    """A TOML table, appended; ``value`` is its text."""
    NOTE = "note"
    """A marked section of a Markdown file, appended; ``value`` is its text."""
    FILE = "file"
    """A whole file of ours; ``value`` is its text."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing that is to stand in a file. ``path`` leads to it in JSON and TOML."""

    kind: EditKind
    value: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """An edit that was made, who wants it, and what taking it out exactly needs.

    ``chunk`` is the appended text, ``how`` what JSON needs.
    """

    edit: Edit
    holders: tuple[str, ...]
    chunk: str = ""
    how: Inserted = field(default_factory=Inserted)


_JSON = (EditKind.MEMBERS, EditKind.ITEM)
_EMPTY_JSON = "{\n}\n"


def apply_edits(text: str, edits: Iterable[tuple[Edit, tuple[str, ...]]]) -> tuple[str, list[Applied]]:
    """Make edits, given with who wants them, one after the other. Those that are there are not returned.

    Raises ``ValueError`` with the reason if the text cannot take one of them.
    """
    made = []
    for edit, holders in edits:
        text, applied = _apply(text, edit, holders)
        if applied is not None:
            made.append(applied)
    return text, made


def revert_edits(text: str, applied: Iterable[Applied], blank: str | None) -> tuple[str, int]:
    """Take edits out, the last one first; also returns how many were still there.

    ``blank`` is the text of a file that held nothing before, or was not there: it comes back if nothing
    else stands in it now. Raises ``ValueError`` if the text cannot be read any more.
    """
    found = 0
    ordered = list(applied)
    for one in reversed(ordered):
        text, there = _revert(text, one)
        found += there
    json_file = any(one.edit.kind in _JSON for one in ordered)
    if blank is not None and json_file and text.strip("\ufeff \t\r\n") and is_blank_json(text):
        text = blank
    return text, found


def _apply(text: str, edit: Edit, holders: tuple[str, ...]) -> tuple[str, Applied | None]:
    done = Applied(edit, holders)
    if edit.kind in _JSON:
        base = text if text.strip("\ufeff \t\r\n") else text.rstrip(" \t\r\n") + _EMPTY_JSON
        put = insert_item if edit.kind is EditKind.ITEM else insert_json
        new, how = put(base, edit.path, json.loads(edit.value))
        return (text, None) if how is None else (new, replace(done, how=how))
    if edit.kind is EditKind.FILE:
        return (text, None) if text == edit.value else (edit.value, done)
    if edit.kind is EditKind.TABLE:
        new, chunk = insert_table(text, edit.path, edit.value)
    else:
        new, chunk = insert_note(text, edit.value)
    return (new, replace(done, chunk=chunk)) if chunk else (text, None)


def _revert(text: str, one: Applied) -> tuple[str, bool]:
    edit = one.edit
    if edit.kind is EditKind.FILE:
        return ("", True) if text == edit.value else (text, False)
    if not text.strip("\ufeff \t\r\n"):
        return text, False
    if edit.kind is EditKind.ITEM:
        return remove_item(text, edit.path, json.loads(edit.value), one.how)
    if edit.kind is EditKind.MEMBERS:
        return remove_json(text, edit.path, one.how)
    if edit.kind is EditKind.TABLE:
        return remove_table(text, edit.path, one.chunk)
    return remove_note(text, one.chunk)

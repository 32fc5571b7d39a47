"""From what is wanted, what stands there and what we wrote before, to what has to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from skillquiver.serve.hosts.config_files import (
    HostFileError,
    Snapshot,
    check_writable,
    missing_folders,
    read_file,
)
from skillquiver.serve.hosts.edits import Applied, Edit, EditKind, apply_edits, revert_edits
from skillquiver.serve.hosts.ledger import FileRecord, Ledger, digest
from skillquiver.serve.hosts.plans import Wanted

__all__ = ["Action", "Change", "plan_install", "plan_uninstall"]

_EXACT = "as it was before, byte for byte"
_EDITED = "edited since; the other edits stay"

_T = TypeVar("_T")
_Desired = list[tuple[Edit, tuple[str, ...]]]


class Action(StrEnum):
    """What happens to a file."""

    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    """A file of ours that was edited since: it stays as it is."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one file becomes. ``data`` is its new content, None for none; ``note`` what is worth saying."""

    snapshot: Snapshot
    action: Action
    data: bytes | None
    note: str = ""

    @property
    def writes(self) -> bool:
        """Whether anything has to be written."""
        return self.action not in (Action.UNCHANGED, Action.KEPT)


def plan_install(wanted: Sequence[Wanted], holder: str, ledger: Ledger) -> tuple[list[Change], Ledger]:
    """Return the changes that make ``wanted`` true, and the ledger after them.

    Raises ``HostFileError`` if a file cannot be read, is read-only, or holds something else in our place.
    """
    changes, files = [], dict(ledger.files)
    folders = {Path(folder) for folder in ledger.folders}
    for one in wanted:
        snapshot = read_file(one.path)
        record = files.get(str(one.path))
        change, after = _install_file(snapshot, one.edits, holder, record)
        if change.writes:
            check_writable(snapshot)
            folders.update(missing_folders(snapshot.real))
        changes.append(change)
        if after is not None:
            files[str(one.path)] = after
    return changes, Ledger(files, tuple(sorted(map(str, folders))))


def plan_uninstall(holder: str, ledger: Ledger) -> tuple[list[Change], Ledger]:
    """Return the changes that take out what ``holder`` put in, and the ledger after them.

    Raises ``HostFileError`` if a file cannot be read any more, or is read-only.
    """
    changes, files = [], dict(ledger.files)
    for name, record in ledger.files.items():
        if not any(holder in one.holders for one in record.applied):
            continue
        change, after = _uninstall_file(read_file(Path(name)), holder, record)
        if change.writes:
            check_writable(change.snapshot)
        changes.append(change)
        if after is None:
            del files[name]
        else:
            files[name] = after
    return changes, replace(ledger, files=files)


# --- one file --------------------------------------------------------------------------------------


def _install_file(
    snapshot: Snapshot, edits: Sequence[Edit], holder: str, record: FileRecord | None
) -> tuple[Change, FileRecord | None]:
    desired = _desired(edits, holder, record)
    if edits[0].kind is EditKind.FILE:
        return _install_whole(snapshot, desired, record)
    if record is not None and _stands(snapshot.text, desired, record):
        wanted_by = dict(desired)
        applied = tuple(replace(one, holders=wanted_by[one.edit]) for one in record.applied)
        return Change(snapshot, Action.UNCHANGED, snapshot.data), replace(record, applied=applied)
    return _rewritten(snapshot, desired, record)


def _stands(text: str, desired: _Desired, record: FileRecord) -> bool:
    """Whether all that is wanted is there, and we wrote nothing that is wanted no more."""
    if not {one.edit for one in record.applied} <= {edit for edit, _ in desired}:
        return False
    try:
        return not apply_edits(text, desired)[1]
    except ValueError:  # ours was edited, or the text was broken: writing it anew finds out which
        return False


def _rewritten(
    snapshot: Snapshot, desired: _Desired, record: FileRecord | None
) -> tuple[Change, FileRecord | None]:
    """Take out what we wrote, then put in what is wanted now: so the record stays true."""
    base = _base_text(snapshot, record)
    text, applied = _edited(snapshot, lambda: apply_edits(base, desired))
    data = text.encode("utf-8")
    if record is not None and snapshot.data is not None:
        existed, blank = record.existed, record.blank
        before = record.before if digest(snapshot.data) == record.after else digest(base.encode("utf-8"))
    else:
        existed, before = snapshot.data is not None, digest(snapshot.data)
        blank = base if not base.strip("\ufeff \t\r\n") else None
    if data == snapshot.data:
        action = Action.UNCHANGED
    else:
        action = Action.CREATE if snapshot.data is None else Action.CHANGE
    after = FileRecord(tuple(applied), existed, blank, before, digest(data)) if applied else None
    return Change(snapshot, action, data), after


def _install_whole(
    snapshot: Snapshot, desired: _Desired, record: FileRecord | None
) -> tuple[Change, FileRecord | None]:
    edit, holders = desired[-1]
    data = edit.value.encode("utf-8")
    ours = FileRecord((Applied(edit, holders),), existed=False, blank="", before="", after=digest(data))
    if snapshot.data is None:
        return Change(snapshot, Action.CREATE, data), ours
    if snapshot.data == data:
        return Change(snapshot, Action.UNCHANGED, data), ours if record else None
    if record is None:
        raise HostFileError(f"{snapshot.path} exists and was not written by quiver; move it away first")
    if digest(snapshot.data) != record.after:
        note = "edited since it was written, so it stays; delete it to get ours again"
        return Change(snapshot, Action.KEPT, snapshot.data, note), record
    return Change(snapshot, Action.CHANGE, data), ours


def _uninstall_file(snapshot: Snapshot, holder: str, record: FileRecord) -> tuple[Change, FileRecord | None]:
    left: _Desired = [
        (one.edit, tuple(name for name in one.holders if name != holder)) for one in record.applied
    ]
    left = [(edit, holders) for edit, holders in left if holders]
    if snapshot.data is None:
        return Change(snapshot, Action.UNCHANGED, None, "already gone"), None
    if record.applied[0].edit.kind is EditKind.FILE:
        return _uninstall_whole(snapshot, left, record)
    if left:
        return _rewritten(snapshot, left, record)
    text = _base_text(snapshot, record)
    if not record.existed and not text.strip("\ufeff \t\r\n"):
        return Change(snapshot, Action.REMOVE, None), None
    data = text.encode("utf-8")
    if data == snapshot.data:
        return Change(snapshot, Action.UNCHANGED, data, "nothing of ours in it"), None
    exact = digest(data) == record.before
    return Change(snapshot, Action.CHANGE, data, _EXACT if exact else _EDITED), None


def _uninstall_whole(
    snapshot: Snapshot, left: _Desired, record: FileRecord
) -> tuple[Change, FileRecord | None]:
    if left:
        kept = replace(record, applied=tuple(Applied(*one) for one in left))
        return Change(snapshot, Action.UNCHANGED, snapshot.data, "still used by another host"), kept
    if digest(snapshot.data) != record.after:
        return Change(snapshot, Action.KEPT, snapshot.data, "edited since it was written, so it stays"), None
    return Change(snapshot, Action.REMOVE, None), None


# --- helpers ---------------------------------------------------------------------------------------


def _desired(edits: Iterable[Edit], holder: str, record: FileRecord | None) -> _Desired:
    """What has to stand in the file: what others still want, in its old order, then what ``holder`` wants."""
    wanted: dict[Edit, tuple[str, ...]] = {}
    for one in record.applied if record else ():
        others = tuple(name for name in one.holders if name != holder)
        if others or one.edit in edits:
            wanted[one.edit] = others
    for edit in edits:
        wanted[edit] = tuple(sorted({*wanted.get(edit, ()), holder}))
    return list(wanted.items())


def _base_text(snapshot: Snapshot, record: FileRecord | None) -> str:
    """The text without anything that the record says is ours."""
    text = snapshot.text
    if record is None:
        return text
    return _edited(snapshot, lambda: revert_edits(text, record.applied, record.blank))[0]


def _edited(snapshot: Snapshot, work: Callable[[], _T]) -> _T:
    """Run an edit; what the text cannot take is said with the file's name."""
    try:
        return work()
    except ValueError as error:
        raise HostFileError(
            f"{snapshot.path} was left as it is: {error}; correct it there, then run this again"
        ) from error

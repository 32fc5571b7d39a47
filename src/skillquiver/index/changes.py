"""What differs between the disk and the store: pure comparison, nothing is read or written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from skillquiver.index.rows import FileRow, Light
from skillquiver.skills.discover import Discovery, FoundFile
from skillquiver.types import SkillId

__all__ = ["Changes", "compare"]

FOLDER_LOST = frozenset({"root-missing", "root-not-folder", "unreadable"})
"""Findings of a folder that cannot be reached: its skills are kept, since a disk may only be unmounted."""


@dataclass(slots=True)
class Changes:
    """One comparison, filled in while files are read (only then do hashes show what really changed)."""

    to_read: tuple[FoundFile, ...]
    unchanged: int
    gone: tuple[Light, ...]
    """Stored files that the disk no longer has."""
    before: Mapping[SkillId, Light]
    added: list[FileRow] = field(default_factory=list)
    edited: list[SkillId] = field(default_factory=list)
    touched: int = 0

    @property
    def gone_rows(self) -> list[int]:
        """Rows of ``gone``."""
        return [light.row for light in self.gone]

    def sort(
        self, rows: Sequence[FileRow], *, reread: bool
    ) -> tuple[list[tuple[int, FileRow]], list[FileRow]]:
        """Split what was read into (stored row, file) with the content as before, and files to index."""
        touched: list[tuple[int, FileRow]] = []
        different: list[FileRow] = []
        for row in rows:
            old = self.before.get(row.id)
            same = old is not None and old.content_hash == row.content_hash
            if old is not None and same and not reread and old.path == row.path:
                touched.append((old.row, row))
                self.touched += 1
                continue
            different.append(row)
            if old is None:
                self.added.append(_without_text(row))
            elif not same:
                self.edited.append(row.id)
            else:
                self.touched += 1
        return touched, different

    def moved(self) -> list[tuple[str, str]]:
        """(old id, new id) of files that went and came with the same content, paired in order of id."""
        went: dict[str, list[Light]] = {}
        for light in sorted(self.gone, key=lambda light: light.id, reverse=True):
            if light.content_hash:
                went.setdefault(light.content_hash, []).append(light)
        came = sorted(self.added, key=lambda row: row.id)
        return [(went[row.content_hash].pop().id, row.id) for row in came if went.get(row.content_hash)]


def compare(discovery: Discovery, before: Mapping[SkillId, Light], *, reread: bool) -> Changes:
    """Compare found files with stored ones by size, modification time, path and scope.

    What could not be read is read again: permissions change without a trace in any of these.
    """
    lost = {finding.path for finding in discovery.findings if finding.code in FOLDER_LOST}
    found = {file.id for file in discovery.files}
    to_read = tuple(file for file in discovery.files if reread or not _same(file, before.get(file.id)))
    gone = tuple(light for light in before.values() if light.id not in found and not _below(light.path, lost))
    return Changes(to_read, len(discovery.files) - len(to_read), gone, before)


def _same(file: FoundFile, old: Light | None) -> bool:
    if old is None or not old.readable:
        return False
    before = (old.size, old.mtime_ns, old.path, old.scope)
    return before == (file.size, file.mtime_ns, file.path, file.scope)


def _below(path: str, roots: set[str]) -> bool:
    return any(path.startswith(f"{root.rstrip('/')}/") for root in roots)


def _without_text(row: FileRow) -> FileRow:
    """Drop the record: a first index of 100,000 skills must not be held in memory."""
    return replace(row, skill=None, findings=())

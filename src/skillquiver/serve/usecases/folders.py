"""Files of a skill's folder: listed with digests, and read; never anything outside the folder."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.skills.records import Kind, Skill

__all__ = ["FolderFile", "FolderListing", "list_folder", "read_file"]

MAX_FILES = 512
"""Files a skill may have (the skills extension's own bound)."""

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of all its files together (same source)."""

MAX_ENTRIES = 10_000
"""Directory entries looked at per skill: a folder that holds a whole repository is not walked to its end."""

REMEMBERED = 16_384
"""Digests kept in memory, about 5 MB: several pages of large skills."""

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".DS_Store"})
"""Names that are no part of a skill."""

SKILL_FILE = "SKILL.md"


@dataclass(frozen=True, slots=True, order=True)
class FolderFile:
    """``name`` is the path below the skill's folder, with ``/``; ``digest`` the SHA-256 in hexadecimal."""

    name: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class FolderListing:
    """Files by name. ``complete`` is false where a bound left some out."""

    files: tuple[FolderFile, ...]
    complete: bool


def list_folder(skill: Skill) -> FolderListing:
    """List the files of ``skill`` as they are on disk now; no files if its own is gone.

    The skill's file is always called ``SKILL.md`` and always first to be counted. Links are left out, so
    are folders that hold a skill of their own. Of a command or an agent only the file itself is listed:
    its folder is shared.
    """
    own = Path(skill.path)
    main = _described(str(own), SKILL_FILE)
    if main is None:
        return FolderListing((), complete=False)
    files, size, complete = [main], main.size, main.size <= MAX_BYTES
    others = _walk(str(own.parent), own.name) if skill.kind is Kind.SKILL else iter(())
    for path, name in others:
        found = _described(path, name) if path else None
        if found is None:
            complete = complete and bool(path)
        elif len(files) >= MAX_FILES:
            complete = False
            break
        elif size + found.size > MAX_BYTES:
            complete = False
        else:
            files.append(found)
            size += found.size
    return FolderListing(tuple(sorted(files)), complete)


def read_file(skill: Skill, name: str) -> bytes:
    """Return the bytes of a file of the skill's folder; ``SKILL.md`` is the skill's own file.

    Raises ``UsageError`` for a name outside the folder, a link on the way, what is no regular file, or one
    too large.
    """
    own = Path(skill.path)
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part or ":" in part for part in parts):
        raise UsageError(f"{name!r} is no file of the skill {skill.id}")
    if name == SKILL_FILE:
        parts = [own.name]
    elif skill.kind is not Kind.SKILL or _SKIPPED & set(parts):
        raise UsageError(f"{name!r} is no file of the skill {skill.id}")
    try:
        with os.fdopen(_open_inside(str(own.parent), parts), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
                raise UsageError(f"{name!r} is no file, or larger than {MAX_BYTES} bytes")
            return file.read(MAX_BYTES)
    except OSError as error:
        raise UsageError(f"{name!r} of the skill {skill.id} cannot be read: {error.strerror}") from error


def _open_inside(folder: str, parts: list[str]) -> int:
    """Open ``folder/parts`` for reading, following no link below ``folder``, whoever changes it meanwhile."""
    if os.open not in os.supports_dir_fd:  # pragma: no cover - Windows, where links need a privilege
        path = os.path.join(folder, *parts)  # noqa: PTH118
        real, inside = os.path.realpath(path), os.path.realpath(folder)
        if real != os.path.join(inside, *parts):  # noqa: PTH118
            raise PermissionError(0, "a link on the way")
        return os.open(real, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        # Not blocking: a pipe in the folder must not hang the server.
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


def _walk(folder: str, own: str) -> Iterator[tuple[str, str]]:
    """(path, name below ``folder``) of regular files, sorted; an empty pair where a bound was hit."""
    seen = 0
    pending = [(folder, "")]
    while pending:
        place, prefix = pending.pop()
        entries = []
        with suppress(OSError), os.scandir(place) as found:  # gone or unreadable: it has no files
            for entry in found:
                seen += 1
                if seen > MAX_ENTRIES:
                    yield "", ""
                    return
                entries.append(entry)
        if prefix and any(entry.name.casefold() == "skill.md" for entry in entries):
            continue
        folders = []
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name in _SKIPPED or entry.is_symlink() or (not prefix and entry.name == own):
                continue
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, f"{name}/"))
            elif entry.is_file(follow_symlinks=False) and name.casefold() != "skill.md":
                yield entry.path, name
        pending += reversed(folders)


def _described(path: str, name: str) -> FolderFile | None:
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
            return None
        digest = _digest(path, found.st_ino, found.st_size, found.st_mtime_ns)
    except OSError:  # gone meanwhile, or not ours to read
        return None
    return FolderFile(name, digest, found.st_size)


@lru_cache(maxsize=REMEMBERED)
def _digest(path: str, inode: int, size: int, mtime_ns: int) -> str:  # noqa: ARG001
    """SHA-256 of a file; the other arguments say when it must be read again."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

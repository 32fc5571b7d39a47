"""Reading and replacing other programs' files: through links, atomically, and never over another's write."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skillquiver.errors import SkillquiverError

__all__ = [
    "HostFileError",
    "Replacement",
    "Snapshot",
    "check_writable",
    "missing_folders",
    "read_file",
    "remove_empty",
    "replace_files",
]

MAX_BYTES = 10_000_000
"""A larger file is no configuration; it is not read."""


class HostFileError(SkillquiverError):
    """A host's file cannot be read, changed, or put back; nothing was written."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was read. ``real`` is where links lead; ``data`` is None if it does not exist."""

    path: Path
    real: Path
    data: bytes | None

    @property
    def text(self) -> str:
        """The text, line ends as they are; empty if there is no file."""
        return (self.data or b"").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Replacement:
    """New content for a file; None removes it."""

    snapshot: Snapshot
    data: bytes | None


def read_file(path: Path) -> Snapshot:
    """Read ``path``. Raises ``HostFileError`` for what is no readable file of UTF-8 text."""
    real = Path(os.path.realpath(path))
    try:
        if real.is_symlink():
            raise HostFileError(f"{path} is a link that leads in a circle; correct it first")
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            raise HostFileError(f"{path} is not a file; move it away first")
        if status.st_size > MAX_BYTES:
            raise HostFileError(f"{path} has {status.st_size:,} bytes; that is no configuration")
        data = real.read_bytes()
        data.decode("utf-8")
    except FileNotFoundError:
        return Snapshot(path, real, None)
    except UnicodeDecodeError as error:
        raise HostFileError(f"{path} is not UTF-8 text; save it as UTF-8 first") from error
    except OSError as error:
        raise HostFileError(f"cannot read {path}: {error.strerror}") from error
    return Snapshot(path, real, data)


def check_writable(snapshot: Snapshot) -> None:
    """Raise ``HostFileError`` for a file that is marked read-only: replacing it would get around that."""
    if snapshot.data is not None and not snapshot.real.stat().st_mode & 0o222:
        raise HostFileError(f"{snapshot.path} is read-only; allow writing first (chmod u+w)")


def missing_folders(path: Path) -> list[Path]:
    """Folders that have to be made before ``path`` can be written, outermost first."""
    return [folder for folder in reversed(path.parents) if not folder.exists()]


def replace_files(replacements: Sequence[Replacement]) -> None:
    """Write all of them, or none: if one fails, those before it get their old content back.

    Raises ``HostFileError`` if a file changed since it was read, or cannot be written.
    """
    done: list[tuple[Replacement, list[Path]]] = []
    for one in replacements:
        made = missing_folders(one.snapshot.real) if one.data is not None else []
        done.append((one, made))
        try:
            _write(one.snapshot, one.data)
        except (OSError, HostFileError) as error:
            _roll_back(done)
            if isinstance(error, HostFileError):
                raise
            raise HostFileError(f"cannot write {one.snapshot.path}: {error.strerror}") from error


def remove_empty(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Remove those folders that are empty, innermost first; return those that are still there."""
    left = []
    for folder in sorted(folders, key=lambda path: (-len(path.parts), path)):
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:  # something of somebody else's is in it
            left.append(folder)
    return tuple(sorted(left))


def _write(snapshot: Snapshot, data: bytes | None) -> None:
    real = snapshot.real
    if data is None:
        _check_unchanged(snapshot)
        real.unlink(missing_ok=True)
        return
    real.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".quiver", dir=real.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _copy_rights(snapshot, name)
        _check_unchanged(snapshot)
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _check_unchanged(snapshot: Snapshot) -> None:
    try:
        now = snapshot.real.read_bytes()
    except FileNotFoundError:
        now = None
    if now != snapshot.data:
        raise HostFileError(f"{snapshot.path} changed while it was worked on; run the command again")


def _copy_rights(snapshot: Snapshot, name: str) -> None:
    """Give the new file the old one's mode and owner, or what a new file gets."""
    if snapshot.data is None:
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        return
    status = snapshot.real.stat()
    Path(name).chmod(stat.S_IMODE(status.st_mode))
    own = Path(name).stat()
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        os.chown(name, status.st_uid, status.st_gid)


def _roll_back(done: Sequence[tuple[Replacement, list[Path]]]) -> None:
    for one, made in reversed(done):
        old = one.snapshot
        with suppress(OSError, HostFileError):  # the first error is the one to report
            _write(Snapshot(old.path, old.real, one.data), old.data)
        remove_empty(made)

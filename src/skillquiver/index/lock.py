"""One writer at a time: a lock that names its holder and that the system releases when it dies."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillquiver.errors import LibraryError, LibraryLockedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["writer_lock"]


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Hold the writer's lock of the library in ``folder``.

    Raises ``LibraryLockedError``, naming the process that holds it, if another one writes.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"no library can be kept at {folder}: {error.strerror}; name a folder") from error
    note = folder / "writer.json"
    lock = FileLock(folder / "writer.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LibraryLockedError(
            f"{_holder(note)} is writing the library at {folder}; wait for it, or stop it"
        ) from error
    try:
        note.write_text(json.dumps({"pid": os.getpid(), "command": sys.argv[:3]}), encoding="utf-8")
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _holder(note: Path) -> str:
    try:
        held = json.loads(note.read_text(encoding="utf-8"))
        return f"process {held['pid']} ({' '.join(held['command'])})"
    except (OSError, ValueError, KeyError, TypeError):  # it just started, or just finished
        return "another process"

"""What a search reads of the store, and no more: a hook waits for every import.

``Store`` is this and everything else.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from skillquiver.errors import LibraryError, LibraryMissingError
from skillquiver.index.schema import SCHEMA, SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from skillquiver.types import SkillId

__all__ = ["COUNT", "FILE_NAME", "HeadStore", "SkillHead", "blocks", "path_of"]

T = TypeVar("T")

FILE_NAME = "library.sqlite3"

VARIABLES = 500
"""Values per IN list, which leaves room for a few others; SQLite's oldest limit is 999."""

COUNT = "searched"
"""Note of the number of searched skills: the generation, a space, the number."""


_HEAD = "row, hidden, path, id, name, description, kind"


class SkillHead(NamedTuple):
    """What ranking needs of a skill."""

    id: SkillId
    name: str
    description: str
    kind: str
    hidden: bool
    path: str


class HeadStore:
    """An open library, to be searched. Many may read at a time."""

    FAULTS: ClassVar[tuple[type[Exception], ...]] = (sqlite3.DatabaseError,)
    """What reading a damaged file raises."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Open the library in ``folder``.

        Raises ``LibraryMissingError`` if there is none and ``create`` is false, ``LibraryError`` if it
        is damaged or of another schema version.
        """
        file = folder / FILE_NAME
        if not create and not file.exists():
            raise LibraryMissingError(f"no library at {folder}; run `quiver index` first, or pass --library")
        try:
            db = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            store = cls(db)
            store._prepare(create=create)
        except sqlite3.DatabaseError as error:
            if "readonly" not in str(error):
                raise _unusable(file, error) from error
            if create:
                raise LibraryError(f"no permission to write {file}; index into another --library") from error
            store = cls.open_read_only(file)
        return store

    @classmethod
    def open_read_only(cls, file: Path) -> Self:
        """Open a library that this user may not write, such as a shared one; nobody must be writing it."""
        from urllib.parse import quote

        uri = f"file:{quote(str(file))}?mode=ro&immutable=1"
        store = cls(sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False))
        store._prepare(create=False, writable=False)
        return store

    def _prepare(self, *, create: bool, writable: bool = True) -> None:
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version == 0:
            if not create:
                raise LibraryMissingError("the library was never completed; run `quiver index`")
            self._db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
        elif version != SCHEMA_VERSION:
            from skillquiver.index.migrate import migrate  # hardly any opening needs it

            if not migrate(self._db, version, writable=writable):
                raise LibraryError(
                    f"the library has format {version}, this version reads {SCHEMA_VERSION}; "
                    "move its folder away and run `quiver index` again"
                )

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, *, create: bool = False) -> Iterator[Self]:
        """Open the library for a ``with`` block; damage that shows only there is a ``LibraryError`` too."""
        store = cls.open(folder, create=create)
        try:
            yield store
        except cls.FAULTS as error:
            raise _unusable(folder / FILE_NAME, error) from error
        finally:
            store.close()

    def get_meta(self, key: str, default: str = "") -> str:
        """Return a note kept with the library."""
        found = self._db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(found[0]) if found else default

    @property
    def generation(self) -> int:
        """How often the searched content changed since the library was made."""
        return int(self.get_meta("generation", "0"))

    def count(self) -> int:
        """Number of searched skills; from a note of this generation, as counting reads the table."""
        generation, _, count = self.get_meta(COUNT).partition(" ")
        if count.isdecimal() and generation == str(self.generation):
            return int(count)
        return int(self._db.execute("SELECT count(*) FROM files WHERE active").fetchone()[0])

    def heads(self, rows: Sequence[int]) -> dict[int, SkillHead]:
        """What ranking needs of these skills, by row; a row that is gone is left out."""
        found: dict[int, SkillHead] = {}
        for block, marks in blocks(rows):
            query = f"SELECT {_HEAD} FROM files WHERE active AND row IN ({marks})"
            for row, hidden, path, *rest in self._db.execute(query, block):
                found[row] = SkillHead._make((*rest, bool(hidden), path_of(path)))
        return found


def path_of(stored: str | bytes) -> str:
    """Return the path that SQLite holds: on POSIX a name may be any bytes, shown as surrogates by Python."""
    return os.fsdecode(stored)


def blocks(values: Sequence[T]) -> Iterator[tuple[Sequence[T], str]]:
    """Cut ``values`` into parts that one statement can name, each with its ``?`` marks."""
    for start in range(0, len(values), VARIABLES):
        block = values[start : start + VARIABLES]
        yield block, ",".join("?" * len(block))


def _unusable(file: Path, error: Exception) -> LibraryError:
    return LibraryError(f"{file} is not a usable library ({error}); move it away and index again")

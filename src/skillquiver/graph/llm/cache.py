"""Judgments that were paid for: kept by the hashes of both texts, one transaction per call.

The table lives in the library's SQLite file. A judgment is found again only if both texts, the model, the
wording of the question and the round are the same; "nothing found" is a judgment like any other. What was
committed survives a kill; what was not is asked again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from skillquiver.errors import LibraryError
from skillquiver.index.schema import JUDGMENTS

__all__ = ["JudgmentCache", "JudgmentKey", "SqliteJudgmentCache"]


class JudgmentKey(NamedTuple):
    """What a judgment depends on: both texts (smaller hash first), the model, the wording, the round."""

    first_hash: str
    second_hash: str
    model: str
    prompt: str
    round: str


@runtime_checkable
class JudgmentCache(Protocol):
    """Keeps judgments; many threads may use it at a time."""

    def get(self, key: JudgmentKey) -> bytes | None:
        """Return the value kept under ``key``, ``None`` if there is none."""
        ...

    def put(self, key: JudgmentKey, value: bytes) -> None:
        """Keep one value; it replaces an earlier one."""
        ...

    def put_all(self, values: Mapping[JudgmentKey, bytes]) -> None:
        """Keep the values of one call: all of them or none."""
        ...


class SqliteJudgmentCache:
    """The table ``judgments`` of an SQLite file.

    A given connection must be in autocommit mode (``isolation_level=None``), usable from any thread, and
    must not be inside a transaction while a run is going on.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db, self._lock = connection, threading.Lock()
        self._db.execute(JUDGMENTS)

    @classmethod
    def open(cls, file: Path) -> SqliteJudgmentCache:
        """Open ``file``, made if need be; raises ``LibraryError`` if it is no SQLite file."""
        try:
            db = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            return cls(db)
        except sqlite3.DatabaseError as error:
            raise LibraryError(
                f"{file} cannot keep judgments ({error}); move it away or name another"
            ) from error

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def get(self, key: JudgmentKey) -> bytes | None:
        """Return the value kept under ``key``, ``None`` if there is none."""
        where = "first_hash=? AND second_hash=? AND model=? AND prompt=? AND round=?"
        with self._lock:
            row = self._db.execute(f"SELECT value FROM judgments WHERE {where}", key).fetchone()  # noqa: S608
        return None if row is None else bytes(row[0])

    def put(self, key: JudgmentKey, value: bytes) -> None:
        """Keep one value; it replaces an earlier one."""
        self.put_all({key: value})

    def put_all(self, values: Mapping[JudgmentKey, bytes]) -> None:
        """Keep the values of one call in one transaction."""
        rows = [(*key, value) for key, value in values.items()]
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO judgments VALUES (?, ?, ?, ?, ?, ?)", rows)
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def forget(self, keep: frozenset[str]) -> int:
        """Drop judgments about texts whose hash is not in ``keep``; returns how many went."""
        with self._lock:
            pairs = self._db.execute("SELECT DISTINCT first_hash, second_hash FROM judgments").fetchall()
            gone = [pair for pair in pairs if not keep.issuperset(pair)]
            self._db.execute("BEGIN IMMEDIATE")
            done = self._db.executemany("DELETE FROM judgments WHERE first_hash=? AND second_hash=?", gone)
            self._db.execute("COMMIT")
        return done.rowcount if gone else 0

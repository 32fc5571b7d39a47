"""The store: SQLite (WAL), the only state of record. Everything beside it can be rebuilt from it.

``generation`` counts the library's changes. Every row carries the generation of its last change, so
that a derived index which knows its own generation can catch up, or see that it must be rebuilt.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from skillquiver.index.heads import COUNT, FILE_NAME, HeadStore, blocks, path_of
from skillquiver.index.relation_table import RelationTable
from skillquiver.index.rows import (
    WRITTEN,
    FileRow,
    Light,
    decode,
    light_of,
    stored_path,
    values_of,
)
from skillquiver.skills.records import Skill
from skillquiver.types import Finding, SkillId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["FILE_NAME", "Store"]

_FINDINGS = msgspec.msgpack.Decoder(tuple[Finding, ...])

_PUT_FILE = (
    f"INSERT INTO files ({', '.join(WRITTEN)}) VALUES ({', '.join('?' * len(WRITTEN))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{c}=excluded.{c}' for c in WRITTEN[1:])}, active=0"
)
_SETS = ("generation=max(generation, ?)" if c == "generation" else f"{c}=?" for c in WRITTEN)
_REFRESH = f"UPDATE files SET {', '.join(_SETS)} WHERE row=?"


class Store(HeadStore):
    """One open library. Many may read at a time; whoever writes holds the writer's lock."""

    FAULTS = (sqlite3.DatabaseError, msgspec.MsgspecError)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Ask several questions about one state of the library, whatever is written meanwhile."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    # --- state -------------------------------------------------------------------------------

    def set_meta(self, key: str, value: str) -> None:
        """Keep a note with the library."""
        self._db.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value=excluded.value", (key, value)
        )

    @property
    def data_version(self) -> int:
        """A number that changes when another connection commits anything at all."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def roots(self) -> list[tuple[str, str, str]]:
        """(label, path, scope) of every root, by label."""
        found = self._db.execute("SELECT label, path, scope FROM roots ORDER BY label")
        return [(label, path_of(path), scope) for label, path, scope in found]

    def put_roots(self, roots: Iterable[tuple[str, str, str]]) -> None:
        """Remember roots; a label that is already there gets the new path."""
        self._db.executemany(
            "INSERT INTO roots VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET path=excluded.path, scope=excluded.scope",
            ((label, stored_path(path), scope) for label, path, scope in roots),
        )

    def drop_root(self, label: str) -> None:
        """Forget a root; its files go at the next index."""
        self._db.execute("DELETE FROM roots WHERE label=?", (label,))

    # --- files -------------------------------------------------------------------------------

    def lights(self) -> dict[SkillId, Light]:
        """Every file by id, without its text."""
        columns = (
            "row, id, name, path, root, scope, size, mtime_ns, content_hash, body_hash, description, active, "
            "record IS NOT NULL"
        )
        rows = self._db.execute(f"SELECT {columns} FROM files ORDER BY id")
        return {r[1]: light_of(r) for r in rows}

    def put_files(self, files: Iterable[FileRow], generation: int) -> None:
        """Insert or replace files; a replaced file keeps its row and is inactive until settled."""
        self._db.execute("DELETE FROM meta WHERE key=?", (COUNT,))
        self._db.executemany(_PUT_FILE, (values_of(file, generation) for file in files))

    def refresh_files(self, files: Iterable[tuple[int, FileRow]]) -> None:
        """Record (row, file) whose content proved the same; what is searched stays as it is."""
        self._db.executemany(_REFRESH, ((*values_of(file, 0), row) for row, file in files))

    def unsettled(self) -> bool:
        """Whether a row was written after the library's last generation, by this run or a killed one."""
        query = "SELECT 1 FROM files WHERE generation > ? LIMIT 1"
        return self._db.execute(query, (self.generation,)).fetchone() is not None

    def remove_rows(self, rows: Sequence[int], generation: int) -> None:
        """Delete files and leave a mark for the derived indexes."""
        self._db.executemany("DELETE FROM files WHERE row=?", ((row,) for row in rows))
        self._db.executemany(
            "INSERT OR REPLACE INTO removed VALUES (?, ?)", ((row, generation) for row in rows)
        )

    def set_active(self, changes: Mapping[int, bool], generation: int) -> None:
        """Switch rows on or off for searching."""
        values = ((int(active), generation, row) for row, active in changes.items())
        self._db.executemany("UPDATE files SET active=?, generation=? WHERE row=?", values)

    def changed_since(self, generation: int) -> tuple[list[int], list[int]]:
        """Rows to index and rows to forget for an index that knows ``generation``."""
        rows = self._db.execute(
            "SELECT row, active FROM files WHERE generation > ? ORDER BY row", (generation,)
        )
        live: list[int] = []
        gone: list[int] = []
        for row, active in rows:
            (live if active else gone).append(row)
        gone += [
            r for (r,) in self._db.execute("SELECT row FROM removed WHERE generation > ?", (generation,))
        ]
        return live, gone

    def note_count(self, count: int) -> None:
        """Note the number of searched skills of this generation; new files void the note."""
        self.set_meta(COUNT, f"{self.generation} {count}")

    # --- records -----------------------------------------------------------------------------

    def skills(self, rows: Sequence[int], *, body: bool = True) -> dict[int, Skill]:
        """Records by row; a row that is gone is left out. Without ``body`` the body is empty."""
        found: dict[int, Skill] = {}
        for block, marks in blocks(rows):
            text = "body" if body else "''"
            query = f"SELECT row, record, path, {text} FROM files WHERE active AND row IN ({marks})"
            for row, *columns in self._db.execute(query, block):
                found[row] = decode(*columns)
        return found

    def all_skills(self, *, body: bool = True) -> Iterator[tuple[int, Skill]]:
        """Every searched skill with its row, ordered by id."""
        text = "body" if body else "''"
        for row, *columns in self._db.execute(
            f"SELECT row, record, path, {text} FROM files WHERE active ORDER BY id"
        ):
            yield row, decode(*columns)

    def skill(self, skill_id: str) -> Skill | None:
        """The searched skill with exactly this id."""
        query = "SELECT record, path, body FROM files WHERE active AND id=?"
        found = self._db.execute(query, (skill_id,)).fetchone()
        return decode(*found) if found else None

    def following(self, skill_id: str, count: int) -> list[Skill]:
        """Up to ``count`` searched skills whose ids come after ``skill_id``, by id, without their bodies."""
        query = "SELECT record, path, '' FROM files WHERE active AND id > ? ORDER BY id LIMIT ?"
        return [decode(*columns) for columns in self._db.execute(query, (skill_id, count))]

    def rows_named(self, reference: str) -> list[tuple[int, SkillId]]:
        """(row, id) of the active skills whose id, else whose name or folder, is ``reference``."""
        exact = self._db.execute("SELECT row, id FROM files WHERE active AND id=?", (reference,)).fetchall()
        if exact:
            return list(exact)
        tail = "%/" + reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        query = "SELECT row, id FROM files WHERE active AND (name=? OR id LIKE ? ESCAPE '\\') ORDER BY id"
        return list(self._db.execute(query, (reference, tail)))

    def rows_of(self, ids: Sequence[str]) -> dict[SkillId, int]:
        """Row of each of these ids that is a searched skill's."""
        found: dict[SkillId, int] = {}
        for block, marks in blocks(ids):
            found.update(
                self._db.execute(f"SELECT id, row FROM files WHERE active AND id IN ({marks})", block)
            )
        return found

    def all_ids(self) -> list[SkillId]:
        """Ids of the searched skills, in order."""
        return [i for (i,) in self._db.execute("SELECT id FROM files WHERE active ORDER BY id")]

    # --- findings ----------------------------------------------------------------------------

    def put_library_findings(self, findings: Iterable[Finding]) -> None:
        """Replace the findings that belong to the library as a whole."""
        self.set_meta("findings", msgspec.json.encode(tuple(findings)).decode())

    def findings(self) -> list[Finding]:
        """Every finding of the library and of its files, sorted."""
        noted = self.get_meta("findings", "[]")
        found = list(msgspec.json.decode(noted, type=tuple[Finding, ...]))
        for (data,) in self._db.execute("SELECT findings FROM files"):
            found += _FINDINGS.decode(data)
        return sorted(found)

    # --- vectors -----------------------------------------------------------------------------

    def missing_texts(self, encoder: str) -> list[tuple[bytes, int]]:
        """(text hash, first row that has it) for active skills without a vector, in row order."""
        kept = self._db.execute("SELECT text_hash FROM vectors WHERE encoder=?", (encoder,))
        known = {text for (text,) in kept}
        missing: dict[bytes, int] = {}
        for row, text in self._texts():
            if text not in known:
                missing.setdefault(text, row)
        return list(missing.items())

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        """(row, text hash) of every active skill, by row."""
        yield from self._db.execute("SELECT row, text_hash FROM files WHERE active ORDER BY row")

    def put_vectors(self, encoder: str, vectors: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep (text hash, little-endian float32 vector) pairs."""
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
            ((text, encoder, data) for text, data in vectors),
        )

    def vectors(self, encoder: str) -> Iterator[tuple[int, bytes]]:
        """(row, vector) of every active skill that has one, by row.

        Both tables are scanned: a join, which looks each vector up where it lies, costs three times as much.
        """
        kept = dict(self._db.execute("SELECT text_hash, vector FROM vectors WHERE encoder=?", (encoder,)))
        for row, text in self._texts():
            if text in kept:
                yield row, kept[text]

    # --- what is computed from the files --------------------------------------------------------

    @property
    def relations(self) -> RelationTable:
        """The graph's relations as rows."""
        return RelationTable(self._db)

    def put_derived(self, name: str, data: bytes, generation: int) -> None:
        """Keep a computed value with the generation it was computed from."""
        self._db.execute("INSERT OR REPLACE INTO derived VALUES (?, ?, ?)", (name, generation, data))

    def get_derived(self, name: str) -> tuple[int, bytes] | None:
        """(generation, value) of a computed value, if there is one."""
        found = self._db.execute("SELECT generation, data FROM derived WHERE name=?", (name,)).fetchone()
        return (int(found[0]), bytes(found[1])) if found else None

    def prune_vectors(self) -> None:
        """Forget vectors whose text no file has any more."""
        self._db.execute(
            "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM files WHERE text_hash NOTNULL)"
        )

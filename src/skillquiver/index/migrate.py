"""Libraries of older formats: brought up to date where they stand, in one transaction."""

from __future__ import annotations

import hashlib
import sqlite3

import msgspec

from skillquiver.index.relation_table import RelationRow, RelationTable
from skillquiver.index.schema import HIDDEN, RELATIONS, SCHEMA_VERSION

__all__ = ["GRAPH_GENERATION", "migrate"]

GRAPH = "graph"
"""Name of the derived value: in format 1 the whole graph, since then its digest."""


GRAPH_GENERATION = "graph_generation"
"""Note of the generation the graph was built from, which spares a look at the derived values."""


class _Blob(msgspec.Struct, frozen=True):
    """The graph of format 1; ends of the relations are positions in ``skills``."""

    format: int
    skills: tuple[str, ...]
    relations: tuple[tuple[int, int, str, str, float, str, str, tuple[str, ...], str, str], ...]


_BLOB = msgspec.msgpack.Decoder(_Blob)
_BLOB_VERSION = 1


class _Record(msgspec.Struct, frozen=True):
    """What format 2 has of ``hidden``: a field of the record."""

    hidden: bool = False


_RECORD = msgspec.msgpack.Decoder(_Record)


def migrate(db: sqlite3.Connection, version: int, *, writable: bool) -> bool:
    """Bring a library of format ``version`` to this one; false if there is no way from there.

    A library that may not be written stays as it is, and answers this connection alone as one of this format,
    one of format 1 as one without a graph.
    """
    if version not in (1, 2):
        return False
    db.create_function("hidden_of", 1, _hidden_of, deterministic=True)
    if not writable:
        _pretend(db, version)
        return True
    db.execute("BEGIN IMMEDIATE")
    try:
        found = int(db.execute("PRAGMA user_version").fetchone()[0])  # maybe done meanwhile
        if found == 1:
            _to_two(db)
        if found in (1, 2):
            _to_three(db)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return True


def _hidden_of(record: bytes | None) -> int:
    """Whether the author of a record hides it from models; a damaged one shows when it is read."""
    try:
        return int(record is not None and _RECORD.decode(record).hidden)
    except msgspec.MsgspecError:
        return 0


def _pretend(db: sqlite3.Connection, version: int) -> None:
    """Tables and a view of this connection's own stand before what the file lacks."""
    db.execute("CREATE TEMP VIEW files AS SELECT *, hidden_of(record) AS hidden FROM main.files")
    if version > 1:
        return
    for statement in RELATIONS:
        if "CREATE TABLE" in statement:
            db.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE"))
    db.execute("CREATE TEMP TABLE derived AS SELECT * FROM main.derived WHERE name <> ?", (GRAPH,))


def _to_two(db: sqlite3.Connection) -> None:
    """Relations become rows; a graph that cannot be read is dropped, to be built again."""
    for statement in RELATIONS:
        db.execute(statement)
    found = db.execute("SELECT data FROM derived WHERE name=?", (GRAPH,)).fetchone()
    if found is not None:
        _move_graph(db, bytes(found[0]))


def _to_three(db: sqlite3.Connection) -> None:
    """Whether a skill is hidden becomes a column, which a search reads without the record."""
    db.execute(f"ALTER TABLE files ADD COLUMN {HIDDEN}")
    db.execute("UPDATE files SET hidden=hidden_of(record) WHERE hidden_of(record)")
    db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _move_graph(db: sqlite3.Connection, data: bytes) -> None:
    try:
        graph = _BLOB.decode(data)
    except msgspec.MsgspecError:  # damaged: the next build makes another
        graph = _Blob(0, (), ())
    if graph.format != _BLOB_VERSION:
        db.execute("DELETE FROM derived WHERE name=?", (GRAPH,))
        return
    RelationTable(db).replace(graph.skills, (RelationRow(*row) for row in graph.relations))
    db.execute("UPDATE derived SET data=? WHERE name=?", (hashlib.sha256(data).digest(), GRAPH))
    noted = "INSERT OR REPLACE INTO meta SELECT ?, CAST(generation AS TEXT) FROM derived WHERE name=?"
    db.execute(noted, (GRAPH_GENERATION, GRAPH))

"""Libraries of older formats: brought up to date where they stand, in one transaction."""

from __future__ import annotations

import hashlib
import sqlite3

import msgspec

from skillquiver.index.relation_table import RelationRow, RelationTable
from skillquiver.index.schema import RELATIONS, SCHEMA_VERSION

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


def migrate(db: sqlite3.Connection, version: int, *, writable: bool) -> bool:
    """Bring a library of format ``version`` to this one; false if there is no way from there.

    A library that may not be written stays as it is, and answers this connection as one without a graph.
    """
    if version != 1:
        return False
    if not writable:
        _pretend(db)
        return True
    db.execute("BEGIN IMMEDIATE")
    try:
        if int(db.execute("PRAGMA user_version").fetchone()[0]) == 1:  # nobody else did it meanwhile
            _to_two(db)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return True


def _pretend(db: sqlite3.Connection) -> None:
    """Empty tables of this connection's own stand before what the file lacks."""
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

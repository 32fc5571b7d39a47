"""Relations between skills as plain rows: a question about one skill reads that skill's rows only.

An end of a relation is a *node*: an integer that stands for one id, and for no other, ever. Nodes are not
rows of ``files``, because a file that moved or came back may have another row than the graph knew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from skillquiver.index.heads import blocks
from skillquiver.types import SkillId

__all__ = ["RelationRow", "RelationTable"]

_COLUMNS = "source, target, type, provenance, confidence, quote, place, proposed_by, source_hash, target_hash"
_PUT = f"INSERT INTO relations ({_COLUMNS}) VALUES ({', '.join('?' * 10)})"
_NAMES = msgspec.json.Decoder(tuple[str, ...])


Edge: TypeAlias = tuple[int, int, str, float]
"""What a walk needs of a relation: source, target, provenance, confidence."""

Types: TypeAlias = Sequence[str] | None


class RelationRow(NamedTuple):
    """One relation; ``source`` and ``target`` are nodes, or positions in a list of ids on the way in."""

    source: int
    target: int
    type: str
    provenance: str
    confidence: float
    quote: str
    place: str
    proposed_by: tuple[str, ...]
    source_hash: str
    target_hash: str


class RelationTable:
    """The tables ``nodes`` and ``relations`` of an open library."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def replace(self, ids: Sequence[str], rows: Iterable[RelationRow]) -> None:
        """Replace everything; ends of ``rows`` are positions in ``ids``, which are sorted.

        The caller holds a transaction. Nodes ascend with their ids.
        """
        self._db.execute("DELETE FROM relations")
        self._db.execute("DELETE FROM nodes")
        self._db.executemany("INSERT INTO nodes (id) VALUES (?)", ((skill_id,) for skill_id in ids))
        place = {skill_id: node for node, skill_id in self._db.execute("SELECT node, id FROM nodes")}
        nodes = [place[skill_id] for skill_id in ids]
        self._db.executemany(
            _PUT,
            (
                (nodes[row.source], nodes[row.target], *row[2:7], _json(row.proposed_by), *row[8:])
                for row in rows
            ),
        )

    def nodes(self, ids: Collection[str]) -> dict[SkillId, int]:
        """Node of each id that the graph knows and the library still searches."""
        found: dict[SkillId, int] = {}
        for block, marks in blocks(list(ids)):
            query = (
                "SELECT nodes.id, node FROM nodes JOIN files ON files.id = nodes.id "
                f"WHERE active AND nodes.id IN ({marks})"
            )
            found.update(self._db.execute(query, block))
        return found

    def ids(self, nodes: Collection[int]) -> dict[int, SkillId]:
        """Id of each node whose skill the library still searches."""
        found: dict[int, SkillId] = {}
        for block, marks in blocks(list(nodes)):
            query = (
                "SELECT node, nodes.id FROM nodes JOIN files ON files.id = nodes.id "
                f"WHERE active AND node IN ({marks})"
            )
            found.update(self._db.execute(query, block))
        return found

    def leaving(self, nodes: Sequence[int], types: Types = None) -> Iterator[Edge]:
        """Relations whose source is one of ``nodes``, of these types, or of any."""
        return self._at("source", nodes, types, "source, target, provenance, confidence")

    def entering(self, nodes: Sequence[int], types: Types = None) -> Iterator[Edge]:
        """Relations whose target is one of ``nodes``, of these types, or of any."""
        return self._at("target", nodes, types, "source, target, provenance, confidence")

    def among(self, nodes: Collection[int], types: Types = None) -> list[RelationRow]:
        """Relations with both ends in ``nodes``, of these types, or of any."""
        known = frozenset(nodes)
        found = self._at("source", sorted(known), types, _COLUMNS)
        return sorted(_row(columns) for columns in found if columns[1] in known)

    def _at(self, end: str, nodes: Sequence[int], types: Types, columns: str) -> Iterator[Any]:
        typed = "" if types is None else f" AND type IN ({','.join('?' * len(types))})"
        for block, marks in blocks(nodes):
            query = f"SELECT {columns} FROM relations WHERE {end} IN ({marks}){typed}"
            yield from self._db.execute(query, [*block, *(types or ())])

    def everything(self) -> tuple[dict[int, SkillId], list[RelationRow]]:
        """Id of every node, in order, and every relation by source, target, type.

        Skills that are gone since the graph was built are among them.
        """
        ids = dict(self._db.execute("SELECT node, id FROM nodes ORDER BY node"))
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM relations ORDER BY source, target, type")
        return ids, [_row(columns) for columns in rows]

    def sizes(self) -> Mapping[str, int]:
        """Number of nodes and of relations."""
        return {
            table: int(self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for table in ("nodes", "relations")
        }


def _row(columns: tuple[Any, ...]) -> RelationRow:
    return RelationRow._make((*columns[:7], _names(columns[7]), *columns[8:]))


@lru_cache(maxsize=256)  # as many as there are sets of sources: a handful
def _names(stored: str) -> tuple[str, ...]:
    return _NAMES.decode(stored)


def _json(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()

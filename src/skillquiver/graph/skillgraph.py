"""The published graph: sorted relations, both ends indexed, one canonical byte string."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec

from skillquiver.graph.relations import RELATION_TYPES, Evidence, Provenance, Relation, RelationType
from skillquiver.types import SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["GRAPH_FORMAT", "Adjacency", "Direction", "SkillGraph"]

GRAPH_FORMAT = 1
"""Version of the byte string; a graph of another version is rebuilt, never guessed at."""

Direction = Literal["out", "in", "both", "upstream", "downstream"]
"""``out`` and ``in`` follow the relation as it is written; ``upstream`` and ``downstream`` follow time."""


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Compressed sparse rows: neighbours of node ``i`` are ``targets[starts[i]:starts[i + 1]]``.

    ``starts`` has shape ``(n + 1,)``; ``targets`` and ``weights`` (confidences) have one entry per edge.
    """

    starts: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """One relation on disk; ends are positions in the list of ids."""

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


class _File(msgspec.Struct, frozen=True):
    format: int
    skills: tuple[str, ...]
    relations: tuple[_Row, ...]


@dataclass(frozen=True)
class SkillGraph:
    """Relations between the skills of ``ids``; both tuples are sorted.

    >>> SkillGraph.of(["a", "b"], []).neighbors("a")
    ()
    """

    ids: tuple[SkillId, ...]
    relations: tuple[Relation, ...]

    @classmethod
    def of(cls, ids: Iterable[str], relations: Iterable[Relation]) -> SkillGraph:
        """Sort both; every end must be among ``ids``."""
        return cls(tuple(sorted(map(SkillId, ids))), tuple(sorted(relations)))

    @cached_property
    def position(self) -> Mapping[SkillId, int]:
        """Place of each id in ``ids``: the row and column of every array."""
        return {skill_id: i for i, skill_id in enumerate(self.ids)}

    @cached_property
    def _by_end(self) -> Mapping[SkillId, tuple[Relation, ...]]:
        found: dict[SkillId, list[Relation]] = defaultdict(list)
        for relation in self.relations:
            found[relation.source].append(relation)
            found[relation.target].append(relation)
        return {skill_id: tuple(group) for skill_id, group in found.items()}

    def of_skill(self, skill_id: SkillId) -> tuple[Relation, ...]:
        """Every relation with this skill at either end, sorted; empty if it has none."""
        return self._by_end.get(skill_id, ())

    def neighbors(
        self,
        skill_id: str,
        types: Collection[RelationType] | None = None,
        direction: Direction = "both",
    ) -> tuple[tuple[SkillId, Relation], ...]:
        """Return (other skill, relation) pairs of one skill, strongest first, ties by id.

        ``upstream`` gives the skills that come before this one, ``downstream`` those that come after;
        symmetric relations count in ``out`` and ``in``, but neither up- nor downstream.
        """
        me = SkillId(skill_id)
        found = [
            (relation.target if relation.source == me else relation.source, relation)
            for relation in self.of_skill(me)
            if (types is None or relation.type in types) and _faces(relation, me, direction)
        ]
        return tuple(sorted(found, key=lambda pair: (-pair[1].confidence, pair[0], pair[1].type)))

    def adjacency(self, type_: RelationType, *, reverse: bool = False) -> Adjacency:
        """Return the rows of one type: source → target, or target → source if ``reverse``.

        A symmetric type has both directions in either case.
        """
        both = RELATION_TYPES[type_].symmetric
        edges = []
        for relation in self.relations:
            if relation.type == type_:
                ends = self.position[relation.source], self.position[relation.target]
                if both or not reverse:
                    edges.append((*ends, relation.confidence))
                if both or reverse:
                    edges.append((*ends[::-1], relation.confidence))
        return _rows(edges, len(self.ids))

    def to_bytes(self) -> bytes:
        """Return the canonical byte string: equal graphs give equal bytes."""
        place = self.position
        rows = tuple(
            _Row(
                place[r.source],
                place[r.target],
                r.type.value,
                r.provenance.value,
                r.confidence,
                r.evidence.quote,
                r.evidence.place,
                r.proposed_by,
                r.source_hash,
                r.target_hash,
            )
            for r in self.relations
        )
        return msgspec.msgpack.encode(_File(GRAPH_FORMAT, tuple(self.ids), rows))

    @classmethod
    def from_bytes(cls, data: bytes) -> SkillGraph:
        """Read what ``to_bytes`` wrote; ``ValueError`` for anything else, another version included."""
        try:
            file = msgspec.msgpack.decode(data, type=_File)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a stored skill graph ({error}); build it again") from error
        if file.format != GRAPH_FORMAT:
            raise ValueError(f"stored graph has format {file.format}, not {GRAPH_FORMAT}; build it again")
        ids = tuple(map(SkillId, file.skills))
        return cls(ids, tuple(_relation(row, ids) for row in file.relations))


def _faces(relation: Relation, me: SkillId, direction: Direction) -> bool:
    if direction == "both":
        return True
    if direction in ("upstream", "downstream"):
        mine = relation.downstream if direction == "upstream" else relation.upstream
        return mine == me
    if RELATION_TYPES[relation.type].symmetric:
        return True
    return me == (relation.source if direction == "out" else relation.target)


def _rows(edges: Sequence[tuple[int, int, float]], n: int) -> Adjacency:
    import numpy as np

    ordered = sorted(edges)
    sources = [source for source, _, _ in ordered]
    starts = np.array([bisect_left(sources, i) for i in range(n + 1)], dtype=np.int64)
    targets = np.array([target for _, target, _ in ordered], dtype=np.int32)
    weights = np.array([weight for _, _, weight in ordered], dtype=np.float32)
    return Adjacency(starts, targets, weights)


def _relation(row: _Row, ids: Sequence[SkillId]) -> Relation:
    return Relation(
        source=ids[row.source],
        target=ids[row.target],
        type=RelationType(row.type),
        provenance=Provenance(row.provenance),
        confidence=row.confidence,
        evidence=Evidence(row.quote, row.place),
        proposed_by=row.proposed_by,
        source_hash=row.source_hash,
        target_hash=row.target_hash,
    )

"""Label files: pairs of skills whose order or relation is known, and which skills of a library they mean."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from skillquiver.errors import UsageError
from skillquiver.types import SkillId

__all__ = ["Labels", "OrderEdge", "Reference", "read_order", "read_references"]


@dataclass(frozen=True, slots=True)
class OrderEdge:
    """A pair whose order is known. ``corpus`` is the unit of resampling; ends are ids of the library.

    ``evidence`` are lines of text that state it, if the label quotes any.
    """

    before: SkillId
    after: SkillId
    relation: str
    corpus: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """``source`` names ``target`` in its text; ``relation`` says what for, in the words of the file."""

    source: SkillId
    target: SkillId
    relation: str
    corpus: str


@dataclass(frozen=True, slots=True)
class Labels:
    """Distinct ``pairs``, (one end, other end, relation, corpus), with what the file quotes for each.

    ``missing`` counts pairs that are not in the library.
    """

    pairs: Mapping[tuple[SkillId, SkillId, str, str], str]
    missing: int

    def told(self, origin: str) -> tuple[str, ...]:
        """What was left out, for a reader."""
        if not self.missing:
            return ()
        total = self.missing + len(self.pairs)
        where = "the library lacks one of their skills, or holds both in several places"
        return (f"{self.missing} of {total} pairs of {origin} are left out: {where}",)


def read_order(text: str, *, origin: str, ids: Collection[SkillId]) -> tuple[tuple[OrderEdge, ...], Labels]:
    """Parse JSON Lines with ``before``, ``after``, ``relation`` and, optional, ``corpus``.

    Paths are ids, or relative to a root or to a folder below it. Raises ``UsageError`` that names the line.
    """
    labels = _labels(text, ("before", "after"), origin, ids)
    return tuple(OrderEdge(*pair, quoted) for pair, quoted in labels.pairs.items()), labels


def read_references(
    text: str, *, origin: str, ids: Collection[SkillId]
) -> tuple[tuple[Reference, ...], Labels]:
    """Parse JSON Lines with ``src``, ``dst`` and ``relation``, as ``read_order`` does."""
    labels = _labels(text, ("src", "dst"), origin, ids)
    return tuple(Reference(*pair) for pair in labels.pairs), labels


def _labels(text: str, ends: tuple[str, str], origin: str, ids: Collection[SkillId]) -> Labels:
    find = _Suffixes(ids)
    found: dict[tuple[SkillId, SkillId, str, str], list[str]] = defaultdict(list)
    missing = 0
    for place, row in _rows(text, ends, origin):
        pair = find.pair(*(_text(row, key, place) for key in ends))
        if pair is None:
            missing += 1
            continue
        corpus = (
            _text(row, "corpus", place) if "corpus" in row else _corpus(_text(row, ends[0], place), pair[0])
        )
        quoted = [_text(row, "evidence", place)] if row.get("evidence") else []
        found[(*pair, _text(row, "relation", place), corpus)] += quoted
    if not found and not missing:
        raise UsageError(f"{origin} holds no pair; see docs/evaluation.md for the format")
    return Labels({pair: "\n".join(quoted) for pair, quoted in found.items()}, missing)


def _rows(text: str, ends: tuple[str, str], origin: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{origin}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{place}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise UsageError(f"{place}: must be an object with {ends[0]}, {ends[1]} and relation")
        yield place, row


def _text(row: Mapping[str, object], key: str, place: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{place}: `{key}` must be a text that is not empty")
    return value.strip() if key in ("relation", "evidence") else value.strip().strip("/")


def _corpus(path: str, skill_id: SkillId) -> str:
    """First part of a path; with the next one where the first is a root's label, which all may share."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] == skill_id.partition("/")[0] else 1])


class _Suffixes:
    """Finds the one pair of ids that two paths mean, below whatever folder the paths are relative to."""

    def __init__(self, ids: Collection[SkillId]) -> None:
        self._ids = frozenset(ids)
        self._by_last: dict[str, list[SkillId]] = defaultdict(list)
        for skill_id in sorted(ids):
            self._by_last[skill_id.rpartition("/")[2]].append(skill_id)

    def pair(self, first: str, second: str) -> tuple[SkillId, SkillId] | None:
        """Both ends as they stand; else below one folder, the only one that holds both."""
        if first in self._ids and second in self._ids:
            return SkillId(first), SkillId(second)
        folders = [
            i.removesuffix(first) for i in self._by_last[first.rpartition("/")[2]] if i.endswith("/" + first)
        ]
        both = [folder for folder in folders if folder + second in self._ids]
        return (SkillId(both[0] + first), SkillId(both[0] + second)) if len(both) == 1 else None

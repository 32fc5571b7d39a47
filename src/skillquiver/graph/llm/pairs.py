"""Candidates to pairs, and pairs to calls: each pair is asked about once, in as few calls as stars allow."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.relations import pair_of
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["Call", "Pairs", "cover", "pairs_of"]

Pair = tuple[SkillId, SkillId]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Unordered pairs worth judging, sorted, and how many candidates were left out."""

    pairs: tuple[Pair, ...]
    ignored: int


@dataclass(frozen=True, slots=True)
class Call:
    """One question: a skill, and the others it is compared with, in order of id."""

    focus: SkillId
    others: tuple[SkillId, ...]


def pairs_of(skills: Mapping[SkillId, Skill], candidates: Mapping[SkillId, Sequence[SkillId]]) -> Pairs:
    """The union of all candidates, each pair once, whichever end (or both) lists the other.

    Left out and counted: a skill as its own candidate, ids that are no skill, and pairs with the same text
    (mirrors), between which no direction could be kept by hash.
    """
    found: set[Pair] = set()
    ignored = 0
    for listing, listed in candidates.items():
        for other in listed:
            known = listing in skills and other in skills
            if known and skills[listing].content_hash != skills[other].content_hash:
                found.add(pair_of(listing, other))
            else:
                ignored += 1
    return Pairs(tuple(sorted(found)), ignored)


def cover(pairs: Iterable[Pair], most: int) -> tuple[Call, ...]:
    """Calls that ask about each pair once: the skill with most open pairs comes first, ties by id.

    All pairs of one edited skill share that skill, so they make one call (per ``most`` candidates). On a
    fresh build the greedy cover needs fewer calls than skills. O(pairs · log pairs).
    """
    open_ends: dict[SkillId, set[SkillId]] = {}
    for a, b in pairs:
        open_ends.setdefault(a, set()).add(b)
        open_ends.setdefault(b, set()).add(a)
    heap = [(-len(ends), skill) for skill, ends in open_ends.items()]
    heapq.heapify(heap)
    calls: list[Call] = []
    while heap:
        count, focus = heapq.heappop(heap)
        ends = open_ends[focus]
        if not ends:
            continue
        if -count != len(ends):  # pairs of it were taken meanwhile
            heapq.heappush(heap, (-len(ends), focus))
            continue
        calls += _split(focus, sorted(ends), most)
        for other in ends:
            open_ends[other].discard(focus)
        open_ends[focus] = set()
    return tuple(calls)


def _split(focus: SkillId, others: Sequence[SkillId], most: int) -> list[Call]:
    """Even shares of at most ``most``."""
    parts = -(-len(others) // most)
    size = -(-len(others) // parts)
    return [Call(focus, tuple(others[i : i + size])) for i in range(0, len(others), size)]

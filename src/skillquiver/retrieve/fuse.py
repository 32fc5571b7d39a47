"""Standardised combination of channels: score(d) = sum over channels of weight times z(d).

z(d) = (s(d) - mean) / deviation, mean and deviation taken over the channel's own best ``POOL`` scores, so
that channels on different scales can be added (Fox & Shaw's CombSUM on z-scores; Renda & Straccia, 2003).
A document outside a channel's pool gets that pool's lowest z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["POOL", "Channel", "fuse", "standardise"]

POOL = 1000
"""Scores kept per channel. Over the whole library the mean is that of non-matches, which says little."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel's best scores by row, standardised; ``floor`` is what every other row gets."""

    z: Mapping[int, float]
    floor: float
    weight: float

    def of(self, row: int) -> float:
        """Weighted z of ``row``."""
        return self.weight * self.z.get(row, self.floor)


def standardise(scores: Sequence[tuple[int, float]], *, library: int, weight: float) -> Channel:
    """Standardise a channel's best (row, score) pairs, at most ``POOL`` of a library of ``library`` skills.

    With fewer pairs than the pool has places, the missing places count as score 0, which is what the
    skills that match no term have. A channel that cannot tell skills apart gives each of them 0.
    """
    places = min(POOL, library)
    if not scores:
        return Channel({}, 0.0, 0.0)
    absent = max(places - len(scores), 0)
    count = len(scores) + absent
    mean = math.fsum(score for _, score in scores) / count
    squares = math.fsum((score - mean) ** 2 for _, score in scores) + absent * mean**2
    deviation = math.sqrt(squares / count)
    if deviation < 1e-9:
        return Channel(dict.fromkeys((row for row, _ in scores), 0.0), 0.0, 0.0)
    z = {row: (score - mean) / deviation for row, score in scores}
    floor = -mean / deviation if absent else min(z.values())
    return Channel(z, floor, weight)


def fuse(channels: Sequence[Channel]) -> list[tuple[int, float]]:
    """(row, score) of every row in any channel's pool, best first; ties by row."""
    rows = {row for channel in channels for row in channel.z}
    scored = [(row, math.fsum(channel.of(row) for channel in channels)) for row in rows]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))

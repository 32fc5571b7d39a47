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

SAME = 1e-9
"""A smaller deviation than this is rounding: the channel has one value."""

POOL = 1000
"""Scores kept per channel. Over the whole library the mean is that of non-matches, which says little."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel's share of the fused score: ``floor`` for every row, and ``gain`` for its pool."""

    gain: Mapping[int, float]
    floor: float

    def of(self, row: int) -> float:
        """Weighted z of ``row``."""
        return self.floor + self.gain.get(row, 0.0)


def standardise(scores: Sequence[tuple[int, float]], *, library: int, weight: float) -> Channel:
    """Standardise a channel's best (row, score) pairs, at most ``POOL`` of a library of ``library`` skills.

    With fewer pairs than the pool has places, the missing places count as score 0, which is what the
    skills that match no term have. A channel that cannot tell skills apart contributes nothing.
    """
    places = min(POOL, library)
    absent = max(places - len(scores), 0)
    count = len(scores) + absent
    if not scores or count < 2:
        return Channel({}, 0.0)
    values = [score for _, score in scores]
    mean = math.fsum(values) / count
    squares = math.fsum([(value - mean) ** 2 for value in values]) + absent * mean**2
    deviation = math.sqrt(squares / count)
    if deviation < SAME:
        return Channel({}, 0.0)
    scale = weight / deviation
    lowest = 0.0 if absent else min(values)
    return Channel({row: scale * (score - lowest) for row, score in scores}, scale * (lowest - mean))


def fuse(channels: Sequence[Channel]) -> list[tuple[int, float]]:
    """(row, score) of every row in any channel's pool, best first; ties by row."""
    floor = math.fsum(channel.floor for channel in channels)
    total: dict[int, float] = {}
    for channel in channels:
        for row, gain in channel.gain.items():
            total[row] = total.get(row, floor) + gain
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))

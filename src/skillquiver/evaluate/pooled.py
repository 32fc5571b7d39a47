"""Shares of pairs that come in corpora: pooled over all pairs, resampled by corpus."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillquiver.evaluate.results import Interval
from skillquiver.evaluate.significance import wilson
from skillquiver.settings import EvalSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Outcome", "draw_sums", "percentiles", "pooled_difference", "pooled_share", "sums_of"]

Outcome = tuple[str, float]
"""Corpus and 1 for a hit, 0 for a miss."""


def pooled_share(outcomes: Iterable[Outcome], settings: EvalSettings) -> Interval:
    """Hits over pairs; percentile bootstrap of this ratio, whole corpora drawn with replacement.

    Pairs of one corpus were written by the same people (Davison & Hinkley, 1997, section 3.8). ``n`` counts
    corpora. Where every corpus has all or none, or there is but one, resampling says nothing: then the bounds
    are Wilson's with corpora as trials. The value is NaN without pairs.
    """
    sums = sums_of(outcomes)
    hits, total = (sum(row[at] for row in sums.values()) for at in (0, 1))
    if total == 0:
        return Interval(math.nan, 0.0, 1.0, 0)
    share, n = hits / total, len(sums)
    if n == 1 or hits in (0, total):
        near = wilson(round(share * n), n, level=settings.level)
        return Interval(share, min(share, near.low), max(share, near.high), n)
    return percentiles(share, draw_sums(sums, settings), lambda drawn: drawn[:, 0] / drawn[:, 1], settings, n)


def pooled_difference(a: Sequence[Outcome], b: Sequence[Outcome], settings: EvalSettings) -> Interval:
    """Share of ``a`` minus share of ``b`` over the same pairs in the same order, resampled as one.

    Bounds are -1 and 1 if all pairs are of one corpus.
    """
    rows = [(corpus, (x, y, 1.0)) for (corpus, x), (_, y) in zip(a, b, strict=True)]
    sums = _sums(rows)
    if not rows:
        return Interval(math.nan, -1.0, 1.0, 0)
    value = math.fsum(x - y for _, (x, y, _) in rows) / len(rows)
    if len(sums) == 1:
        return Interval(value, -1.0, 1.0, 1)
    drawn = draw_sums(sums, settings)
    return percentiles(value, drawn, lambda d: (d[:, 0] - d[:, 1]) / d[:, 2], settings, len(sums))


def sums_of(outcomes: Iterable[Outcome]) -> dict[str, list[float]]:
    """Corpus → hits and pairs."""
    return _sums((corpus, (value, 1.0)) for corpus, value in outcomes)


def draw_sums(
    sums: Mapping[str, Sequence[float]], settings: EvalSettings, *, stream: int = 0
) -> npt.NDArray[np.float64]:
    """Column sums over clusters drawn with replacement: shape (draws, columns).

    The same clusters and ``stream`` are drawn alike, whatever their columns hold.
    """
    import numpy as np

    table = np.array([sums[name] for name in sorted(sums)], dtype=np.float64)
    rng = np.random.default_rng([settings.seed, stream])
    n, step = len(table), max(1, 2_000_000 // len(table))
    parts = [
        rng.multinomial(n, [1 / n] * n, size=min(step, settings.draws - start)) @ table
        for start in range(0, settings.draws, step)
    ]
    found: npt.NDArray[np.float64] = np.concatenate(parts)
    return found


def percentiles(
    value: float,
    drawn: npt.NDArray[np.float64],
    statistic: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
    settings: EvalSettings,
    n: int,
) -> Interval:
    """``value`` with the percentile interval of ``statistic`` over draws; undefined draws are left out."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(drawn)
    tail = 50 * (1 - settings.level)
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return Interval(value, float(low), float(high), n)


def _sums(rows: Iterable[tuple[str, Sequence[float]]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for cluster, values in rows:
        found[cluster] = [a + b for a, b in zip(found[cluster] or [0.0] * len(values), values, strict=True)]
    return dict(found)

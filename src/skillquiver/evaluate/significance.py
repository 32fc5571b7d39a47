"""Intervals and tests: resampling over tasks, exact tests of pairs, and the correction for many of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from skillquiver.evaluate.results import Interval
from skillquiver.settings import EvalSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Paired",
    "cluster_means",
    "holm",
    "mcnemar_exact",
    "mean_interval",
    "newcombe_paired",
    "paired",
    "unpaired",
    "wilson",
]


@dataclass(frozen=True, slots=True)
class Paired:
    """System a minus system b over the same tasks.

    ``p`` is two-sided, by flipping signs of tasks at random, (hits + 1) / (draws + 1). ``won`` and ``lost``
    count tasks in which a is better or worse.
    """

    difference: Interval
    p: float
    won: int
    lost: int


def cluster_means(values: Mapping[str, float], clusters: Mapping[str, str]) -> list[float]:
    """Mean over the queries of each cluster, by the clusters' names; values that are NaN are left out."""
    groups: dict[str, list[float]] = defaultdict(list)
    for query_id, value in values.items():
        if not math.isnan(value):
            groups[clusters.get(query_id, query_id)].append(value)
    return [fmean(groups[name]) for name in sorted(groups)]


def mean_interval(
    values: Mapping[str, float], clusters: Mapping[str, str], settings: EvalSettings
) -> Interval:
    """Mean over tasks with its percentile bootstrap interval (Efron, 1979), tasks drawn with replacement.

    ``values`` are by query id; queries of one cluster are averaged first, so a query that stands in the file
    twice does not narrow the interval. NaN values are left out.
    """
    means = _array(cluster_means(values, clusters))
    return _interval(means, settings)


def paired(
    a: Mapping[str, float], b: Mapping[str, float], clusters: Mapping[str, str], settings: EvalSettings
) -> Paired:
    """Compare two systems on the queries that both have, averaged within clusters.

    Bootstrap interval of the mean difference, and a randomisation test (Fisher, 1935; Smucker et al., 2007).
    """
    shared = {query_id: a[query_id] - b[query_id] for query_id in a if query_id in b}
    gaps = _array(cluster_means(shared, clusters))
    return Paired(
        _interval(gaps, settings), _sign_flips(gaps, settings), int((gaps > 0).sum()), int((gaps < 0).sum())
    )


def unpaired(
    a: Mapping[str, float], b: Mapping[str, float], clusters: Mapping[str, str], settings: EvalSettings
) -> Interval:
    """Mean of a minus mean of b over different tasks; percentile bootstrap, each drawn by itself.

    ``n`` counts both. NaN where either has no value.
    """
    one, two = _array(cluster_means(a, clusters)), _array(cluster_means(b, clusters))
    n = len(one) + len(two)
    if not len(one) or not len(two):
        return Interval(math.nan, math.nan, math.nan, n)
    gaps = _means(one, settings, stream=0) - _means(two, settings, stream=1)
    return Interval(float(one.mean() - two.mean()), *_percentiles(gaps, settings), n)


def mcnemar_exact(won: int, lost: int) -> float:
    """Two-sided exact McNemar test of discordant pairs (McNemar, 1947): binomial with p = 1/2."""
    n = won + lost
    tail = sum(math.comb(n, k) for k in range(min(won, lost) + 1))
    return min(1.0, tail / 2 ** (n - 1)) if n else 1.0


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share (Wilson, 1927); [0, 1] for no trial, whose value is NaN."""
    if n == 0:
        return Interval(math.nan, 0.0, 1.0, 0)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, scale = successes / n, 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half), n)


def newcombe_paired(both: int, first: int, second: int, neither: int, *, level: float = 0.95) -> Interval:
    """Difference of two shares of the same tasks, first minus second (Newcombe, 1998, method 10).

    The four counts are of tasks solved by both, by one of them only, and by neither.
    """
    n = both + first + second + neither
    if n == 0:
        return Interval(math.nan, -1.0, 1.0, 0)
    one, two = wilson(both + first, n, level=level), wilson(both + second, n, level=level)
    phi = _phi(both, first, second, neither)
    difference = (first - second) / n
    below = _spread(one.value - one.low, two.high - two.value, phi)
    above = _spread(one.high - one.value, two.value - two.low, phi)
    return Interval(difference, difference - below, difference + above, n)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values in the order given (Holm, 1979): all claims hold together at the level."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda i: (p_values[i], i))):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = running
    return tuple(adjusted)


# --- how ---------------------------------------------------------------------------------------------


def _array(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """The values as an array of shape (n,)."""
    import numpy as np

    return np.array(values, dtype=np.float64)


def _interval(values: npt.NDArray[np.float64], settings: EvalSettings) -> Interval:
    n = len(values)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    return Interval(float(values.mean()), *_percentiles(_means(values, settings), settings), n)


def _means(
    values: npt.NDArray[np.float64], settings: EvalSettings, *, stream: int = 0
) -> npt.NDArray[np.float64]:
    """Means of bootstrap samples; equal settings and ``stream`` draw the same places."""
    import numpy as np

    n = len(values)
    rng = np.random.default_rng([settings.seed, stream])
    return np.concatenate(
        [values[rng.integers(0, n, size=(rows, n))].mean(axis=1) for rows in _chunks(settings.draws, n)]
    )


def _percentiles(drawn: npt.NDArray[np.float64], settings: EvalSettings) -> tuple[float, float]:
    import numpy as np

    tail = 50 * (1 - settings.level)
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return float(low), float(high)


def _sign_flips(gaps: npt.NDArray[np.float64], settings: EvalSettings) -> float:
    import numpy as np

    observed = abs(float(gaps.sum())) - 1e-12
    rng = np.random.default_rng(settings.seed)
    hits = 0
    for rows in _chunks(settings.draws, len(gaps)):
        signs = rng.integers(0, 2, size=(rows, len(gaps))) * 2 - 1
        hits += int((np.abs(signs @ gaps) >= observed).sum())
    return (hits + 1) / (settings.draws + 1)


def _chunks(draws: int, n: int) -> list[int]:
    """Rows per step, so that no array of draws has more than two million cells."""
    step = max(1, 2_000_000 // max(n, 1))
    return [min(step, draws - start) for start in range(0, draws, step)]


def _phi(both: int, first: int, second: int, neither: int) -> float:
    """Correlation of the two systems, with Newcombe's continuity correction where it is positive."""
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    crossed: float = both * neither - first * second
    n = both + first + second + neither
    if crossed > 0:
        crossed = max(crossed - n / 2, 0)
    return crossed / math.sqrt(margins)


def _spread(one: float, two: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * two + two * two))

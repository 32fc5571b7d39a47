"""Counts of what was answered, as Prometheus text. No library, token, address or query is in them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator

__all__ = ["BOUNDS", "MEDIA_TYPE", "Metrics"]

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the buckets in seconds: those of Prometheus' own clients, up to the time limit."""


class Metrics:
    """Requests by route and status, and how long they took by route."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one request. ``route`` is a pattern, of which there are few, never a path."""
        self._requests[route, status] += 1
        self._buckets.setdefault(route, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, *, under_way: int) -> str:
        """Return everything in the text format, version 0.0.4."""
        return "\n".join(self._lines(under_way)) + "\n"

    def _lines(self, under_way: int) -> Iterator[str]:
        yield "# HELP skillquiver_requests_under_way Requests being answered."
        yield "# TYPE skillquiver_requests_under_way gauge"
        yield f"skillquiver_requests_under_way {under_way}"
        yield "# HELP skillquiver_requests_total Requests answered."
        yield "# TYPE skillquiver_requests_total counter"
        for (route, status), number in sorted(self._requests.items()):
            yield f'skillquiver_requests_total{{route="{route}",status="{status}"}} {number}'
        yield "# HELP skillquiver_request_seconds Time from the request to the end of the answer."
        yield "# TYPE skillquiver_request_seconds histogram"
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, number in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
                total += number
                yield f'skillquiver_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'skillquiver_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'skillquiver_request_seconds_count{{route="{route}"}} {total}'

"""How much one client may ask: a token bucket for each, and places for requests under way."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

__all__ = ["BUCKETS", "Places", "RateLimiter"]

BUCKETS = 4096
"""Clients remembered; the one that was quiet the longest is forgotten, its bucket being full by then."""


class RateLimiter:
    """A token bucket per client: ``burst`` requests at once, ``rate`` a second in the long run.

    A bucket holds ``min(burst, held + rate * seconds since the last request)``, and each request takes one.
    ``clock`` gives seconds. Not for use from several threads.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> int:
        """Count one request; returns 0, or after how many whole seconds the next one will be taken."""
        now = self._clock()
        held, since = self._buckets.pop(client, (self._burst, now))
        held = min(self._burst, held + self._rate * (now - since))
        wait = 0 if held >= 1 else math.ceil((1 - held) / self._rate)
        self._buckets[client] = (held if wait else held - 1, now)
        if len(self._buckets) > BUCKETS:
            self._buckets.popitem(last=False)
        return wait


class Places:
    """Room for ``size`` requests under way; more are turned away rather than queued. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size, self._taken, self._lock = size, 0, Lock()

    @property
    def taken(self) -> int:
        """Requests under way."""
        return self._taken

    def enter(self) -> bool:
        """Take a place if there is one."""
        with self._lock:
            if self._taken >= self._size:
                return False
            self._taken += 1
            return True

    def leave(self) -> None:
        """Give a place back."""
        with self._lock:
            self._taken -= 1

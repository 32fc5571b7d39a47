"""Memory that an answer needed goes back to the system, which glibc does not see to by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["MemoryReturn", "give_memory_back"]

EVERY = 1.0
"""Seconds between two returns: one takes a millisecond, and answers that follow at once need it again."""


def give_memory_back() -> None:
    """Return what is free to the system; glibc keeps 76 MB of it after queries (docs/decisions/0051)."""
    import ctypes

    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, which has no such call
        return
    trim(0)


class MemoryReturn:
    """Gives memory back when asked to, at most every ``EVERY`` seconds; safe to share between threads."""

    def __init__(
        self, give: Callable[[], None] = give_memory_back, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._give, self._clock = give, clock
        self._next = 0.0

    def __call__(self) -> None:
        """Give back, or do nothing if that was just done."""
        now = self._clock()
        if now >= self._next:
            self._next = now + EVERY  # two threads may pass here at once, which costs a millisecond
            self._give()

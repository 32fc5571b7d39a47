"""Which of many are looked at where all would take too long: evenly spread, so that nothing is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["evenly"]

T = TypeVar("T")


def evenly(values: Sequence[T], most: int) -> Sequence[T]:
    """At most ``most`` of ``values``, at even distances and in their order; all if there are no more.

    >>> evenly("abcdefghij", 4)
    ('a', 'c', 'f', 'h')
    """
    if len(values) <= most:
        return tuple(values)
    return tuple(values[at * len(values) // most] for at in range(most))

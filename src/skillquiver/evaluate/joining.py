"""Connected components of items that share keys."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

__all__ = ["joined"]


def joined(keys: Sequence[Collection[Hashable]]) -> list[int]:
    """For each item the first item that it is joined with, itself or over others, by a common key.

    >>> joined([{"a"}, {"b"}, {"a", "c"}, {"c"}, set()])
    [0, 1, 0, 0, 4]
    """
    parent = list(range(len(keys)))

    def first(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    owner: dict[Hashable, int] = {}
    for at, own in enumerate(keys):
        for key in own:
            one, other = first(owner.setdefault(key, at)), first(at)
            parent[max(one, other)] = min(one, other)
    return [first(at) for at in range(len(keys))]

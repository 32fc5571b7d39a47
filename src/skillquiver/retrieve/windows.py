"""A query to the windows the dense channel encodes.

A sentence encoder blurs a long task into one vector, so a task is cut at sentence ends into windows and a
skill's dense score is its best window. The first windows state the goal; encoding all of them costs time
and gains nothing (docs/decisions/0005).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["MAX_WINDOWS", "WINDOW_CHARACTERS", "split_windows"]

WINDOW_CHARACTERS = 400
"""About 100 word pieces: within the length the encoder was trained on (128)."""

MAX_WINDOWS = 3

_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def split_windows(query: str) -> list[str]:
    """Return 1 to ``MAX_WINDOWS`` windows, in order; an empty query yields none.

    Windows end at sentence or line ends where there are any; a longer run is cut at the limit.
    """
    windows: list[str] = []
    current = ""
    for piece in _pieces(query):
        if current and len(current) + len(piece) + 1 > WINDOW_CHARACTERS:
            windows.append(current)
            if len(windows) == MAX_WINDOWS:
                return windows
            current = ""
        current = f"{current} {piece}" if current else piece
    return [*windows, current] if current else windows


def _pieces(query: str) -> Iterator[str]:
    for sentence in _BREAK.split(query[: 50 * WINDOW_CHARACTERS]):
        text = sentence.strip()
        for start in range(0, len(text), WINDOW_CHARACTERS):
            yield text[start : start + WINDOW_CHARACTERS]

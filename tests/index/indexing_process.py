"""A process that indexes and stops at a chosen event until it is killed: ``LIBRARY ROOT NUMBER``.

Events are what ``Progress`` is told, counted from 1. At event NUMBER the process says so on standard output
and waits for ever on standard input; with NUMBER 0 it runs through and says how many events there were.
"""

from __future__ import annotations

import sys
from pathlib import Path

from skillquiver.index import vectors
from skillquiver.index.progress import Stage
from tests.libraries import index


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class StopAt:
    """Counts events; stops at one of them."""

    def __init__(self, number: int) -> None:
        self.number, self.seen = number, 0

    def __call__(self, stage: Stage, done: int, total: int) -> None:
        self.seen += 1
        if self.seen == self.number:
            say(f"{stage} {done}/{total}")
            sys.stdin.read()


def main() -> None:
    library, root, number = sys.argv[1:]
    vectors.VECTOR_CHUNK = 4  # several commits of vectors in a library of a dozen skills
    tell = StopAt(int(number))
    index(Path(library), Path(root), tell=tell)
    say(str(tell.seen))


if __name__ == "__main__":
    main()

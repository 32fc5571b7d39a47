"""Time since the process started, and an answer that is given once, in time or empty."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

__all__ = ["OneAnswer", "process_age"]

_IMPORTED = time.monotonic()


def process_age() -> float:
    """Seconds since this process was started; where the system does not tell, since this module was loaded.

    Linux counts ticks (mostly 10 ms) since boot; loading the interpreter is part of what a host waits for.
    """
    since_import = time.monotonic() - _IMPORTED
    try:
        with open("/proc/self/stat", "rb") as file:  # pathlib would cost more than the answer
            started = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):  # another system than Linux
        return since_import
    return max(age, since_import)


class OneAnswer:
    """Writes one document, whoever comes first: the hook with its answer, or the watch with an empty one.

    ``write`` gets the bytes; ``leave`` ends the process and is called by the watch alone, whose thread
    cannot wait for whatever made the hook late.
    """

    def __init__(self, write: Callable[[bytes], None], *, leave: Callable[[int], object] = os._exit) -> None:
        self._write, self._leave = write, leave
        self._claim = Lock()
        self._done = Event()

    def give(self, data: bytes) -> bool:
        """Write ``data`` unless an answer was given already; returns whether it was written."""
        if not self._claim.acquire(blocking=False):
            return False
        try:
            self._write(data)
        finally:
            self._done.set()
        return True

    def watch(self, seconds: float, empty: bytes) -> Thread:
        """Give ``empty`` and end the process if there is no answer within ``seconds``."""
        watch = Thread(target=self._expire, args=(seconds, empty), name="skillquiver-deadline", daemon=True)
        watch.start()
        return watch

    def _expire(self, seconds: float, empty: bytes) -> None:
        if self._done.wait(max(seconds, 0.0)):
            return
        if self.give(empty):
            self._leave(0)

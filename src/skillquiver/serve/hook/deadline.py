"""Time since the process started, and an answer that is given once, in time or empty."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
        self._claim = allocate_lock()
        self._undone = allocate_lock()
        self._undone.acquire()

    def give(self, data: bytes) -> bool:
        """Write ``data`` unless an answer was given already; returns whether it was written."""
        if not self._claim.acquire(blocking=False):
            return False
        try:
            self._write(data)
        finally:
            self._undone.release()
        return True

    def watch(self, seconds: float, empty: bytes) -> None:
        """Start a thread that does ``expire``."""
        start_new_thread(self.expire, (seconds, empty))  # `threading` is for those who wait for its threads

    def expire(self, seconds: float, empty: bytes) -> None:
        """Give ``empty`` and end the process if there is no answer within ``seconds``."""
        if self._undone.acquire(timeout=max(seconds, 0.0)):
            self._undone.release()
        elif self.give(empty):
            self._leave(0)

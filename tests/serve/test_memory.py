from __future__ import annotations

import ctypes
import platform
from pathlib import Path

import pytest

from skillquiver.serve.memory import MemoryReturn, give_memory_back

BLOCK, BLOCKS = 65_536, 800
"""Small enough for the heap; together 52 MB."""


def test_memory_is_given_back_at_most_once_a_second() -> None:
    now, given = [100.0], list[float]()
    rest = MemoryReturn(lambda: given.append(now[0]), lambda: now[0])
    for at in (100.0, 100.5, 100.9, 101.0, 101.5, 107.0):
        now[0] = at
        rest()
    assert given == [100.0, 101.0, 107.0]


def _resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library keeps nothing back")
def test_what_was_freed_below_something_in_use_goes_back_to_the_system() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t],
        [ctypes.c_void_p],
    )
    blocks = [libc.malloc(BLOCK) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BLOCK)
    for block in blocks[:-1]:  # the last one keeps the heap from shrinking by itself
        libc.free(block)
    held = _resident()
    give_memory_back()
    freed = held - _resident()
    libc.free(blocks[-1])
    assert freed > BLOCK * BLOCKS / 2

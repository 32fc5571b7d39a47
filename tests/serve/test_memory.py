from __future__ import annotations

from skillquiver.serve.memory import MemoryReturn, give_memory_back


def test_memory_is_given_back_at_most_once_a_second() -> None:
    now, given = [100.0], list[float]()
    rest = MemoryReturn(lambda: given.append(now[0]), lambda: now[0])
    for at in (100.0, 100.5, 100.9, 101.0, 101.5, 107.0):
        now[0] = at
        rest()
    assert given == [100.0, 101.0, 107.0]


def test_giving_back_leaves_what_is_in_use_alone() -> None:
    held = [bytearray(b"x" * 100_000) for _ in range(50)]
    give_memory_back()
    assert all(block == b"x" * 100_000 for block in held)

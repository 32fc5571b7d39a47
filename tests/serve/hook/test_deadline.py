from __future__ import annotations

from threading import Barrier, Thread

from skillquiver.serve.hook.deadline import OneAnswer, process_age


def test_only_the_first_answer_is_written() -> None:
    written: list[bytes] = []
    one = OneAnswer(written.append)
    assert [one.give(b"a"), one.give(b"b")] == [True, False]
    assert written == [b"a"]


def test_in_a_race_of_many_one_answer_is_written() -> None:
    written: list[bytes] = []
    one, start = OneAnswer(written.append), Barrier(8)

    def run(data: bytes) -> None:
        start.wait()
        one.give(data)

    threads = [Thread(target=run, args=(bytes([at]),)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(written) == 1


def test_the_watch_gives_the_empty_answer_and_ends_the_process_when_the_time_is_over() -> None:
    written: list[bytes] = []
    codes: list[int] = []
    one = OneAnswer(written.append, leave=codes.append)
    one.expire(0.0, b"empty")
    assert (written, codes, one.give(b"late")) == ([b"empty"], [0], False)


def test_the_watch_does_nothing_after_an_answer() -> None:
    written: list[bytes] = []
    codes: list[int] = []
    one = OneAnswer(written.append, leave=codes.append)
    one.give(b"answer")
    one.expire(60.0, b"empty")
    one.expire(60.0, b"empty")
    assert (written, codes) == ([b"answer"], [])


def test_the_age_of_a_process_grows() -> None:
    first = process_age()
    assert 0 <= first <= process_age()

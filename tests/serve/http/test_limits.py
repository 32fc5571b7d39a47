"""Token buckets and places, by a clock that stands still."""

from __future__ import annotations

from skillquiver.serve.http.limits import BUCKETS, Places, RateLimiter
from tests.serve.http.helpers import Clock


def test_a_bucket_fills_at_its_rate_up_to_the_burst() -> None:
    clock = Clock()
    limiter = RateLimiter(2.0, 3, clock)
    assert [limiter.take("a") for _ in range(4)] == [0, 0, 0, 1]
    clock.now = 0.5  # one more
    assert [limiter.take("a") for _ in range(2)] == [0, 1]
    clock.now = 60.0  # never more than three
    assert [limiter.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_refused_requests_do_not_put_off_the_next_one() -> None:
    clock = Clock()
    limiter = RateLimiter(1.0, 1, clock)
    assert limiter.take("a") == 0
    for tenth in range(1, 10):
        clock.now = tenth / 10
        assert limiter.take("a") == 1
    clock.now = 1.01
    assert limiter.take("a") == 0


def test_no_more_clients_are_remembered_than_there_are_buckets() -> None:
    limiter = RateLimiter(1.0, 1, Clock())
    for number in range(BUCKETS + 1):
        limiter.take(str(number))
    assert limiter.take("1") == 1
    assert limiter.take("0") == 0  # was forgotten


def test_a_place_is_free_again_when_it_was_left() -> None:
    places = Places(1)
    assert [places.enter(), places.enter(), places.taken] == [True, False, 1]
    places.leave()
    assert places.enter()

"""What the HTTP gateway takes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HttpSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """What the HTTP gateway takes from one client, and how long it waits."""

    max_body_bytes: int = 65_536
    """Six times the longest public task, lists of skill ids included."""

    max_query_bytes: int = 16_384
    """Bytes of the address after ``?``; longer tasks go into the body of a POST."""

    rate_per_second: float = 20.0
    """Requests per second for each token or, without one, address: what a library answers on two cores."""

    burst: int = 40
    """Requests that may come at once after a pause: an agent that looks into every skill of a bundle."""

    max_concurrent: int = 8
    """Requests under way. A library answers one at a time, so that the last of them waits for seven."""

    timeout_seconds: float = 10.0
    """Until an answer is given up: forty times what the slow ones take."""

    body_timeout_seconds: float = 5.0
    """Until the whole body has to be there: who sends it a byte a second holds a place for no longer."""

    drain_seconds: int = 10
    """After SIGTERM, until requests under way are cut off: no less than ``timeout_seconds``."""

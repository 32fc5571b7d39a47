"""Many calls: bounded concurrency, retries with backoff, a spend limit, and each answer stored at once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from skillquiver.errors import LlmError
from skillquiver.graph.llm.budget import Budget, worst_case
from skillquiver.graph.llm.protocol import (
    NO_USAGE,
    CallError,
    Clock,
    Failure,
    LlmClient,
    ToolReply,
    ToolRequest,
    Usage,
)
from skillquiver.graph.llm.report import CallTally
from skillquiver.settings import LlmSettings

__all__ = ["FUTILE_CALLS", "Caller", "Job", "backoff"]

FUTILE_CALLS = 8
"""Calls in a row that are given up unserved before a run ends: each took half a minute of waiting, so that
thousands of them to a wrong address would take hours."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call to make. ``take`` validates the reply and stores it; it raises ``CallError`` to ask again.

    ``request`` is built when the call's turn comes: thousands of prompts are never in memory together.
    """

    request: Callable[[], ToolRequest]
    take: Callable[[ToolReply], None]


@dataclass(slots=True)
class _Row:
    """How many calls in a row were not served, in the order of their ends."""

    model: str
    length: int = 0

    def note(self, tally: CallTally) -> None:
        """Count one call; raises ``LlmError`` when the row is long enough to know."""
        self.length = self.length + 1 if tally.unanswered else 0
        if self.length >= FUTILE_CALLS:
            kinds = ", ".join(sorted(tally.failures))
            raise LlmError(
                f"{self.model} served none of {self.length} calls in a row ({kinds}); check the base URL and "
                "the provider's state, then run again: what was answered is kept"
            )


@dataclass(frozen=True, slots=True)
class Caller:
    """Runs jobs against one client. After a refusal by the budget, or an error, no new call starts."""

    client: LlmClient
    budget: Budget
    settings: LlmSettings
    clock: Clock

    def run(self, jobs: Iterable[Job]) -> CallTally:
        """Run ``jobs``; at most ``settings.concurrency`` at a time. Calls in flight finish and are stored.

        Raises ``LlmError`` where no call can work, or none is served any more, and whatever ``take`` raises
        beside ``CallError``.
        """
        total, stop, row = CallTally(), threading.Event(), _Row(self.client.model)
        running: set[Future[CallTally]] = set()
        with ThreadPoolExecutor(self.settings.concurrency, thread_name_prefix="llm") as pool:
            try:
                for job in jobs:
                    if self.budget.exhausted:
                        break
                    running.add(pool.submit(self._call, job, stop))
                    if len(running) >= self.settings.concurrency:
                        running = self._collect(running, total, row)
                while running:
                    running = self._collect(running, total, row)
            finally:
                stop.set()
        return total

    @staticmethod
    def _collect(running: set[Future[CallTally]], total: CallTally, row: _Row) -> set[Future[CallTally]]:
        done, left = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            total.add(future.result())
            row.note(future.result())
        return left

    def _call(self, job: Job, stop: threading.Event) -> CallTally:
        """Try one job until it works, its tries are used up, the money is, or the run has ended."""
        tally, request = CallTally(), job.request()
        waits = answers = 0
        while not stop.is_set():
            reserved = self.budget.reserve(request)
            if reserved is None:
                return tally
            error = self._attempt(job, request, reserved, tally)
            if error is None:
                tally.calls += 1
                return tally
            tally.failures[error.failure] += 1
            waits, answers = waits + error.failure.waits, answers + error.failure.is_answer
            pause = self._pause(request, error, waits, answers)
            if pause is None:
                tally.unanswered += error.failure.waits
                break
            if pause:
                self.clock.sleep(pause)
        tally.failed += 1
        return tally

    def _attempt(self, job: Job, request: ToolRequest, reserved: float, tally: CallTally) -> CallError | None:
        """Send once and pay for it, whatever happens; ``None`` means taken."""
        tally.attempts += 1
        usage = NO_USAGE
        try:
            reply = self.client.ask(request)
            usage = self._charged(reply.usage, request, tally)
            job.take(reply)
        except CallError as error:
            if usage == NO_USAGE:
                unknown = error.failure is Failure.TIMEOUT or error.failure.is_answer
                usage = self._charged(error.usage, request, tally) if unknown else error.usage
            return error
        finally:
            tally.usage += usage
            self.budget.settle(reserved, usage)
        return None

    @staticmethod
    def _charged(told: Usage, request: ToolRequest, tally: CallTally) -> Usage:
        """What the provider says, or the worst case where it says nothing but may send a bill."""
        if told != NO_USAGE:
            return told
        tally.estimated += 1
        return worst_case(request)

    def _pause(self, request: ToolRequest, error: CallError, waits: int, answers: int) -> float | None:
        """Seconds before the next try; ``None`` to give up."""
        if error.failure.is_answer:
            return 0.0 if answers < self.settings.max_answers else None
        if not error.failure.waits or waits >= self.settings.max_attempts:
            return None
        told = _seconds(error.retry_after, self.clock)
        if told is not None and told > self.settings.max_wait_seconds:
            return None
        return max(told or 0.0, backoff(request, waits, self.settings))


def backoff(request: ToolRequest, tries: int, settings: LlmSettings) -> float:
    """Seconds to wait after ``tries`` failures: first · 2^(tries-1), capped, times a jitter in [0.5, 1).

    The jitter is drawn from the request's own hash: it spreads calls that failed together, and the same
    run waits the same.
    """
    seed = hashlib.sha256(f"{tries}\x00{request.user}".encode("utf-8", "surrogatepass")).digest()
    jitter = 0.5 + int.from_bytes(seed[:4], "big") / 2**33
    longest: float = min(settings.max_wait_seconds, settings.backoff_seconds * 2.0 ** (tries - 1))
    return longest * jitter


def _seconds(header: str, clock: Clock) -> float | None:
    """Retry-After in seconds, from either of its forms; ``None`` where it is absent or illegible."""
    if not header:
        return None
    with suppress(ValueError):  # not a number: the other form is a date
        return max(0.0, float(header))
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - clock.now())
    except ValueError:
        return None

"""What a language model is to the graph: one forced tool call, its answer, or a typed failure."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

__all__ = [
    "NO_USAGE",
    "CallError",
    "Clock",
    "Failure",
    "LlmClient",
    "SystemClock",
    "Tool",
    "ToolReply",
    "ToolRequest",
    "Usage",
]


class Failure(StrEnum):
    """Why one call gave no usable answer."""

    RATE_LIMIT = "rate-limit"
    SERVER = "server-error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    MALFORMED = "malformed-answer"
    TRUNCATED = "truncated-answer"
    NO_TOOL_CALL = "no-tool-call"
    REFUSED_REQUEST = "refused-request"
    DENIED = "denied"

    @property
    def waits(self) -> bool:
        """Whether the same call may work later, unchanged."""
        return self in {Failure.RATE_LIMIT, Failure.SERVER, Failure.TIMEOUT, Failure.CONNECTION}

    @property
    def is_answer(self) -> bool:
        """Whether the model answered, and was paid, but not as it was told to."""
        return self in {Failure.MALFORMED, Failure.TRUNCATED, Failure.NO_TOOL_CALL}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens the provider says it counted."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Sum of both."""
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


NO_USAGE = Usage()


class CallError(Exception):
    """One call failed. Never leaves this package: it is retried, or counted in the report.

    ``retry_after`` is the provider's header as it came, empty where there was none; ``usage`` is what the
    failed answer cost. The message holds no key and at most one line of the provider's text.
    """

    def __init__(
        self, failure: Failure, message: str, *, retry_after: str = "", usage: Usage = NO_USAGE
    ) -> None:
        self.failure, self.retry_after, self.usage = failure, retry_after, usage
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Tool:
    """The one function the model must call; ``schema`` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One question: instructions, material, and the tool that takes the answer."""

    system: str
    user: str
    tool: Tool
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The tool's arguments as JSON text, exactly as the model wrote them, not yet validated."""

    arguments: bytes
    usage: Usage


@runtime_checkable
class LlmClient(Protocol):
    """Asks one model; many threads may call it at a time."""

    @property
    def model(self) -> str:
        """``provider:model``; judgments of two models never mix."""
        ...

    def ask(self, request: ToolRequest) -> ToolReply:
        """Send one request, once; raises ``CallError``, or ``LlmError`` where no call can work."""
        ...


@runtime_checkable
class Clock(Protocol):
    """Time, handed in so that tests need not wait."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Block the calling thread."""
        time.sleep(seconds)

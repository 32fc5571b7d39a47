"""A clock that does not wait, and settings under which calls come in order."""

from __future__ import annotations

from collections.abc import Callable

from skillquiver.graph.llm.client import AnthropicClient, OpenAiClient
from skillquiver.settings import LlmSettings

Client = OpenAiClient | AnthropicClient
ClientMaker = Callable[..., Client]

ONE_BY_ONE = LlmSettings(concurrency=1)
"""Calls in order, so that scripted answers meet the calls they are meant for."""


class RecordingClock:
    """A clock whose sleeps take no time and are remembered."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.time, self.slept = start, list[float]()

    def now(self) -> float:
        """Start, plus what was slept."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Note it and move on."""
        self.slept.append(seconds)
        self.time += seconds

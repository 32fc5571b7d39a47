"""A local provider, clients for both of its protocols, and a clock that does not wait."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.client import AnthropicClient, OpenAiClient, open_client
from skillquiver.settings import LlmSettings
from tests.graph.llm.provider import KEY, LocalProvider, running

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


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the vendors' libraries from reading this machine's proxies, addresses and keys."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with running() as server:
        yield server


@pytest.fixture
def connect(provider: LocalProvider) -> Iterator[ClientMaker]:
    """Opens clients of the local provider and closes them at the end."""
    opened: list[Client] = []

    def make(protocol: str = "openai", settings: LlmSettings = ONE_BY_ONE, url: str = "") -> Client:
        base = url or (provider.openai_url if protocol == "openai" else provider.anthropic_url)
        client = open_client(
            f"{protocol}:test-model", environ={}, base_url=base, api_key=KEY, settings=settings
        )
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[SqliteJudgmentCache]:
    kept = SqliteJudgmentCache.open(tmp_path / "library.sqlite3")
    yield kept
    kept.close()


@pytest.fixture
def clock() -> RecordingClock:
    return RecordingClock()


def ids(*names: str) -> Sequence[str]:
    """Ids of test skills by name."""
    return [f"test/{name}" for name in names]

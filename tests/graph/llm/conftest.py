"""A local provider, clients for both of its protocols, and a clock that does not wait."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.client import open_client
from skillquiver.settings import LlmSettings
from tests.graph.llm.bench import Bench
from tests.graph.llm.provider import KEY, LocalProvider, running
from tests.graph.llm.support import ONE_BY_ONE, Client, ClientMaker, RecordingClock


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


@pytest.fixture
def bench(
    provider: LocalProvider, connect: ClientMaker, cache: SqliteJudgmentCache, clock: RecordingClock
) -> Bench:
    return Bench(provider, connect, cache, clock)

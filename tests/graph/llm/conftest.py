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


@pytest.fixture(scope="session")
def _server() -> Iterator[LocalProvider]:
    with running() as server:
        yield server


@pytest.fixture
def provider(_server: LocalProvider) -> LocalProvider:
    """The session's server as if it had just been started."""
    _server.forget()
    return _server


@pytest.fixture(scope="session")
def _clients() -> Iterator[dict[tuple[str, str, LlmSettings], Client]]:
    """Clients by protocol, address and settings: opening one reads the machine's certificates, 0.1 s."""
    opened: dict[tuple[str, str, LlmSettings], Client] = {}
    yield opened
    for client in opened.values():
        client.close()


@pytest.fixture
def connect(provider: LocalProvider, _clients: dict[tuple[str, str, LlmSettings], Client]) -> ClientMaker:
    """Gives clients of the local provider; the same one for the same settings."""

    def make(protocol: str = "openai", settings: LlmSettings = ONE_BY_ONE, url: str = "") -> Client:
        base = url or (provider.openai_url if protocol == "openai" else provider.anthropic_url)
        if (protocol, base, settings) not in _clients:
            _clients[protocol, base, settings] = open_client(
                f"{protocol}:test-model", environ={}, base_url=base, api_key=KEY, settings=settings
            )
        return _clients[protocol, base, settings]

    return make


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

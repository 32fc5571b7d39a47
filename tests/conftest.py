"""Fixtures every test shares."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _no_user_directories(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point every per-user folder into a temporary one, so that no test reads or writes a real one."""
    home: Path = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.delenv("QUIVER_LIBRARY", raising=False)

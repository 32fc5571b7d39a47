"""The libraries that the gateway's tests share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.serve.http.helpers import Place, make_place


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("gateway")).folder


@pytest.fixture
def place(libraries: Path, tmp_path: Path) -> Place:
    """A copy of the libraries, without tokens."""
    shutil.copytree(libraries, tmp_path / "place")
    return Place(tmp_path / "place")

"""A library of the household skills, with its vectors and its graph."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject

HOUSEHOLD = Path(__file__).parents[3] / "examples" / "household"


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("household") / "library"
    index_library(folder, [f"household={HOUSEHOLD}"])
    build_library_graph(folder)
    return folder


@pytest.fixture
def subject(library: Path) -> Iterator[LibrarySubject]:
    with open_subject(library) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("OPENAI_", "QUIVER_")):
            monkeypatch.delenv(name)

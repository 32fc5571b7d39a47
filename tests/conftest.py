"""Fixtures every test shares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillquiver.index.encoders import open_minilm
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.types import Encoder
from tests.sample import write_sample


@pytest.fixture(autouse=True)
def _no_user_directories(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point every per-user folder into a temporary one, so that no test reads or writes a real one."""
    home: Path = tmp_path_factory.mktemp("home")
    places = ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "RUNTIME_DIR")
    for variable in ("HOME", "USERPROFILE", *(f"XDG_{place}" for place in places)):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.delenv("QUIVER_LIBRARY", raising=False)


@pytest.fixture(scope="session")
def minilm() -> Encoder:
    """The packaged encoder, loaded once."""
    return open_minilm()


@pytest.fixture(scope="session")
def plugin_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on ``sys.path`` with an installed distribution that registers the encoder ``hash``."""
    folder = tmp_path_factory.mktemp("plugins")
    write_plugin(folder, version="1.0")
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def hash_plugin(plugin_folder: Path) -> str:
    """Name under which ``testing.HashEncoder`` is registered, as a third party would register its own."""
    return "hash"


def write_plugin(folder: Path, *, version: str, target: str = "skillquiver.testing:HashEncoder") -> None:
    """Install a distribution without code that registers ``target`` as the encoder ``hash``."""
    info = folder / "hash_encoder.dist-info"
    info.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: hash-encoder\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    points = f"[skillquiver.encoders]\nhash = {target}\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")


@pytest.fixture(scope="session")
def sample_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample skills. Nothing may be changed there."""
    root = tmp_path_factory.mktemp("sample") / "sample"
    write_sample(root)
    return root


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, sample_root: Path) -> Path:
    """The library of the sample skills, vectors of the packaged encoder included. For reading only."""
    library = tmp_path_factory.mktemp("sample-library")
    index_library(library, [str(sample_root)])
    return library

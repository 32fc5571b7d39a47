from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.libraries import index, put


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder of its own, with a name short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="sq-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("QUIVER_HOOK_SECONDS", "300")  # a slow machine is not what these tests are about
    for variable in ("QUIVER_RECORD", "QUIVER_WARM"):
        monkeypatch.delenv(variable, raising=False)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lexical library of 41 skills, one of which converts CSV files. For reading only."""
    folder = tmp_path_factory.mktemp("hooked")
    put(folder / "tools", "csv-parquet", "Converts csv files into parquet with typed columns.")
    for number, thing in enumerate(_THINGS):
        put(
            folder / "tools",
            f"{thing}-{number}",
            f"Paints a {thing} in oil.",
            f"Mix colours for the {thing}.",
        )
    index(folder / "library", folder / "tools", vectors=False)
    return folder / "library"


_THINGS = (
    "apple barn castle desert eagle forest garden harbour island jungle kettle lion mountain night ocean "
    "palace queen river sunset tower umbrella valley window xylophone yard zebra bridge cliff dune elephant "
    "flower glacier horse igloo jar kite lake moon nest owl"
).split()

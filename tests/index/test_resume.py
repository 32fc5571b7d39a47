"""A run that is killed at any event is completed by the next one, with the result of a fresh build."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skillquiver.errors import LibraryLockedError
from skillquiver.index.store import Store
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import search
from tests.libraries import index, put, snapshot

REPOSITORY = Path(__file__).parents[2]
QUERIES = ("reads csv files", "draws charts", "nothing of the kind")


def start(library: Path, root: Path, stop_at: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.index.indexing_process", str(library), str(root), str(stop_at)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    return subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


def stopped(process: subprocess.Popen[str]) -> str:
    """Wait until the process stands at its event; returns the event."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    for i in range(6):
        put(folder, f"s{i}", f"Reads file number {i}.", f"Word{i} " * 5)
    put(folder, "csv", "Reads CSV files.")
    put(folder, "old/csv", "Reads CSV files.")
    put(folder, "charts", "Draws charts.")
    return folder


def edit(root: Path) -> None:
    put(root, "s0", "Reads other files.")
    put(root, "new", "Draws maps.")
    shutil.rmtree(root / "csv")  # its mirror comes back
    (root / "s1").rename(root / "moved")
    (root / "s2" / "SKILL.md").write_bytes(b"")


def events(tmp_path: Path, root: Path, *, copy_of: Path | None = None) -> int:
    library = tmp_path / "rehearsal"
    if copy_of is not None:
        shutil.copytree(copy_of, library)
    with start(library, root, 0) as process:
        return int(stopped(process))


def test_a_first_run_killed_at_each_event_is_completed_by_the_next(tmp_path: Path, root: Path) -> None:
    total = events(tmp_path, root)
    assert total >= 7  # reading, lexical index, vectors in two commits: begin and end of each
    fresh = tmp_path / "fresh"
    index(fresh, root)
    expected = snapshot(fresh, QUERIES)
    for number in range(1, total + 1):
        library = tmp_path / f"killed-{number}"
        process = start(library, root, number)
        event = stopped(process)
        kill(process)
        index(library, root)
        assert snapshot(library, QUERIES) == expected, event


def test_an_update_killed_at_each_event_is_completed_by_the_next(tmp_path: Path, root: Path) -> None:
    before = tmp_path / "before"
    index(before, root)
    edit(root)
    fresh = tmp_path / "fresh"
    index(fresh, root)
    expected = snapshot(fresh, QUERIES)
    for number in range(1, events(tmp_path, root, copy_of=before) + 1):
        library = tmp_path / f"killed-{number}"
        shutil.copytree(before, library)
        process = start(library, root, number)
        event = stopped(process)
        kill(process)
        index(library)
        assert snapshot(library, QUERIES) == expected, event


def test_a_second_writer_is_told_who_the_first_is_and_readers_go_on(tmp_path: Path, root: Path) -> None:
    library = tmp_path / "library"
    index(library, root)
    put(root, "later", "Sings songs.")
    process = start(library, root, 1)
    try:
        assert stopped(process).startswith("reading skills")
        with pytest.raises(
            LibraryLockedError, match=rf"process {process.pid} \(.*indexing_process.*is writing"
        ):
            index(library, root)
        with Store.opened(library) as store:
            assert store.count() == 8
        with open_library(library, lexical=True) as opened:
            assert search(opened, "draws charts").results[0].id == "skills/charts"
    finally:
        kill(process)
    assert index(library, root).added == 1  # the lock went with its holder


def test_vectors_that_were_computed_before_a_kill_are_not_computed_again(tmp_path: Path, root: Path) -> None:
    library = tmp_path / "library"
    total = events(tmp_path, root)
    process = start(library, root, total - 1)  # the first of two commits of vectors is done
    assert stopped(process) == "vectors 4/8"
    kill(process)
    assert index(library, root).vectors == 4


def test_words_find_skills_while_vectors_are_missing_and_the_answer_says_so(
    tmp_path: Path, root: Path
) -> None:
    library = tmp_path / "library"
    process = start(library, root, events(tmp_path, root) - 2)
    try:
        assert stopped(process) == "vectors 0/8"
        with open_library(library) as opened:
            ranking = search(opened, "draws charts")
        assert ranking.results[0].id == "skills/charts"
        assert "vectors are not ready" in ranking.degraded
    finally:
        kill(process)

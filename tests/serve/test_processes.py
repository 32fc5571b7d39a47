"""The command as people and scripts start it: a process, a pipe, an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import search
from tests.libraries import index, put


def quiver(*arguments: str, library: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        [sys.executable, "-m", "skillquiver", *arguments],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "QUIVER_LIBRARY": str(library), **environment},
        check=False,
    )


def test_commands_in_a_pipe_print_json_and_nothing_else(
    tmp_path: Path, plugin_folder: Path, hash_plugin: str
) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "pdf", "Fills in forms.")
    put(root, "video", "Cuts videos.")
    for arguments, code in (
        (("index", str(root), "--encoder", hash_plugin, "--json"), 0),
        (("search", "fill in forms", "--json"), 0),
        (("bundle", "bake a cake", "--json"), 1),
        (("show", "pdf", "--json"), 0),
        (("doctor", "--json"), 0),
        (("show", "/etc/passwd", "--json"), 2),
        (("search", "--json"), 2),
    ):
        run = quiver(*arguments, library=library)
        assert (run.returncode, run.stderr) == (code, b""), arguments
        assert isinstance(json.loads(run.stdout), dict)


def test_indexing_in_a_pipe_shows_no_progress(tmp_path: Path) -> None:
    put(tmp_path / "skills", "pdf", "Fills in forms.")
    run = quiver("index", str(tmp_path / "skills"), "--no-vectors", library=tmp_path / "library")
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.startswith(b"1 skills: 1 added\n")


def test_a_terminal_that_knows_only_ascii_gets_readable_text(sample: Path) -> None:
    run = quiver("search", "转换", "--lexical", library=sample, PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert b"sample/csv-parquet" in run.stdout
    assert run.stdout.isascii()


def test_arguments_need_not_be_unicode(sample: Path) -> None:
    run = subprocess.run(
        [sys.executable.encode(), b"-m", b"skillquiver", b"search", b"pdf \xff form", b"--json"],
        capture_output=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "QUIVER_LIBRARY": str(sample),
        },
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert json.loads(run.stdout)["results"][0]["id"] == "sample/pdf"


def test_damage_is_a_message_without_a_traceback(tmp_path: Path) -> None:
    put(tmp_path / "skills", "pdf", "Fills in forms.")
    library = tmp_path / "library"
    index(library, tmp_path / "skills")
    file = library / "library.sqlite3"
    file.write_bytes(file.read_bytes()[:4096] + b"\xa5" * 20_000)
    run = quiver("search", "forms", library=library)
    assert (run.returncode, run.stdout) == (3, b"")
    assert run.stderr.startswith(b"quiver: ")
    assert b"Traceback" not in run.stderr


# --- no rescan ------------------------------------------------------------------------------------------

COUNTING = """
import sys
counted = {"os.scandir": 0, "os.listdir": 0}
def count(event, arguments):
    if event in counted and str(arguments[0]).startswith(sys.argv[1]):
        counted[event] += 1
sys.addaudithook(count)
from pathlib import Path
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import search
with open_library(Path(sys.argv[2]), lexical=True) as library:
    for number in range(100):
        assert search(library, f"handle case number {number}").results
print(sum(counted.values()))
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A root with 1,100 skills, ten to a folder, and its library without vectors."""
    root = tmp_path_factory.mktemp("many") / "skills"
    for i in range(1_100):
        put(root, f"group-{i // 10}/deep/s{i}", f"Handles case number {i}.", f"Step {i}.")
    library = tmp_path_factory.mktemp("many-library")
    assert index(library, root, vectors=False).skills == 1_100
    return root, library


def test_a_hundred_questions_do_not_look_into_the_root_once(many: tuple[Path, Path]) -> None:
    root, library = many
    run = subprocess.run(
        [sys.executable, "-c", COUNTING, str(root), str(library)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
        check=True,
    )
    assert run.stdout.strip() == "0"


def test_one_nested_edit_among_many_is_seen_at_the_next_index(many: tuple[Path, Path]) -> None:
    root, library = many
    put(root, "group-77/deep/s770", "Handles zeppelins.", "Moor the zeppelin.")
    report = index(library, vectors=False)
    assert (report.changed, report.unchanged, report.edited) == (1, 1_099, ("skills/group-77/deep/s770",))
    with open_library(library, lexical=True) as opened:
        assert search(opened, "zeppelin").results[0].id == "skills/group-77/deep/s770"

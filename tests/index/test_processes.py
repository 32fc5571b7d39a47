"""What indexing does to the machine around it, seen from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CREW = """
import os, signal
from skillquiver.index.reading import INLINE, crew

def work(chunk):
    os.write(1, b"working\\n")
    signal.pause()

if __name__ == "__main__":
    with crew(2) as team:
        list(team.map(work, list(range(INLINE))))
"""

ENCODE = """
from skillquiver.index.encoders import open_encoder
open_encoder().encode(["a text"])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_worker_processes_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "crew.py"
    script.write_text(CREW, encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"working\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        output.read()  # ends only when no worker holds the pipe any more


def test_the_encoder_writes_nothing_into_the_home_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", ENCODE], check=True, env=environment)
    assert list(tmp_path.rglob("*")) == []

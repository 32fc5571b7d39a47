"""Kill indexing at random moments; the next run must complete and equal a fresh build.

    python -m benchmarks.kills ROOT QUERIES.jsonl [--kills 10] [--seed 0]

Moments are drawn over the whole length of an undisturbed run. After each kill the index is run to its end
and compared with the undisturbed library: ids, records, findings, and the rankings of the queries.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from skillquiver.index.store import Store
from skillquiver.serve.usecases.library import open_library


def main() -> None:
    """Kill, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[:50]
    queries = [json.loads(line)["query"] for line in lines]
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        finish(Path(folder) / "whole", given.root)
        length = time.perf_counter() - started
        whole = content(Path(folder) / "whole", queries)
        for number in range(given.kills):
            library = Path(folder) / f"killed-{number}"
            moment = draw.uniform(0.2, length)
            done = kill(library, given.root, moment)
            finish(library, given.root)
            same = content(library, queries) == whole
            print(f"killed after {moment:6.1f} s ({done}): {'equal' if same else 'DIFFERENT'}", flush=True)


def command(library: Path, root: Path) -> list[str]:
    """The command a user runs."""
    return [
        sys.executable,
        "-m",
        "skillquiver",
        "index",
        f"bench={root}",
        "--library",
        str(library),
        "--json",
    ]


def finish(library: Path, root: Path) -> None:
    """Index to the end."""
    subprocess.run(command(library, root), check=True, capture_output=True)


def kill(library: Path, root: Path, moment: float) -> str:
    """Start indexing, SIGKILL it after ``moment`` seconds; returns what the store held by then."""
    process = subprocess.Popen(command(library, root), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if not (library / "library.sqlite3").exists():
        return "no library yet"
    with contextlib.closing(Store.open(library)) as store:
        return f"{len(store.lights()):,} files, generation {store.generation}"


def content(library: Path, queries: list[str]) -> list[Any]:
    """Everything a user can see, with paths and without internal row numbers."""
    with open_library(library) as opened:
        skills = [skill for _, skill in opened.store.all_skills()]
        rankings = [
            [(r.id, round(r.score, 4)) for r in opened.ranker.rank(q, top_k=10).results] for q in queries
        ]
        return [skills, opened.store.findings(), rankings]


if __name__ == "__main__":
    main()

"""Hooks as a host starts them: whole processes, with and without a warm server, quiet and with busy cores.

    python -m benchmarks.hook_latency LIBRARY QUERIES.jsonl [--limit 200] [--busy 2] [--control 20]

Every run is one process of `quiver hook prompt`, which hosts start, with one prompt; each must print one
JSON document and end with 0. Beside the times stand those of ``python -c pass`` and of ``import click`` from
the same minute. ``--busy`` repeats everything with that many processes that only count. Messages that are no
requests must get nothing.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from skillquiver.serve.hook.client import exchange
from skillquiver.serve.hook.sockets import socket_file

NO_REQUESTS = (
    "/deploy staging",
    "/pdf",
    "yes",
    "continue",
    "ok, go ahead please",
    "ja, mach weiter",
    "继续",
    "はい、続けてください",
    "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>",
    "[SYSTEM NOTIFICATION - NOT USER INPUT] The tests have finished.",
    "Scheduled task: convert the pdf forms of last night",
)

SECONDS_TO_WARM = 60


def prompts(file: Path, limit: int) -> list[str]:
    """The first queries that have a gold answer."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [row["query"] for row in rows if row["gold"]][:limit]


def timed(words: Sequence[str], data: bytes = b"") -> tuple[float, bytes]:
    """Milliseconds of a whole process, and what it printed."""
    started = time.perf_counter()
    run = subprocess.run(words, input=data, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000, run.stdout


def suggested(printed: bytes) -> bool:
    """Whether the one document that was printed adds anything."""
    (line,) = printed.splitlines()
    return bool(json.loads(line)["hookSpecificOutput"]["additionalContext"])


def row(name: str, times: Sequence[float], base: float, note: str = "") -> None:
    """One line of the table; the last figures are medians over that of ``python -c pass``."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    print(
        f"| {name} | {statistics.median(times):.0f} | {cuts[94]:.0f} | {cuts[98]:.0f} | "
        f"{statistics.median(times) / base:.1f} | {note} |",
        flush=True,
    )


def measure(label: str, asked: Sequence[str], control: int) -> None:
    """Print the rows of one state of the machine and of the server."""
    nothing = [timed([sys.executable, "-c", "pass"])[0] for _ in range(control)]
    base = statistics.median(nothing)
    row(f"{label}: python -c pass", nothing, base)
    row(
        f"{label}: import click",
        [timed([sys.executable, "-c", "import click"])[0] for _ in range(control)],
        base,
    )
    words = [str(Path(sys.executable).with_name("quiver")), "hook", "prompt"]
    runs = [timed(words, json.dumps({"prompt": prompt}).encode()) for prompt in asked]
    found = sum(suggested(printed) for _, printed in runs)
    row(f"{label}: hook", [ms for ms, _ in runs], base, f"{found} of {len(runs)} suggest")
    runs = [timed(words, json.dumps({"prompt": text}).encode()) for text in NO_REQUESTS]
    found = sum(suggested(printed) for _, printed in runs)
    row(f"{label}: no requests", [ms for ms, _ in runs], base, f"{found} of {len(runs)} suggest")


@contextmanager
def warm(library: Path) -> Iterator[None]:
    """Run a warm server until the end of the block; its encoder is loaded."""
    server = subprocess.Popen([sys.executable, "-m", "skillquiver", "warm", "--library", str(library)])
    event = b'{"prompt": "fill in a pdf form"}'
    ends = time.monotonic() + SECONDS_TO_WARM
    try:
        while time.monotonic() < ends:
            try:
                head, _ = exchange(socket_file(str(library), os.environ), str(library), event, seconds=5)
            except OSError:
                head = b"not there yet"
            if head.strip() == b"ok":
                break
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def spin() -> None:
    """Keep one core busy."""
    while True:
        pass


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep that many cores busy until the end of the block."""
    started = [multiprocessing.Process(target=spin, daemon=True) for _ in range(processes)]
    for one in started:
        one.start()
    try:
        yield
    finally:
        for one in started:
            one.terminate()
            one.join()


def main() -> None:
    """Print one table: milliseconds at p50, p95, p99, and the ratio of the median to a bare start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--control", type=int, default=20)
    parser.add_argument("--busy", type=int, default=0)
    given = parser.parse_args()
    library = given.library.absolute()
    os.environ["QUIVER_LIBRARY"] = str(library)
    asked = prompts(given.queries, given.limit)
    print("| run | p50 ms | p95 | p99 | over pass | |\n| --- | --- | --- | --- | --- | --- |")
    with ExitStack() as stack:
        os.environ["XDG_RUNTIME_DIR"] = stack.enter_context(tempfile.TemporaryDirectory())
        for state, load in (("", 0), ("busy, ", given.busy)):
            if state and not load:
                continue
            with busy(load):
                measure(f"{state}lexical", asked, given.control)
                with warm(library):
                    measure(f"{state}warm", asked, given.control)


if __name__ == "__main__":
    main()

"""Latency: warm searches and bundles on one open library, and cold processes.

    python -m benchmarks.latency LIBRARY QUERIES.jsonl [--cold 7] [--limit 300]

Warm times include the encoder. Cold times are whole processes: the median and the range of ``--cold`` runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import bundle, search

WARM_UP = 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--cold", type=int, default=7)
    parser.add_argument("--limit", type=int, default=300)
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    queries = [json.loads(line)["query"] for line in lines]
    with open_library(given.library) as opened:
        print(f"{opened.store.count():,} skills, {len(queries)} queries")
        warm("search", queries, lambda query: search(opened, query))
        warm("bundle 2,000", queries, lambda query: bundle(opened, query, budget=2000))
        warm("bundle 8,000", queries, lambda query: bundle(opened, query, budget=8000))
        name = next(iter(opened.store.all_ids()))
    with open_library(given.library, lexical=True) as opened:
        warm("search --lexical", queries, lambda query: search(opened, query))
    for words in (
        ["search", "fill in a PDF form"],
        ["search", "--lexical", "fill in a PDF form"],
        ["show", name],
    ):
        cold(words, given.library, given.cold)


def warm(label: str, queries: list[str], ask: Callable[[str], object]) -> None:
    """Print p50 and p95 in milliseconds."""
    for query in queries[:WARM_UP]:
        ask(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(
        f"warm {label:18} p50 {times[len(times) // 2]:7.1f} ms, p95 {times[int(len(times) * 0.95)]:7.1f} ms"
    )


def cold(words: list[str], library: Path, runs: int) -> None:
    """Print the median and range of whole processes, after one that is not counted."""
    times = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        command = [sys.executable, "-m", "skillquiver", *words, "--library", str(library), "--json"]
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    kept = sorted(times[1:])
    print(
        f"cold {' '.join(words)[:40]:42} median {statistics.median(kept):.2f} s "
        f"({kept[0]:.2f}-{kept[-1]:.2f})"
    )


if __name__ == "__main__":
    main()

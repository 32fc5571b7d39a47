"""Latency: warm searches and bundles on open libraries, how they compare, and cold processes.

    python -m benchmarks.latency LIBRARY [LIBRARY ...] QUERIES.jsonl [--cold 7] [--limit 300] [--json]

Warm times include the encoder. Each query is searched and bundled in turn, in an order that changes from
query to query, so that a machine that slows down slows all of them; the ratio is the median over queries of
bundle time to search time. Cold times are whole processes: the median and the range of ``--cold`` runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import bundle, search

WARM_UP = 10

Ask = Callable[[str], object]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", type=Path, nargs="+", metavar="LIBRARY")
    parser.add_argument("queries", type=Path)
    parser.add_argument("--cold", type=int, default=7, help="0 leaves them out")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    queries = [json.loads(line)["query"] for line in lines]
    measured = [measure(library, queries, cold_runs=given.cold) for library in given.libraries]
    if given.json:
        print(json.dumps(measured, indent=1))
    else:
        print("\n\n".join(map(text_of, measured)))


def measure(library: Path, queries: Sequence[str], *, cold_runs: int) -> dict[str, Any]:
    """Everything about one library: milliseconds, seconds for processes, and ratios."""
    with open_library(library) as opened:
        skills, name = opened.store.count(), next(iter(opened.store.all_ids()))
        times = interleaved(
            queries,
            {
                "search": lambda query: search(opened, query),
                "bundle 2,000": lambda query: bundle(opened, query, budget=2000),
                "bundle 8,000": lambda query: bundle(opened, query, budget=8000),
            },
        )
    with open_library(library, lexical=True) as opened:
        times |= interleaved(queries, {"search --lexical": lambda query: search(opened, query)})
    return {
        "library": library.name,
        "skills": skills,
        "queries": len(queries),
        "warm_ms": {label: percentiles(found) for label, found in times.items()},
        "ratio_to_search": {
            label: round(statistics.median(map(float.__truediv__, times[label], times["search"])), 3)
            for label in ("bundle 2,000", "bundle 8,000")
        },
        "cold_s": cold(library, name, cold_runs) if cold_runs else {},
    }


def interleaved(queries: Sequence[str], asked: Mapping[str, Ask]) -> dict[str, list[float]]:
    """Milliseconds by query of each way to ask; every query is asked in each way before the next."""
    for query in queries[:WARM_UP]:
        for ask in asked.values():
            ask(query)
    times: dict[str, list[float]] = {label: [] for label in asked}
    labels = list(asked)
    for number, query in enumerate(queries):
        turn = number % len(labels)
        for label in labels[turn:] + labels[:turn]:
            started = time.perf_counter()
            asked[label](query)
            times[label].append((time.perf_counter() - started) * 1000)
    return times


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile, by nearest rank."""
    ordered = sorted(times)
    return {
        "p50": round(ordered[len(ordered) // 2], 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
    }


def cold(library: Path, name: str, runs: int) -> dict[str, dict[str, float]]:
    """Median and range in seconds of whole processes, after one that is not counted."""
    found = {}
    for words in (
        ["search", "fill in a PDF form"],
        ["search", "--lexical", "fill in a PDF form"],
        ["show", name],
    ):
        times = []
        for _ in range(runs + 1):
            started = time.perf_counter()
            command = [sys.executable, "-m", "skillquiver", *words, "--library", str(library), "--json"]
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - started)
        kept = [round(took, 3) for took in sorted(times[1:])]
        found[" ".join(words)] = {"median": statistics.median(kept), "least": kept[0], "most": kept[-1]}
    return found


def text_of(measured: Mapping[str, Any]) -> str:
    """One library for people."""
    lines = [f"{measured['library']}: {measured['skills']:,} skills, {measured['queries']} queries"]
    for label, found in measured["warm_ms"].items():
        ratio = measured["ratio_to_search"].get(label)
        told = f", {ratio:.3f} times the search" if ratio else ""
        lines.append(f"warm {label:18} p50 {found['p50']:7.1f} ms, p95 {found['p95']:7.1f} ms{told}")
    for label, found in measured["cold_s"].items():
        spread = f"({found['least']:.2f}-{found['most']:.2f})"
        lines.append(f"cold {label[:40]:42} median {found['median']:.2f} s {spread}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

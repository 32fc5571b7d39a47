#!/usr/bin/env python3
"""Aggregate requests.csv per route: count, p50, p95, total seconds, share of 5xx."""

import argparse
import csv
import math
import re
import sys
from collections import defaultdict
from pathlib import Path

IDENTIFIER = re.compile(r"^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,})$", re.IGNORECASE)


def route(method: str, path: str) -> str:
    parts = [":id" if IDENTIFIER.match(part) else part for part in path.split("/")]
    return f"{method} {'/'.join(parts)}"


def percentile(ordered: list[float], share: float) -> float:
    """Nearest rank: the smallest value with at least ``share`` of all values at or below it."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", type=Path, help="CSV with method, path, status, seconds")
    parser.add_argument("--output", type=Path, default=Path("endpoints.csv"))
    args = parser.parse_args()
    times: dict[str, list[float]] = defaultdict(list)
    errors: dict[str, int] = defaultdict(int)
    with args.requests.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if not row["seconds"]:
                continue
            name = route(row["method"], row["path"])
            times[name].append(float(row["seconds"]))
            errors[name] += row["status"].startswith("5")
    if not times:
        raise SystemExit("no request has a duration; add $request_time to the log format")
    table = []
    for name, values in times.items():
        values.sort()
        total = sum(values)
        share = errors[name] / len(values)
        table.append((name, len(values), percentile(values, 0.5), percentile(values, 0.95), total, share))
    table.sort(key=lambda line: (-line[4], line[0]))
    with args.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["route", "requests", "p50", "p95", "total_seconds", "error_share"])
        for name, count, p50, p95, total, share in table:
            writer.writerow([name, count, f"{p50:.3f}", f"{p95:.3f}", f"{total:.1f}", f"{share:.3f}"])
    print(f"{len(table)} routes, slowest in total: {table[0][0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

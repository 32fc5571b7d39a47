#!/usr/bin/env python3
"""List the intervals of energy.json that stay below a threshold for long enough."""

import argparse
import json
import sys
from itertools import groupby
from pathlib import Path

THIRD = 1 / 3  # nearer to the noise than to the voice: a missed pause costs less than a cut word


def adaptive_threshold(levels: list[float]) -> float:
    ordered = sorted(levels)
    last = len(ordered) - 1
    quiet, loud = ordered[round(0.1 * last)], ordered[round(0.9 * last)]
    return round(quiet + THIRD * (loud - quiet), 2)


def intervals(levels: list[float], window: float, threshold: float, shortest: float) -> list[dict]:
    found, position = [], 0
    for quiet, run in groupby(levels, key=lambda level: level < threshold):
        length = sum(1 for _ in run)
        if quiet and length * window >= shortest:
            start, end = position * window, (position + length) * window
            found.append({"start": round(start, 3), "end": round(end, 3)})
        position += length
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("energy", type=Path, help="energy.json")
    parser.add_argument("--threshold-db", type=float, help="fixed limit instead of the adaptive one")
    parser.add_argument("--min-seconds", type=float, default=1.5)
    parser.add_argument("--output", type=Path, default=Path("silences.json"))
    args = parser.parse_args()
    energy = json.loads(args.energy.read_text(encoding="utf-8"))
    levels = energy["rms_db"]
    if not levels:
        raise SystemExit(f"{args.energy}: no windows")
    threshold = adaptive_threshold(levels) if args.threshold_db is None else args.threshold_db
    found = intervals(levels, energy["window_s"], threshold, args.min_seconds)
    for interval in found:
        interval["end"] = min(interval["end"], energy["duration_s"])
    result = {
        "kind": "silence",
        "duration_s": energy["duration_s"],
        "threshold_db": threshold,
        "intervals": found,
    }
    args.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    total = sum(interval["end"] - interval["start"] for interval in found)
    print(f"{len(found)} silences, {total:.1f} s, below {threshold} dB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

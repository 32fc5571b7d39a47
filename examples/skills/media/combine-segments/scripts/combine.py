#!/usr/bin/env python3
"""Unite or intersect interval lists and write what is removed and what is kept."""

import argparse
import json
import sys
from pathlib import Path

Interval = tuple[float, float]


def fuse(intervals: list[Interval], gap: float) -> list[Interval]:
    """Sort; join intervals that overlap or lie at most ``gap`` apart."""
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start - joined[-1][1] <= gap:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def intersect(left: list[Interval], right: list[Interval]) -> list[Interval]:
    pairs = [(max(a, c), min(b, d)) for a, b in left for c, d in right]
    return sorted((start, end) for start, end in pairs if start < end)


def shrink(intervals: list[Interval], pad: float, duration: float) -> list[Interval]:
    """Take ``pad`` off both ends, except at the borders of the recording."""
    result = []
    for start, end in intervals:
        start = start if start <= 0 else start + pad
        end = end if end >= duration else end - pad
        if start < end:
            result.append((start, end))
    return result


def complement(removed: list[Interval], duration: float) -> list[Interval]:
    kept, position = [], 0.0
    for start, end in removed:
        if start > position:
            kept.append((position, start))
        position = end
    if position < duration:
        kept.append((position, duration))
    return kept


def as_json(intervals: list[Interval]) -> list[dict]:
    return [{"start": round(start, 3), "end": round(end, 3)} for start, end in intervals]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", type=Path, nargs="+", help="JSON files with duration_s and intervals")
    parser.add_argument("--mode", choices=("any", "all"), default="any")
    parser.add_argument("--gap", type=float, default=0.5, help="fuse removals this close (seconds)")
    parser.add_argument("--pad", type=float, default=0.2, help="keep this much at each side of a removal")
    parser.add_argument("--min-remove", type=float, default=1.0, help="forget shorter removals")
    parser.add_argument("--output", type=Path, default=Path("segments.json"))
    args = parser.parse_args()

    documents = [json.loads(path.read_text(encoding="utf-8")) for path in args.lists]
    duration = max(float(document["duration_s"]) for document in documents)
    lists = [
        fuse([(max(0.0, i["start"]), min(duration, i["end"])) for i in document["intervals"]], 0)
        for document in documents
    ]
    merged = lists[0]
    for other in lists[1:]:
        merged = intersect(merged, other) if args.mode == "all" else merged + other
    padded = shrink(fuse(merged, args.gap), args.pad, duration)
    removed = [(start, end) for start, end in padded if end - start >= args.min_remove]
    kept = complement(removed, duration)
    result = {
        "duration_s": duration,
        "remove": as_json(removed),
        "keep": as_json(kept),
        "kept_s": round(sum(end - start for start, end in kept), 3),
    }
    args.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"{len(removed)} removals, {result['kept_s']} of {duration} s kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())

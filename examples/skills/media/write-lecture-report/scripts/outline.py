#!/usr/bin/env python3
"""Group timed text into sections at long pauses and write them as Markdown."""

import argparse
import json
import sys
from pathlib import Path


def clock(seconds: float) -> str:
    whole = int(seconds)
    hours = f"{whole // 3600}:" if whole >= 3600 else ""
    return f"{hours}{whole // 60 % 60:02}:{whole % 60:02}"


def sections(segments: list[dict], pause: float, longest: float) -> list[list[dict]]:
    groups: list[list[dict]] = []
    for segment in segments:
        current = groups[-1] if groups else None
        if (
            current is None
            or segment["start"] - current[-1]["end"] >= pause
            or segment["end"] - current[0]["start"] > longest
        ):
            groups.append([segment])
        else:
            current.append(segment)
    return groups


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcript", type=Path)
    parser.add_argument("--pause", type=float, default=4.0, help="seconds of silence that start a section")
    parser.add_argument("--max-minutes", type=float, default=6.0)
    parser.add_argument("--output", type=Path, default=Path("outline.md"))
    args = parser.parse_args()
    segments = json.loads(args.transcript.read_text(encoding="utf-8"))["segments"]
    groups = sections(segments, args.pause, 60 * args.max_minutes)
    parts = [f"## {clock(group[0]['start'])}\n\n{' '.join(s['text'].strip() for s in group)}\n" for group in groups]
    args.output.write_text("\n".join(parts), encoding="utf-8")
    print(f"{len(groups)} sections")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Print the facts that matter out of ffprobe's JSON (-show_format -show_streams)."""

import argparse
import json
import sys
from datetime import timedelta
from fractions import Fraction
from pathlib import Path


def rate(text: str) -> Fraction:
    """Parse ``30000/1001``; ``0/0`` stands for unknown."""
    top, _, bottom = text.partition("/")
    return Fraction(int(top), int(bottom or 1)) if int(bottom or 1) else Fraction(0)


def rotation(stream: dict) -> int:
    for side in stream.get("side_data_list", []):
        if "rotation" in side:
            return int(side["rotation"])
    return int(stream.get("tags", {}).get("rotate", 0))


def lines(probe: dict):
    seconds = float(probe["format"].get("duration", 0))
    yield f"duration   {seconds:.1f} s ({timedelta(seconds=int(seconds))})"
    sound = 0
    for stream in probe["streams"]:
        if stream["codec_type"] == "video":
            nominal, average = rate(stream["r_frame_rate"]), rate(stream["avg_frame_rate"])
            size = f"{stream['width']}x{stream['height']}"
            yield f"video      {stream['codec_name']} {size}, {float(average):.5g} fps"
            if rotation(stream):
                yield f"rotation   {rotation(stream)} degrees"
            if average and abs(nominal - average) / average > Fraction(1, 100):
                yield "warning: variable frame rate"
        elif stream["codec_type"] == "audio":
            sound += 1
            language = stream.get("tags", {}).get("language", "und")
            detail = f"{stream['sample_rate']} Hz, {stream['channels']} channels, {language}"
            yield f"audio #{sound}   {stream['codec_name']}, {detail}"
    if not sound:
        yield "warning: no audio"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("probe", type=Path, help="JSON written by ffprobe")
    args = parser.parse_args()
    print("\n".join(lines(json.loads(args.probe.read_text(encoding="utf-8")))))
    return 0


if __name__ == "__main__":
    sys.exit(main())

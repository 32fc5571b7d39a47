#!/usr/bin/env python3
"""Print the ffmpeg command that renders the kept passages of segments.json."""

import argparse
import json
import shlex
import sys
from pathlib import Path

ENCODE_VIDEO = ["-c:v", "libx264", "-crf", "20", "-preset", "medium"]
ENCODE_AUDIO = ["-c:a", "aac", "-b:a", "160k", "-movflags", "+faststart"]


def graph(keep: list[dict], *, video: bool) -> str:
    """One trim per passage and stream, then a concat of all of them."""
    parts, labels = [], []
    for number, passage in enumerate(keep):
        span = f"start={passage['start']}:end={passage['end']}"
        if video:
            parts.append(f"[0:v]trim={span},setpts=PTS-STARTPTS[v{number}]")
            labels.append(f"[v{number}]")
        parts.append(f"[0:a]atrim={span},asetpts=PTS-STARTPTS[a{number}]")
        labels.append(f"[a{number}]")
    outputs = "[v][a]" if video else "[a]"
    parts.append(f"{''.join(labels)}concat=n={len(keep)}:v={int(video)}:a=1{outputs}")
    return ";".join(parts)


def command(keep: list[dict], source: str, target: str, *, video: bool) -> list[str]:
    words = ["ffmpeg", "-hide_banner", "-i", source, "-filter_complex", graph(keep, video=video)]
    if video:
        words += ["-map", "[v]", "-map", "[a]", *ENCODE_VIDEO, *ENCODE_AUDIO]
    else:
        words += ["-map", "[a]"]
    return [*words, target]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("segments", type=Path)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--audio-only", action="store_true")
    args = parser.parse_args()
    keep = json.loads(args.segments.read_text(encoding="utf-8"))["keep"]
    if not keep:
        raise SystemExit("nothing is kept")
    print(shlex.join(command(keep, args.source, args.target, video=not args.audio_only)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

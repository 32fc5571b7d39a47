"""What the encoder keeps in memory between queries, and what giving memory back takes.

    python -m benchmarks.encoder_memory QUERIES.jsonl [--limit 90]

Memory is what belongs to no file (``RssAnon``, Linux): before the encoder is opened, after the queries, and
after what is free was given back.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median

from skillquiver.index.encoders import open_encoder
from skillquiver.retrieve.windows import split_windows
from skillquiver.serve.memory import give_memory_back
from skillquiver.types import Encoder


def main() -> None:
    """Encode the windows of every query, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--limit", type=int, default=90)
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    windows = [list(split_windows(json.loads(line)["query"])) for line in lines]
    before, encoder = own_memory(), open_encoder()
    for texts in windows:
        encoder.encode(texts)
    after, (encoding, giving) = own_memory(), timed(encoder, windows)
    print(f"own memory: {before:.0f} MB before the encoder, {after:.0f} after {len(windows)} queries")
    print(f"{own_memory():.0f} MB after memory was given back")
    print(f"median of a query {encoding:.1f} ms, of giving back after it {giving:.2f} ms")


def timed(encoder: Encoder, windows: list[list[str]]) -> tuple[float, float]:
    """Median milliseconds of encoding a query, and of giving memory back after it."""
    encoding, giving = [], []
    for texts in windows:
        started = time.perf_counter()
        encoder.encode(texts)
        done = time.perf_counter()
        give_memory_back()
        encoding.append(done - started)
        giving.append(time.perf_counter() - done)
    return median(encoding) * 1000, median(giving) * 1000


def own_memory() -> float:
    """Megabytes that belong to no file."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()

"""Time and memory of indexing, beside the encoder's bare time for the same texts.

    python -m benchmarks.index_cost ROOT

Copies ROOT, indexes the copy, encodes the same distinct texts with the bare encoder, then indexes again
unchanged and after one edit, and prints seconds, ratios and peak memory. The bare encoder runs twice: as the
engine runs it, batches beside each other on one processor each, and batch after batch on all processors,
which is what onnxruntime does by itself. Times of one run on one machine; compare the ratios.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from skillquiver.index.encoders import open_encoder
from skillquiver.index.reading import dense_text
from skillquiver.index.store import Store

FEW = 8
"""Texts that make too few batches to run beside each other: each then has all processors."""


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy, library = Path(folder) / "root", Path(folder) / "library"
        shutil.copytree(given.root, copy)
        first = index(library, f"bench={copy}")
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        beside, after, texts = encode(library)
        again = index(library)
        edit(copy)
        edited = index(library)
    print(
        f"skills {first['skills']:,}, distinct texts {texts:,}, findings {sum(first['findings'].values()):,}"
    )
    print(f"lexical ready {first['lexical_ready_s']:.1f} s, done {first['total_s']:.1f} s")
    print(f"bare encoder, batches beside each other {beside:.1f} s; ratio {first['total_s'] / beside:.3f}")
    print(f"bare encoder, batch after batch {after:.1f} s; ratio {first['total_s'] / after:.3f}")
    print(f"peak memory of the largest process {memory:.0f} MB")
    print(
        f"whole process: nothing changed {again['process_s']:.2f} s, one file edited "
        f"{edited['process_s']:.2f} s"
    )
    print(f"after the edit: {edited['changed']} changed, {edited['vectors']} vectors")


def index(library: Path, *roots: str) -> dict[str, Any]:
    """Run the command as a user does."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "skillquiver", "index", *roots, "--library", str(library), "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {**report, "process_s": time.perf_counter() - started}


def encode(library: Path) -> tuple[float, float, int]:
    """Encode the library's distinct texts both ways; opening the model is not counted."""
    with Store.opened(library) as store:
        texts = sorted({dense_text(skill) for _, skill in store.all_skills(body=False)}, key=len)
    encoder = open_encoder()
    encoder.encode(texts[:64])
    started = time.perf_counter()
    encoder.encode(texts)
    beside = time.perf_counter() - started
    encoder.encode(texts[:1])
    started = time.perf_counter()
    for start in range(0, len(texts), FEW):
        encoder.encode(texts[start : start + FEW])
    return beside, time.perf_counter() - started, len(texts)


def edit(root: Path) -> None:
    """Change one skill's description."""
    file = min(root.rglob("SKILL.md"))
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    changed = text.replace("description:", "description: Edited.", 1)
    file.write_text(changed + "\nOne more line.\n", encoding="utf-8", errors="surrogateescape")


if __name__ == "__main__":
    main()

"""How far the project's token count lies from others, over random SKILL.md files below a folder.

    pip install bpe-openai                  # for the o200k_base row
    python benchmarks/token_counters.py FOLDER [--sample 1000] [--seed 1]

Each row compares another count with ``count_tokens`` (cl100k_base): the ratio of the totals, then the
median and the 5th and 95th percentile of the ratio per file. Whole files are counted, frontmatter included.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

from skillquiver.skills.tokens import TOKENIZER, count_tokens


def o200k() -> Callable[[str], int]:
    """Count with o200k_base, whose vocabulary bpe-openai carries."""
    from bpe_openai import get_encoding

    encoding = get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def wordpiece() -> Callable[[str], int]:
    """Count with the encoder's own WordPiece vocabulary."""
    from tokenizers import Tokenizer

    data = files("skillquiver.index").joinpath("data", "wordpiece.json").read_bytes()
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def quarter_bytes() -> Callable[[str], int]:
    """Count a quarter of the UTF-8 bytes, the usual rule of thumb."""
    return lambda text: max(len(text.encode("utf-8", "replace")) // 4, 1)


COUNTERS = {"o200k_base": o200k, "WordPiece": wordpiece, "bytes / 4": quarter_bytes}


def main() -> None:
    """Count a sample with every counter and print the ratios as a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--sample", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    found = sorted(file for file in given.folder.rglob("SKILL.md") if file.is_file())
    sample = random.Random(given.seed).sample(found, min(given.sample, len(found)))
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in sample]
    texts = [text for text in texts if text.strip()]
    own = np.array([count_tokens(text) for text in texts], dtype=np.float64)
    print(f"{len(texts):,} files, {int(own.sum()):,} tokens of {TOKENIZER}")
    print("| counter | total ratio | median | p5 | p95 |\n| --- | --- | --- | --- | --- |")
    for name, make in COUNTERS.items():
        try:
            count = make()
        except ModuleNotFoundError:
            print(f"| {name} | not installed | | | |")
            continue
        other = np.array([count(text) for text in texts], dtype=np.float64)
        p5, median, p95 = np.percentile(other / own, [5, 50, 95])
        print(f"| {name} | {other.sum() / own.sum():.3f} | {median:.3f} | {p5:.3f} | {p95:.3f} |")


if __name__ == "__main__":
    main()

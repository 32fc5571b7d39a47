#!/usr/bin/env python3
"""Score pairs of records with similar names inside the same block (for example, postcode)."""

import argparse
import csv
import re
import sys
import unicodedata
from collections import defaultdict
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

SUFFIXES = {"gmbh", "ag", "ltd", "limited", "inc", "llc", "co", "corp", "sa", "bv", "plc"}


def normalise(name: str) -> str:
    """Lower case, no accents or punctuation, no legal form, words sorted."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    words = re.findall(r"\w+", plain)
    return " ".join(sorted(word for word in words if word not in SUFFIXES) or words)


def similarity(a: str, b: str) -> float:
    """Ratio of matching characters; symmetric because the pair is ordered first."""
    low, high = sorted((a, b))
    return SequenceMatcher(None, low, high, autojunk=False).ratio()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--id", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--block", required=True, help="only rows with the same value here are compared")
    parser.add_argument("--limit", type=float, default=0.80)
    parser.add_argument("--output", type=Path, default=Path("pairs.csv"))
    args = parser.parse_args()

    blocks: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    with args.file.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row[args.block].strip():
                blocks[row[args.block].strip()].append((row[args.id], row[args.name], normalise(row[args.name])))
    pairs = []
    for members in blocks.values():
        for (id_a, name_a, plain_a), (id_b, name_b, plain_b) in combinations(members, 2):
            score = similarity(plain_a, plain_b)
            if score >= args.limit:
                pairs.append((round(score, 3), id_a, id_b, name_a, name_b))
    pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    with args.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["score", "id_a", "id_b", "name_a", "name_b"])
        writer.writerows(pairs)
    print(f"{len(pairs)} pairs in {len(blocks)} blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Write the rows of a CSV file whose value is far from the median, by the modified z-score."""

import argparse
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean, median

NORMAL_MAD = 0.6745  # MAD of the standard normal distribution
NORMAL_MEAN_AD = 1.253314  # standard deviation over mean absolute deviation, normal data


def scores(values: list[float]) -> list[float]:
    """Modified z-score of each value; mean absolute deviation stands in where the MAD is zero."""
    centre = median(values)
    deviations = [abs(value - centre) for value in values]
    mad = median(deviations)
    if mad > 0:
        scale = mad / NORMAL_MAD
    else:
        scale = NORMAL_MEAN_AD * fmean(deviations)
    return [0.0 if scale == 0 else (value - centre) / scale for value in values]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--column", required=True, help="numeric column to judge")
    parser.add_argument("--by", help="score within the groups of this column")
    parser.add_argument("--log", action="store_true", help="score logarithms (positive values only)")
    parser.add_argument("--limit", type=float, default=3.5)
    parser.add_argument("--output", type=Path, default=Path("outliers.csv"))
    args = parser.parse_args()

    with args.file.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    groups: dict[str, list[tuple[float, dict]]] = defaultdict(list)
    skipped = 0
    for row in rows:
        try:
            value = float(row[args.column])
            groups[row[args.by] if args.by else ""].append((math.log(value) if args.log else value, row))
        except ValueError:  # blank, text, or not positive with --log
            skipped += 1
    found = []
    for members in groups.values():
        marks = scores([value for value, _ in members])
        found += [(mark, row) for mark, (_, row) in zip(marks, members) if abs(mark) > args.limit]
    found.sort(key=lambda pair: -abs(pair[0]))
    with args.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(rows[0] if rows else []), "score"])
        writer.writerows([*row.values(), f"{mark:.2f}"] for mark, row in found)
    print(f"{len(found)} of {len(rows)} rows flagged, {skipped} not numeric")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Describe every column of a UTF-8 CSV file with a header: type, blanks, range, common values."""

import argparse
import csv
import json
import sys
from collections import Counter
from datetime import date
from pathlib import Path

BLANKS = {"", "na", "n/a", "null", "-"}
TOP = 3


def as_date(value: str) -> date:
    return date.fromisoformat(value[:10])


CONVERTERS = {"integer": int, "number": float, "date": as_date}


def fits(value: str, convert) -> bool:
    try:
        convert(value)
    except ValueError:
        return False
    return True


def guess_type(values: list[str]) -> str:
    if not values:
        return "empty"
    for name, convert in CONVERTERS.items():
        if all(fits(value, convert) for value in values):
            return name
    return "text"


def describe(name: str, cells: list[str]) -> dict:
    filled = [cell for cell in cells if cell.strip().lower() not in BLANKS]
    kind = guess_type(filled)
    counts = Counter(filled)
    result = {
        "column": name,
        "type": kind,
        "missing": len(cells) - len(filled),
        "distinct": len(counts),
        "top": sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP],
    }
    if kind in CONVERTERS:
        result["min"] = min(filled, key=CONVERTERS[kind])
        result["max"] = max(filled, key=CONVERTERS[kind])
    elif kind == "text":
        numeric = [cell for cell in filled if fits(cell, float)]
        if len(numeric) > len(filled) / 2:  # mostly numbers: show what is not
            result["odd"] = sorted(set(filled) - set(numeric))[:TOP]
    if kind in ("integer", "number"):
        result["mean"] = round(sum(map(float, filled)) / len(filled), 6)
    return result


def profile(path: Path) -> dict:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = [row for row in reader if row]
    columns = [describe(name, [row[i] if i < len(row) else "" for row in rows]) for i, name in enumerate(header)]
    return {"file": path.name, "rows": len(rows), "columns": columns}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--output", type=Path, help="write JSON here instead of to the terminal")
    args = parser.parse_args()
    text = json.dumps(profile(args.file), ensure_ascii=False, indent=2)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

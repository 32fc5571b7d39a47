#!/usr/bin/env python3
"""Find out how a delimited text file is written: encoding, separator, header, ragged rows."""

import argparse
import csv
import io
import json
import sys
from pathlib import Path

DELIMITERS = (",", ";", "\t", "|")
MAX_RAGGED = 20  # enough to see the pattern


def decode(data: bytes) -> tuple[str, str]:
    """Return (encoding, text). Windows-1252 is the last resort because it accepts nearly everything."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig", data.decode("utf-8-sig")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", data.decode("utf-16")
    try:
        return "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", data.decode("cp1252", errors="replace")


def pick_delimiter(text: str) -> str:
    """Return the separator for which most rows agree on a width above one."""
    sample = "\n".join(text.splitlines()[:200])

    def agreement(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row]
        if not widths or max(widths) == 1:
            return 0, 0
        common = max(set(widths), key=widths.count)
        return (widths.count(common), common) if common > 1 else (0, 0)

    return max(DELIMITERS, key=agreement)


def is_number(value: str) -> bool:
    try:
        float(value.replace(",", "."))
    except ValueError:
        return False
    return True


def describe(path: Path) -> dict:
    encoding, text = decode(path.read_bytes())
    delimiter = pick_delimiter(text)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if not rows:
        raise SystemExit(f"{path}: no rows")
    header = not any(is_number(cell) for cell in rows[0]) and len(set(rows[0])) == len(rows[0])
    width, body = len(rows[0]), rows[1:] if header else rows
    ragged = [number for number, row in enumerate(body, start=1) if len(row) != width]
    return {
        "encoding": encoding,
        "delimiter": delimiter,
        "header": header,
        "columns": rows[0] if header else [f"column_{n}" for n in range(1, width + 1)],
        "rows": len(body),
        "ragged_rows": ragged[:MAX_RAGGED],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--output", type=Path, help="write JSON here instead of to the terminal")
    args = parser.parse_args()
    text = json.dumps(describe(args.file), ensure_ascii=False, indent=2)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Check a commit message: subject length and form, blank second line, body width. Exit 1 on faults."""

import argparse
import re
import sys
from pathlib import Path

SUBJECT_MAX = 72
BODY_MAX = 72
SCISSORS = "# ------------------------ >8"
NOT_IMPERATIVE = re.compile(r"^(?:\w+(?:\([\w-]+\))?!?: )?(added|adds|adding|fixed|fixes|fixing|changed|updates|updated)\b", re.I)


def faults(text: str) -> list[str]:
    lines = text.split(SCISSORS)[0].splitlines()
    lines = [line.rstrip() for line in lines if not line.startswith("#")]
    while lines and not lines[0]:
        lines.pop(0)
    if not lines:
        return ["the message is empty"]
    subject, found = lines[0], []
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return []
    if len(subject) > SUBJECT_MAX:
        found.append(f"subject has {len(subject)} characters, at most {SUBJECT_MAX}")
    if subject.endswith("."):
        found.append("subject ends with a full stop")
    if NOT_IMPERATIVE.match(subject):
        found.append("subject is not imperative (write 'Add', not 'Added')")
    if len(lines) > 1 and lines[1]:
        found.append("second line is not blank")
    for number, line in enumerate(lines[2:], start=3):
        if len(line) > BODY_MAX and "://" not in line:
            found.append(f"line {number} has {len(line)} characters, at most {BODY_MAX}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="file with the message, for example .git/COMMIT_EDITMSG")
    args = parser.parse_args()
    found = faults(args.file.read_text(encoding="utf-8"))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

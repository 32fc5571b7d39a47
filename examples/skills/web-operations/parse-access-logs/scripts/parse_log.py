#!/usr/bin/env python3
"""Turn access logs in combined format (optionally with the request time) into CSV."""

import argparse
import csv
import gzip
import ipaddress
import re
import sys
from datetime import datetime
from pathlib import Path

LINE = re.compile(
    r'(?P<ip>\S+) \S+ (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<request>(?:[^"\\]|\\.)*)" '
    r'(?P<status>\d{3}) (?P<bytes>\d+|-) "(?P<referer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"'
    r"(?: (?P<seconds>\d+\.\d+))?\s*$"
)
COLUMNS = ["time", "ip", "user", "method", "path", "query", "status", "bytes", "referer", "agent", "seconds"]
SHOWN = 3
KEPT_BITS = {4: 24, 6: 48}


def open_text(path: Path):
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace")
    return path.open(encoding="utf-8", errors="replace")


def mask(ip: str) -> str:
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return "masked"
    return str(ipaddress.ip_network(f"{ip}/{KEPT_BITS[address.version]}", strict=False).network_address)


def parse(line: str, *, mask_ip: bool) -> list[str] | None:
    match = LINE.match(line)
    if match is None or len(match["request"].split(" ")) < 2:
        return None
    try:
        time = datetime.strptime(match["time"], "%d/%b/%Y:%H:%M:%S %z").isoformat()
    except ValueError:
        return None
    method, target = match["request"].split(" ")[:2]
    path, _, query = target.partition("?")
    size = "0" if match["bytes"] == "-" else match["bytes"]
    ip = mask(match["ip"]) if mask_ip else match["ip"]
    tail = [match["referer"], match["agent"], match["seconds"] or ""]
    return [time, ip, match["user"], method, path, query, match["status"], size, *tail]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, default=Path("requests.csv"))
    parser.add_argument("--mask-ip", action="store_true", help="shorten addresses before writing")
    args = parser.parse_args()
    good = bad = 0
    with args.output.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(COLUMNS)
        for path in args.logs:
            with open_text(path) as source:
                for line in source:
                    row = parse(line, mask_ip=args.mask_ip)
                    if row is not None:
                        writer.writerow(row)
                        good += 1
                        continue
                    bad += 1
                    if bad <= SHOWN:
                        print(f"skipped: {line.rstrip()[:200]!r}", file=sys.stderr)
    print(f"{good} requests, {bad} lines skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Probe URLs: status, time, content. Prints one JSON line per URL; exit 1 if any is not healthy."""

import argparse
import json
import sys
import time
import urllib.error
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an answer like any other."""

    def redirect_request(self, *args, **kwargs):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def fetch(url: str, timeout: float) -> tuple[int, str]:
    request = urllib.request.Request(url, headers={"User-Agent": "check-http-health"})
    try:
        with OPENER.open(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode("utf-8", errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode("utf-8", errors="replace")


def probe(url: str, args: argparse.Namespace) -> dict:
    begin, status, problem = time.monotonic(), 0, ""
    try:
        status, text = fetch(url, args.timeout)
    except OSError as error:  # DNS, refused, TLS, timeout
        problem, text = str(error), ""
    seconds = round(time.monotonic() - begin, 3)
    if not problem and status != args.expect:
        problem = f"status {status}, expected {args.expect}"
    elif not problem and args.contains and args.contains not in text:
        problem = "expected content is missing"
    elif not problem and seconds > args.max_seconds:
        problem = f"slower than {args.max_seconds} s"
    return {"url": url, "ok": not problem, "status": status, "seconds": seconds, "problem": problem}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL")
    parser.add_argument("--expect", type=int, default=200, help="status code (redirects are not followed)")
    parser.add_argument("--contains", help="text that must be in the body")
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--max-seconds", type=float, default=5)
    parser.add_argument("--retries", type=int, default=0)
    parser.add_argument("--wait", type=float, default=2, help="seconds between attempts")
    args = parser.parse_args()
    healthy = True
    for url in args.urls:
        result = probe(url, args)
        for _ in range(args.retries):
            if result["ok"]:
                break
            time.sleep(args.wait)
            result = probe(url, args)
        print(json.dumps(result))
        healthy = healthy and result["ok"]
    return 0 if healthy else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compare two conversion rates: split check, difference with 95 % interval, pooled z-test."""

import argparse
import math
import sys
from statistics import NormalDist

NORMAL = NormalDist()
BROKEN_SPLIT = 0.001


def counts(text: str) -> tuple[int, int]:
    """Parse ``successes/total``."""
    try:
        successes, total = (int(part) for part in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 100/1000") from None
    if not 0 <= successes <= total or total == 0:
        raise argparse.ArgumentTypeError(f"{text!r}: need 0 <= successes <= total, total > 0")
    return successes, total


def two_sided(z: float) -> float:
    return 2 * (1 - NORMAL.cdf(abs(z)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--control", type=counts, required=True, metavar="SUCCESSES/TOTAL")
    parser.add_argument("--variant", type=counts, required=True, metavar="SUCCESSES/TOTAL")
    args = parser.parse_args()
    (a, n), (b, m) = args.control, args.variant

    split = two_sided((n - m) / math.sqrt(n + m))
    rate_a, rate_b, pooled = a / n, b / m, (a + b) / (n + m)
    difference = rate_b - rate_a
    error = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    z = difference / error if error else 0.0
    wide = NORMAL.inv_cdf(0.975) * math.sqrt(rate_a * (1 - rate_a) / n + rate_b * (1 - rate_b) / m)

    print(f"split     p = {split:.3f}  {'BROKEN' if split < BROKEN_SPLIT else 'ok'}")
    print(f"control   {rate_a:.2%}".replace("%", " %"))
    print(f"variant   {rate_b:.2%}".replace("%", " %"))
    low, high = 100 * (difference - wide), 100 * (difference + wide)
    print(f"difference {100 * difference:+.2f} points, 95 % interval {low:+.2f} to {high:+.2f}")
    print(f"z = {z:.2f}, p = {two_sided(z):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

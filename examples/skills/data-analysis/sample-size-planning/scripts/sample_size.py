#!/usr/bin/env python3
"""Subjects per arm to detect a difference between two proportions (two-sided normal approximation)."""

import argparse
import math
import sys
from statistics import NormalDist


def per_arm(baseline: float, uplift: float, alpha: float, power: float) -> int:
    other = baseline + uplift
    mean = (baseline + other) / 2
    z_alpha = NormalDist().inv_cdf(1 - alpha / 2)
    z_power = NormalDist().inv_cdf(power)
    spread = z_alpha * math.sqrt(2 * mean * (1 - mean))
    spread += z_power * math.sqrt(baseline * (1 - baseline) + other * (1 - other))
    return math.ceil((spread / uplift) ** 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=float, required=True, help="current rate, for example 0.10")
    parser.add_argument("--uplift", type=float, required=True, help="absolute difference, for example 0.02")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--power", type=float, default=0.80)
    parser.add_argument("--daily", type=int, help="subjects per day, both arms together")
    args = parser.parse_args()
    if not (0 < args.baseline < 1 and 0 < args.baseline + args.uplift < 1 and args.uplift):
        parser.error("rates must lie between 0 and 1, and the uplift must not be 0")
    size = per_arm(args.baseline, args.uplift, args.alpha, args.power)
    text = f"{size} per arm, {2 * size} in total"
    if args.daily:
        text += f", {math.ceil(2 * size / args.daily)} days"
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

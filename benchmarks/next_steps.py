"""Measures `quiver next` against hand-checked orders of public skills.

    python benchmarks/next_steps.py --library DIR --order FILE --prefix bench/pool/ [--top-k 5]

``--order`` holds JSON lines with ``corpus``, ``before``, ``after`` and ``relation``, which is ``next`` or
``prerequisite``; paths are relative to ``--prefix``. The library has been indexed, and its graph built.

``next``: share of edges whose ``after`` is among the first K next steps of ``before``; ``next, any group``:
among the first K of any group. ``prerequisite``: share whose ``before`` is among the prerequisites shown for
``after``. Intervals are 95 % over bootstrap draws of repositories.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillquiver.errors import UsageError
from skillquiver.graph.following import Group
from skillquiver.serve.usecases.following import NextSteps, next_skills

DRAWS = 2000
"""Bootstrap draws over repositories."""

Row = Mapping[str, Any]


def main() -> None:
    """Ask for every edge and print one JSON document."""
    args = arguments()
    lines = args.order.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    misses = []
    for row in rows:
        for measure, hit in judged(row, args).items():
            found[measure].append((row["corpus"], hit))
            if not hit and measure != "next, any group":
                misses.append(f"{measure}: {row['before']} > {row['after']}")
    report = {name: summary(hits) for name, hits in sorted(found.items())}
    print(json.dumps({**report, "misses": misses}, indent=1, ensure_ascii=False))


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--order", type=Path, required=True)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--top-k", type=int, default=5)
    return parser.parse_args()


def judged(row: Row, args: argparse.Namespace) -> dict[str, bool]:
    """Measures that apply to this edge, and whether it was found. A skill that is not there is a miss."""
    before, after = args.prefix + row["before"], args.prefix + row["after"]
    asked, wanted = (before, after) if row["relation"] == "next" else (after, before)
    try:
        steps: NextSteps | None = next_skills(args.library, asked, top_k=args.top_k)
    except UsageError:
        steps = None
    if row["relation"] == "next":
        shown = ids(steps, Group.NEXT_STEPS)[: args.top_k]
        anywhere = [i for group in Group for i in ids(steps, group)[: args.top_k]]
        return {"next": wanted in shown, "next, any group": wanted in anywhere}
    return {"prerequisite": wanted in ids(steps, Group.PREREQUISITES)}


def ids(steps: NextSteps | None, group: Group) -> list[str]:
    """Ids of a group, in its order."""
    return [] if steps is None else [found.skill.id for found in steps.groups[group]]


def summary(hits: Sequence[tuple[str, bool]]) -> dict[str, Any]:
    """Share of hits, with the interval over repositories."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for corpus, hit in hits:
        groups[corpus].append(hit)
    names, draw = sorted(groups), random.Random(0)
    shares = []
    for _ in range(DRAWS):
        chosen = [hit for name in draw.choices(names, k=len(names)) for hit in groups[name]]
        shares.append(sum(chosen) / len(chosen))
    shares.sort()
    total = sum(hit for _, hit in hits)
    return {
        "hits": total,
        "edges": len(hits),
        "share": round(total / len(hits), 3),
        "interval": [round(shares[int(DRAWS * q)], 3) for q in (0.025, 0.975)],
        "repositories": len(names),
        "mean over repositories": round(sum(sum(g) / len(g) for g in groups.values()) / len(groups), 3),
    }


if __name__ == "__main__":
    main()

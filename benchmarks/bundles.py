"""Random bundles checked: never over budget, never an open fence, no candidate unaccounted for.

python -m benchmarks.bundles LIBRARY QUERIES.jsonl [QUERIES.jsonl ...] [--sample 200] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import Counter
from pathlib import Path

from skillquiver.retrieve.bundle import Bundle
from skillquiver.serve.usecases.bundling import BUNDLE_POOL
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import bundle
from skillquiver.skills.markdown import read_markdown
from skillquiver.skills.tokens import count_tokens

BUDGETS = (500, 2000, 8000)


def main() -> None:
    """Pack, check, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    queries = [
        json.loads(line)["query"]
        for file in given.queries
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    chosen = random.Random(given.seed).sample(queries, min(given.sample, len(queries)))
    with open_library(given.library) as opened:
        for budget in BUDGETS:
            packed = [bundle(opened, query, budget=budget)[0] for query in chosen]
            faults = Counter(fault for one in packed for fault in check(one))
            sizes = [len(one.entries) for one in packed]
            used = [one.tokens / budget for one in packed if one.entries]
            print(
                f"budget {budget:5}: {len(packed)} bundles, faults {dict(faults) or 'none'}, skills "
                f"{statistics.fmean(sizes):.1f} on average, {statistics.fmean(used):.0%} of the budget used"
            )


def check(packed: Bundle) -> list[str]:
    """Names of the promises this bundle breaks."""
    document = read_markdown(packed.text)
    blocks = len(document.code_blocks)
    open_fence = sum(1 for block in document.code_blocks if block.end >= len(packed.text.rstrip()) + 1)
    seen = Counter([*(e.id for e in packed.entries), *(o.id for o in packed.omitted)])
    broken = {
        "over budget": count_tokens(packed.text) > packed.budget,
        "tokens misstated": count_tokens(packed.text) != packed.tokens,
        "blocks": blocks != len(packed.entries) or bool(open_fence),
        "headings": sum(h.level == 2 for h in document.headings) != len(packed.entries),
        "unaccounted": seen.total() != len(seen) or len(seen) > BUNDLE_POOL,
    }
    return [name for name, wrong in broken.items() if wrong]


if __name__ == "__main__":
    main()

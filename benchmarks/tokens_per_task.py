"""Tokens that skills cost an agent per task, by the way they reach it.

    python -m benchmarks.tokens_per_task LIBRARY QUERIES.jsonl [--limit 100] [--budget 8000]

*Everything* is the card (name and description) of every skill that models may see, as a host that lists all
of them would send it. The others are medians over the queries of what is really said: the hook's hint, the
answer of ``quiver search`` in text, a bundle. What is saved is measured by *everything*.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median

from skillquiver.serve.hook.advice import advice
from skillquiver.serve.hook.suggest import suggestions
from skillquiver.serve.render import ranking_text
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import bundle, search
from skillquiver.skills.tiers import card
from skillquiver.skills.tokens import count_tokens


def main() -> None:
    """Count, and print one line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--budget", type=int, default=8000)
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    queries = [json.loads(line)["query"] for line in lines]
    ways: dict[str, list[int]] = {"hook": [], "search": [], "bundle": []}
    with open_library(given.library) as library:
        everything = sum(
            skill.tokens.card or count_tokens(card(skill))
            for _, skill in library.store.all_skills()
            if not skill.hidden
        )
        for query in queries:
            ranking = search(library, query, hidden=False)
            ways["hook"].append(count_tokens(advice(suggestions(ranking))))
            ways["search"].append(count_tokens(ranking_text(ranking, explain=False)))
            ways["bundle"].append(bundle(library, query, budget=given.budget)[0].tokens)
    print(f"everything {everything:,} tokens; {len(queries)} tasks")
    for way, tokens in ways.items():
        middle = median(tokens)
        print(f"{way:8} median {middle:,.0f}, most {max(tokens):,}; saves {1 - middle / everything:.1%}")


if __name__ == "__main__":
    main()

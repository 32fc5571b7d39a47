"""What hooks suggest: how often, how often rightly, with and without the encoder.

    python -m benchmarks.hook_quality LIBRARY QUERIES.jsonl [--equivalents FILE] [--prefix bench/]
    python -m benchmarks.hook_quality - QUERIES.jsonl --small FOLDER [--other QUERIES.jsonl]

A prompt counts as right if one of its gold skills, or one that does as well, is among those suggested. With
``--small`` libraries of 3 to 20 skills are drawn from the gold skills below FOLDER, with seed 2, and indexed
by words: their own prompts should get a hint, prompts about other skills and those of ``--other`` none.
Each line has the bar as it is, falling in proportion to the size, and falling with its root.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from skillquiver.index.sync import SyncOptions
from skillquiver.retrieve.confidence import FEW
from skillquiver.serve.hook.gate import is_request, words_of
from skillquiver.serve.hook.limits import HIT_CONFIDENCE, PROMPT_CHARACTERS, SUGGESTIONS
from skillquiver.serve.hook.suggest import suggestions
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.serve.usecases.library import open_library

SIZES = (3, 6, 12, 20)
DRAWS = 6
OTHERS = 40


def rows(file: Path) -> list[dict[str, Any]]:
    """The queries of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def suggested(library: Path, queries: Sequence[dict[str, Any]], *, lexical: bool) -> Iterator[list[str]]:
    """Ids suggested for each query, as the hook does it."""
    with open_library(library, lexical=lexical) as opened:
        for query in queries:
            said = words_of(query["query"][:PROMPT_CHARACTERS])
            ranking = opened.ranker.rank(said, top_k=SUGGESTIONS, hidden=False)
            yield [one.id for one in suggestions(ranking)] if is_request(query["query"]) else []


def whole(given: argparse.Namespace) -> None:
    """Print one line for words alone and one with the encoder."""
    queries = rows(given.queries)
    same = json.loads(given.equivalents.read_text(encoding="utf-8")) if given.equivalents else {}
    gold = [{given.prefix + one for g in q["gold"] for one in (g, *same.get(g, []))} for q in queries]
    wanted = sum(bool(one) for one in gold)
    print("| ranking | with gold | suggested | right of these | ids each | without gold | suggested |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, lexical in (("words", True), ("with encoder", False)):
        pairs = list(zip(gold, suggested(given.library, queries, lexical=lexical), strict=True))
        told = [(good, ids) for good, ids in pairs if good and ids]
        right = sum(bool(good & set(ids)) for good, ids in told) / max(len(told), 1)
        each = sum(len(ids) for _, ids in told) / max(len(told), 1)
        off = sum(bool(ids) for good, ids in pairs if not good)
        share = len(told) / max(wanted, 1)
        print(
            f"| {name} | {wanted} | {share:.0%} | {right:.0%} | {each:.2f} | {len(pairs) - wanted} | {off} |"
        )


def small(given: argparse.Namespace) -> None:
    """Print shares of prompts whose best confidence reaches three bars, by size of the library."""
    draw = random.Random(2)
    queries = [q for q in rows(given.queries) if len(q["gold"]) == 1]
    golds = sorted({q["gold"][0] for q in queries})
    others = rows(given.other) if given.other else []
    print("| skills | prompts | as it is | in proportion | with the root |\n| --- | --- | --- | --- | --- |")
    for size in SIZES:
        found: dict[str, list[float]] = {"own": [], "other skills'": [], "--other": []}
        for _ in range(DRAWS):
            picked = draw.sample(golds, size)
            away = [q for q in queries if q["gold"][0] not in picked]
            asked = {
                "own": [q for q in queries if q["gold"][0] in picked],
                "other skills'": draw.sample(away, min(OTHERS, len(away))),
                "--other": draw.sample(others, min(OTHERS, len(others))),
            }
            for kind, best in _best(given.small, picked, asked):
                found[kind].append(best)
        for kind, values in found.items():
            bars = (1.0, size / FEW, (size / FEW) ** 0.5)
            shares = (sum(v >= HIT_CONFIDENCE * bar for v in values) / max(len(values), 1) for bar in bars)
            print(f"| {size} | {kind} | " + " | ".join(f"{share:.0%}" for share in shares) + " |", flush=True)


def _best(
    folder: Path, picked: Sequence[str], asked: dict[str, list[dict[str, Any]]]
) -> Iterator[tuple[str, float]]:
    with tempfile.TemporaryDirectory() as name:
        root, library = Path(name, "skills"), Path(name, "library")
        for number, one in enumerate(picked):
            shutil.copytree(folder / one, root / str(number) / Path(one).name)
        index_library(library, [f"drawn={root}"], options=SyncOptions(vectors=False))
        with open_library(library, lexical=True) as opened:
            for kind, queries in asked.items():
                for query in queries:
                    ranking = opened.ranker.rank(query["query"], top_k=SUGGESTIONS, hidden=False)
                    yield kind, ranking.confidence


def main() -> None:
    """Measure a whole library, or small ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--small", type=Path)
    parser.add_argument("--other", type=Path)
    given = parser.parse_args()
    small(given) if given.small else whole(given)


if __name__ == "__main__":
    main()

"""Fit the confidence model and print its weights and reliability table.

    python -m benchmarks.calibrate SET [SET ...] [--equivalents FILE] [--lexical | --plain | --folds FOLDER]

A SET is ``LIBRARY:QUERIES.jsonl[:WEIGHT]``: an indexed library, a query file with ``gold`` (empty: no skill
of that library answers the query) and the weight of the set's queries. Every set counts as the square root
of its size, so that a large one does not drown the others. Folds never share a query; the table is made of
held-out predictions, the weights printed are those of a fit on everything. With ``--folds``, from
``benchmarks.train_second_stage``, every query is ranked by a model that saw none of its gold skills, and one
without gold by that of fold 0; ``--plain`` leaves the second stage out.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from skillquiver.retrieve.confidence import features
from skillquiver.retrieve.stages import Stages, read_stages
from skillquiver.serve.usecases.library import Library, open_library

FOLDS = 5
RESULTS = 10
"""Results of each query that become examples."""
PENALTY = 0.01
BINS = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Example:
    """One result of one query."""

    group: str
    weight: float
    relevant: bool
    features: dict[str, float]


def main() -> None:
    """Collect examples, cross-validate, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--lexical", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--folds", type=Path)
    given = parser.parse_args()
    stages = read_stages(given.folds) if given.folds else Stages(models=(None,), trained_on=(None,))
    if not (given.folds or given.lexical or given.plain):
        parser.error("the packaged second stage has seen these queries: give --folds, --plain or --lexical")
    same = json.loads(given.equivalents.read_text(encoding="utf-8")) if given.equivalents else {}
    examples = [e for text in given.sets for e in collect(text, same, stages, lexical=given.lexical)]
    names = sorted(set.intersection(*(set(e.features) for e in examples)))
    x = np.array([[e.features[name] for name in names] for e in examples])
    y = np.array([e.relevant for e in examples], dtype=float)
    weight = np.array([e.weight for e in examples])
    weight /= weight.mean()
    folds = np.array([int.from_bytes(e.group.encode()[-4:], "little") % FOLDS for e in examples])
    held_out = np.zeros(len(y))
    for fold in range(FOLDS):
        train = folds != fold
        held_out[~train] = predict(fit(x[train], y[train], weight[train]), x[~train])
    report(held_out, y)
    print({name: round(float(w), 3) for name, w in zip(names, fit(x, y, weight), strict=True)})


def collect(text: str, same: dict[str, list[str]], stages: Stages, *, lexical: bool) -> list[Example]:
    """Rank a set's queries and label their first results."""
    library, file, *rest = text.split(":")
    queries = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines() if line]
    queries = [q for q in queries if not q.get("not_gold")]
    weight = (float(rest[0]) if rest else 1.0) / math.sqrt(len(queries))
    examples = []
    for fold, model in enumerate(stages.models):
        chosen = [query for query in queries if stages.of(query["query"]) == fold]
        with open_library(Path(library), lexical=lexical, second=lambda model=model: (model, "")) as opened:
            examples += [e for query in chosen for e in examples_of(opened, query, same, weight)]
    return examples


def examples_of(
    opened: Library, query: dict[str, Any], same: dict[str, list[str]], weight: float
) -> list[Example]:
    """The first results of one query, labelled."""
    accepted = {a for gold in query["gold"] for a in (gold, *same.get(gold, ()))}
    ranking = opened.ranker.rank(query["query"], top_k=RESULTS)
    examples = []
    for result in ranking.results:
        found = features(result.evidence, terms=ranking.terms, rank=result.rank, places=ranking.places)
        hit = any(result.id == a or result.id.endswith(f"/{a}") for a in accepted)
        examples.append(Example(query["query_id"], weight, hit, found))
    return examples


def fit(x: Any, y: Any, weight: Any) -> Any:
    """Weighted logistic regression with an L2 penalty, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(50):
        p = predict(w, x)
        gradient = x.T @ (weight * (y - p)) - PENALTY * w
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + PENALTY * np.eye(len(w))
        w = w + np.linalg.solve(hessian, gradient)
    return w


def predict(w: Any, x: Any) -> Any:
    """Probabilities."""
    return 1 / (1 + np.exp(-x @ w))


def report(p: Any, y: Any) -> None:
    """Print the reliability table and the log loss beside that of the base rate."""
    print("confidence   results  mean   observed")
    for low, high in pairwise(BINS):
        inside = (p >= low) & (p < high)
        if inside.any():
            print(f"{low:.2f}-{high:.2f} {inside.sum():10} {p[inside].mean():7.3f} {y[inside].mean():8.3f}")
    clipped = np.clip(p, 1e-9, 1 - 1e-9)
    loss = -np.mean(y * np.log(clipped) + (1 - y) * np.log(1 - clipped))
    base = y.mean()
    rate = -(base * math.log(base) + (1 - base) * math.log(1 - base))
    error = sum(
        abs(p[(p >= a) & (p < b)].mean() - y[(p >= a) & (p < b)].mean()) * ((p >= a) & (p < b)).mean()
        for a, b in pairwise(BINS)
        if ((p >= a) & (p < b)).any()
    )
    print(f"log loss {loss:.4f} (base rate {rate:.4f}), expected calibration error {error:.4f}")
    print(f"examples {len(y)}, relevant {Counter(y.astype(int).tolist())[1]}")


if __name__ == "__main__":
    main()

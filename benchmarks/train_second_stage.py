"""Train the second stage, and say what it is worth.

    python -m benchmarks.train_second_stage SET [SET ...] [--equivalents FILE] [--out MODEL] [--ablate]

A SET is ``LIBRARY:QUERIES.jsonl[:WEIGHT[:train]]``; queries of a ``train`` set are learned from, never
scored. Prints strict figures and those with equivalents of the plain combination and of models trained on
other folds, and paired differences with 95 % bootstrap intervals over gold skills. ``--ablate`` leaves out
one family of features at a time, too. Folds never share a gold skill, or an equivalent of one. ``--folds``
keeps the models of the folds for ``quiver eval run --second-stage`` and ``benchmarks.calibrate``. Beside each
model stands a list of hashes of its training queries. Needs ``lightgbm`` (extra ``train``); what is written
needs numpy alone.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from benchmarks.second_stage_data import Query, figures, folds_of, read_set
from skillquiver.retrieve.features import FEATURES
from skillquiver.retrieve.second_stage import share_out
from skillquiver.retrieve.stages import FOLDS_FILE, FoldsFile
from skillquiver.retrieve.trained_on import QUERIES_SUFFIX, query_hash, trained_on_text
from skillquiver.retrieve.trees import Tree, TreeEnsemble

FOLDS = 5
SEEDS = (0, 1)
ROUNDS = 200
PARAMETERS = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "lambdarank_truncation_level": 10,
    "verbosity": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}
"""Small trees and strong shrinkage: there are hundreds of queries, not millions."""

FAMILIES = {
    "full text": ("full text:", "full: BM25", "full coverage", "lexical rank"),
    "card": ("card:", "card coverage"),
    "name": ("name:", "name coverage"),
    "dense": ("dense", "cosine"),
    "fused score": ("fused",),
    "likeness of candidates": ("like ",),
    "pairs of terms": ("pair coverage", "card pairs"),
    "what the query tells": ("name told", "name terms told", "description told"),
}
"""Prefixes of the features that an ablation leaves out together."""

METRICS = ("hit@1", "hit@5", "recall@8", "mrr")


def main() -> None:
    """Collect, cross-validate, report, train on everything, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folds", type=Path, metavar="FOLDER")
    parser.add_argument("--ablate", action="store_true")
    given = parser.parse_args()
    same = json.loads(given.equivalents.read_text(encoding="utf-8")) if given.equivalents else {}
    queries = [query for text in given.sets for query in read_set(text, same)]
    plain = [query.x[:, FEATURES.index("fused")] for query in queries]
    whole = cross_validated(queries, range(len(FEATURES)))
    report("plain combination", queries, [plain])
    report("second stage", queries, whole)
    differences(queries, plain, whole)
    if given.ablate:
        for family, prefixes in FAMILIES.items():
            kept = [at for at, name in enumerate(FEATURES) if not name.startswith(prefixes)]
            report(f"without {family}", queries, cross_validated(queries, kept))
        report("without quoted prompts", queries, cross_validated(queries, range(len(FEATURES)), alone=True))
    if given.folds:
        keep_folds(given.folds, queries)
    if given.out:
        write(given.out, train(queries, list(range(len(FEATURES))), seed=0), queries)


def cross_validated(
    queries: Sequence[Query], columns: Sequence[int], *, alone: bool = False
) -> list[list[npt.NDArray[np.float64]]]:
    """Scores of every query by a model that saw none of its gold skills, once for each seed.

    With ``alone``, ``train`` sets are left out.
    """
    runs = []
    for seed in SEEDS:
        folds = folds_of(queries, FOLDS, seed)
        scores = [np.zeros(0)] * len(queries)
        for fold in range(FOLDS):
            seen = [
                q for q, f in zip(queries, folds, strict=True) if f != fold and not (alone and q.only_trained)
            ]
            model = train(seen, list(columns), seed=seed)
            for at, (query, its) in enumerate(zip(queries, folds, strict=True)):
                if its == fold:
                    names = [one.rpartition("/")[2] for one in query.ids]
                    scores[at] = np.array(share_out(names, model.predict(query.x[:, list(columns)])))
        runs.append(scores)
    return runs


def keep_folds(folder: Path, queries: Sequence[Query]) -> None:
    """Write one model for each fold, trained on the others, and which fold each query is in."""
    folder.mkdir(parents=True, exist_ok=True)
    folds = folds_of(queries, FOLDS, SEEDS[0])
    for fold in range(FOLDS):
        seen = [query for query, its in zip(queries, folds, strict=True) if its != fold]
        write(folder / f"{fold}.json", train(seen, list(range(len(FEATURES))), seed=SEEDS[0]), seen)
    named = {query_hash(query.text): int(fold) for query, fold in zip(queries, folds, strict=True)}
    (folder / FOLDS_FILE).write_bytes(msgspec.json.encode(FoldsFile(folds=dict(sorted(named.items())))))


def train(queries: Sequence[Query], columns: list[int], *, seed: int) -> Any:
    """LambdaMART on those queries that have a right candidate."""
    import lightgbm

    useful = [query for query in queries if query.y.any()]
    data = lightgbm.Dataset(
        np.concatenate([query.x[:, columns] for query in useful]),
        np.concatenate([query.y for query in useful]).astype(int),
        group=[len(query.ids) for query in useful],
        weight=np.concatenate([np.full(len(query.ids), query.weight) for query in useful]),
    )
    return lightgbm.train({**PARAMETERS, "seed": seed}, data, ROUNDS)


def report(title: str, queries: Sequence[Query], runs: Sequence[Sequence[npt.NDArray[np.float64]]]) -> None:
    """Print the mean figures of each scored set, strict / with equivalents."""
    print(title)
    for group in dict.fromkeys(query.group for query in queries if not query.only_trained):
        cells = []
        for metric in METRICS:
            both = [
                np.mean(
                    [
                        figures(query, scores, strict=strict)[metric]
                        for run in runs
                        for query, scores in zip(queries, run, strict=True)
                        if query.group == group
                    ]
                )
                for strict in (True, False)
            ]
            cells.append(f"{metric} {both[0]:.3f} / {both[1]:.3f}")
        print(f"  {group:24}", "  ".join(cells), flush=True)


def differences(
    queries: Sequence[Query], plain: Sequence[npt.NDArray[np.float64]], runs: Sequence[Any]
) -> None:
    """Print second stage minus plain, with equivalents and an interval (bootstrap over gold skills)."""
    print("second stage minus plain combination, with equivalents [95 % interval]")
    draw = np.random.default_rng(0)
    for group in dict.fromkeys(query.group for query in queries if not query.only_trained):
        cells = []
        for metric in METRICS:
            by_gold: dict[str, list[float]] = defaultdict(list)
            for at, query in enumerate(queries):
                if query.group == group:
                    before = figures(query, plain[at], strict=False)[metric]
                    after = np.mean([figures(query, run[at], strict=False)[metric] for run in runs])
                    by_gold[query.gold[0]].append(float(after) - before)
            sums = np.array([sum(values) for values in by_gold.values()])
            sizes = np.array([len(values) for values in by_gold.values()])
            drawn = draw.integers(0, len(sums), (10_000, len(sums)))
            means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
            low, high = np.percentile(means, [2.5, 97.5])
            cells.append(f"{metric} {sums.sum() / sizes.sum():+.3f} [{low:+.3f}, {high:+.3f}]")
        print(f"  {group:24}", "  ".join(cells), flush=True)


def write(file: Path, model: Any, queries: Sequence[Query]) -> None:
    """Write the model's trees, after checking that they say what the library that trained them says.

    Beside them goes what it was trained on, ``queries``, as hashes.
    """
    trees = [read_tree(one["tree_structure"]) for one in model.dump_model()["tree_info"]]
    data = TreeEnsemble.to_bytes(FEATURES, trees)
    ours = TreeEnsemble.from_bytes(data)
    for query in queries:
        np.testing.assert_allclose(ours.predict(query.x), model.predict(query.x), atol=1e-6)
    file.write_bytes(data)
    learned = trained_on_text(query.text for query in queries)
    file.with_suffix(QUERIES_SUFFIX).write_text(learned, encoding="utf-8")
    print(f"{len(trees)} trees, {len(data):,} bytes, in {file}")


def read_tree(root: dict[str, Any]) -> Tree:
    """One of LightGBM's trees as parallel lists, parents before children."""
    tree = Tree([], [], [], [], [])

    def add(node: dict[str, Any]) -> int:
        own = len(tree.feature)
        leaf = "leaf_value" in node
        tree.feature.append(0 if leaf else int(node["split_feature"]))
        tree.threshold.append(0.0 if leaf else float(node["threshold"]))
        tree.value.append(float(node["leaf_value"]) if leaf else 0.0)
        tree.left.append(-1)
        tree.right.append(-1)
        if not leaf:
            tree.left[own], tree.right[own] = add(node["left_child"]), add(node["right_child"])
        return own

    add(root)
    return tree


if __name__ == "__main__":
    main()

"""Training data of the second stage: queries, their candidates with features, and which of them are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skillquiver.evaluate.splits import Item
from skillquiver.evaluate.splits import folds_of as evenly
from skillquiver.retrieve.trained_on import normalised
from skillquiver.serve.usecases.library import open_library


@dataclass(frozen=True, slots=True)
class Query:
    """One query. ``accepted`` has one set of ids for each gold skill: itself and its equivalents."""

    query_id: str
    text: str
    group: str
    weight: float
    only_trained: bool
    gold: tuple[str, ...]
    accepted: tuple[frozenset[str], ...]
    ids: tuple[str, ...]
    x: npt.NDArray[np.float64]

    @property
    def y(self) -> npt.NDArray[np.bool_]:
        """Which candidates are right."""
        right = frozenset[str]().union(*self.accepted)
        return np.array([i in right for i in self.ids])


def read_set(text: str, same: Mapping[str, Sequence[str]]) -> list[Query]:
    """Collect ``LIBRARY:QUERIES.jsonl[:WEIGHT[:train]]``; ids without their root label."""
    library, file, *rest = text.split(":")
    weight, only_trained = float(rest[0]) if rest else 1.0, rest[1:] == ["train"]
    found = []
    with open_library(Path(library)) as opened:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            one: dict[str, Any] = json.loads(line)
            if not one["gold"]:
                continue
            gold = tuple(unlabelled(g, known=not only_trained) for g in one["gold"])
            ids, x = opened.ranker.candidates(one["query"])
            found.append(
                Query(
                    one["query_id"],
                    one["query"],
                    Path(file).name,
                    weight,
                    only_trained,
                    gold,
                    tuple(frozenset({g, *same.get(g, ())}) for g in gold),
                    tuple(unlabelled(i) for i in ids),
                    x,
                )
            )
    return found


def unlabelled(skill_id: str, *, known: bool = False) -> str:
    """Drop the root label; ``known`` ids have none."""
    return skill_id if known else skill_id.partition("/")[2]


def folds_of(queries: Sequence[Query], count: int, seed: int) -> npt.NDArray[np.int64]:
    """A fold for each query: those with a common accepted skill or text share one; sets are spread evenly."""
    items = [
        Item(
            query.gold[0],
            frozenset(("skill", i) for one in query.accepted for i in one)
            | {("text", normalised(query.text))},
            query.group,
        )
        for query in queries
    ]
    return np.array(evenly(items, count, seed=seed), dtype=np.int64)


def figures(query: Query, scores: npt.NDArray[np.float64], *, strict: bool) -> dict[str, float]:
    """hit@1, hit@5, recall@8 and reciprocal rank of one query, as the public scorer counts them."""
    order = np.argsort(-scores, kind="stable")
    rank = {query.ids[at]: place for place, at in enumerate(order, start=1)}
    accepted: Iterable[frozenset[str]] = [frozenset({g}) for g in query.gold] if strict else query.accepted
    first = [min((rank.get(i, 10**6) for i in one), default=10**6) for one in accepted]
    best = min(first)
    return {
        "hit@1": float(best == 1),
        "hit@5": float(best <= 5),
        "recall@8": float(np.mean([place <= 8 for place in first])),
        "mrr": 1 / best if best < 10**6 else 0.0,
    }

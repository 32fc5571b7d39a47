"""Measures of a ranking against the gold skills of a task; each gold skill counts once.

Ranks count from 1; ``r(g)`` is that of gold skill g, or of a skill that does as well, whichever comes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from skillquiver.evaluate.qrels import Task

__all__ = ["RANKING_MEASURES", "complete_at", "hit_at", "ndcg_at", "recall_at", "reciprocal_rank"]


def hit_at(task: Task, ranked: Sequence[str], k: int) -> float:
    """1 if any gold skill is among the first k, else 0 (success@k)."""
    return float(any(place is not None and place <= k for place in task.places(ranked)))


def recall_at(task: Task, ranked: Sequence[str], k: int) -> float:
    """Share of the held gold skills among the first k."""
    return sum(place is not None and place <= k for place in task.places(ranked)) / len(task.gold)


def complete_at(task: Task, ranked: Sequence[str], k: int) -> float:
    """1 if every held gold skill is among the first k, else 0."""
    return float(all(place is not None and place <= k for place in task.places(ranked)))


def reciprocal_rank(task: Task, ranked: Sequence[str]) -> float:
    """1 / rank of the first gold skill, 0 if none was found; its mean is MRR."""
    return 1.0 / min((place for place in task.places(ranked) if place is not None), default=math.inf)


def ndcg_at(task: Task, ranked: Sequence[str], k: int) -> float:
    """Sum of 1 / log2(1 + r(g)) over r(g) <= k, over the most it can be (Järvelin & Kekäläinen, 2002).

    Relevance is 0 or 1; a second equivalent of a gold skill that was found gains nothing.
    """
    gained = math.fsum(
        1 / math.log2(1 + place) for place in task.places(ranked) if place is not None and place <= k
    )
    return gained / math.fsum(1 / math.log2(1 + i) for i in range(1, min(k, len(task.gold)) + 1))


RANKING_MEASURES: Mapping[str, Callable[[Task, Sequence[str]], float]] = {
    "hit@1": lambda task, ranked: hit_at(task, ranked, 1),
    "hit@5": lambda task, ranked: hit_at(task, ranked, 5),
    "recall@8": lambda task, ranked: recall_at(task, ranked, 8),
    "complete@8": lambda task, ranked: complete_at(task, ranked, 8),
    "MRR": reciprocal_rank,
    "nDCG@10": lambda task, ranked: ndcg_at(task, ranked, 10),
}
"""What rankers are compared by."""

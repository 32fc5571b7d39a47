"""The second stage: a learned order of the first candidates (LambdaMART; Burges, 2010).

The model file is made by ``benchmarks/train_second_stage.py``; docs/second-stage.md is its card. Without the
file, or without a dense channel, the plain combination stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from skillquiver.index.heads import SkillHead
from skillquiver.retrieve.features import FEATURES, CardTerms, candidate_features
from skillquiver.retrieve.scores import FirstScores
from skillquiver.retrieve.trees import TreeEnsemble

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from skillquiver.index.dense import DenseIndex

__all__ = ["MODEL_FILE", "SecondStage", "packaged_second_stage", "read_second_stage", "share_out"]

MODEL_FILE = "second_stage.json"
"""In the package's ``retrieve/models``."""


class SecondStage:
    """Scores candidates by a sum of trees over ``FEATURES``; higher is better, only differences count."""

    def __init__(self, trees: TreeEnsemble) -> None:
        """Raises ``ValueError`` if the model was trained on other features than are computed here."""
        if trees.features != FEATURES:
            raise ValueError("the second stage was trained on other features; train it again")
        self._trees = trees

    def scores(
        self,
        first: FirstScores,
        candidates: Sequence[tuple[float, int, SkillHead]],
        dense: DenseIndex,
        cards: CardTerms,
    ) -> list[float]:
        """One score for each of ``candidates``, which are (fused score, row, skill), best first."""
        values = self._trees.predict(candidate_features(first, candidates, dense, cards))
        return share_out([skill.name for _, _, skill in candidates], [float(value) for value in values])


def share_out(names: Sequence[str], scores: Sequence[float]) -> list[float]:
    """Give the scores of namesakes to them in the order in which they come, best first.

    Namesakes are mostly copies, which the trees tell apart by chance.

    >>> share_out(["pdf", "mail", "pdf"], [1.0, 5.0, 3.0])
    [3.0, 5.0, 1.0]
    """
    places: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        places[name.casefold()].append(at)
    shared = list(scores)
    for own in places.values():
        for at, score in zip(own, sorted((scores[at] for at in own), reverse=True), strict=True):
            shared[at] = score
    return shared


@lru_cache(maxsize=1)
def packaged_second_stage() -> tuple[SecondStage | None, str]:
    """The model that ships with the package, and why there is none (empty if there is)."""
    from importlib.resources import files

    return read_second_stage(files("skillquiver.retrieve") / "models" / MODEL_FILE)


def read_second_stage(file: Traversable) -> tuple[SecondStage | None, str]:
    """The model in ``file``, and why it cannot be used (empty if it can)."""
    try:
        return SecondStage(TreeEnsemble.from_bytes(file.read_bytes())), ""
    except (OSError, ValueError) as error:
        return None, f"the second stage is not usable ({error}): the plain combination answers"

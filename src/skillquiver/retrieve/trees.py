"""A sum of regression trees, read from a small file and evaluated with numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["TREES_FORMAT", "Tree", "TreeEnsemble"]

TREES_FORMAT = 1
"""Version of the file; another one is refused, never guessed at."""


class Tree(msgspec.Struct, frozen=True):
    """One tree; node 0 is the root.

    Node ``i`` sends x to ``left[i]`` if x[``feature[i]``] <= ``threshold[i]``, else to ``right[i]``. A leaf
    has ``left`` = ``right`` = -1 and is worth ``value[i]``; inner nodes are worth 0.
    """

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


class _File(msgspec.Struct, frozen=True):
    format: int
    features: list[str]
    trees: list[Tree]


class TreeEnsemble:
    """f(x) = sum over trees of the value of the leaf that x falls into (Friedman, 2001)."""

    def __init__(self, features: Sequence[str], trees: Sequence[Tree]) -> None:
        """Lay all nodes out in flat arrays. Raises ``ValueError`` for trees that are no trees."""
        import numpy as np

        self.features = tuple(features)
        for number, tree in enumerate(trees):
            _check(tree, len(self.features), number)
        starts = np.cumsum([0, *(len(tree.feature) for tree in trees)])
        self._roots = starts[:-1]
        self._depth = max((_depth(tree) for tree in trees), default=0)
        self._feature = np.array([f for tree in trees for f in tree.feature], dtype=np.int64)
        self._threshold = np.array([t for tree in trees for t in tree.threshold], dtype=np.float64)
        self._value = np.array([v for tree in trees for v in tree.value], dtype=np.float64)
        self._left = _children([tree.left for tree in trees], starts)
        self._right = _children([tree.right for tree in trees], starts)

    @classmethod
    def from_bytes(cls, data: bytes) -> TreeEnsemble:
        """Read a model file. Raises ``ValueError`` for anything else, another format included."""
        try:
            file = msgspec.json.decode(data, type=_File)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not a file of trees ({error})") from error
        if file.format != TREES_FORMAT:
            raise ValueError(f"the file of trees has format {file.format}, not {TREES_FORMAT}")
        return cls(file.features, file.trees)

    @staticmethod
    def to_bytes(features: Sequence[str], trees: Sequence[Tree]) -> bytes:
        """What ``from_bytes`` reads."""
        return msgspec.json.encode(_File(TREES_FORMAT, list(features), list(trees)))

    def predict(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Values of the rows of ``x``, of shape (rows, features); the result has shape (rows,)."""
        import numpy as np

        node = np.broadcast_to(self._roots, (len(x), len(self._roots)))
        rows = np.arange(len(x))[:, None]
        for _ in range(self._depth):
            goes_left = x[rows, self._feature[node]] <= self._threshold[node]
            node = np.where(goes_left, self._left[node], self._right[node])
        values: npt.NDArray[np.float64] = self._value[node].sum(axis=1)
        return values


def _children(columns: Sequence[Sequence[int]], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Places of the children in the flat arrays; a leaf leads to itself, so that every walk is as long."""
    import numpy as np

    places = [
        int(start) + (own if child < 0 else child)
        for column, start in zip(columns, starts, strict=False)
        for own, child in enumerate(column)
    ]
    return np.array(places, dtype=np.int64)


def _check(tree: Tree, features: int, number: int) -> None:
    size = len(tree.feature)
    columns = (tree.threshold, tree.left, tree.right, tree.value)
    if not size or any(len(column) != size for column in columns):
        raise ValueError(f"tree {number} has columns of different lengths")
    for own, (left, right) in enumerate(zip(tree.left, tree.right, strict=True)):
        leaf = left == right == -1
        # Children come after their parent, so that every walk ends.
        if not leaf and not (own < left < size and own < right < size):
            raise ValueError(f"tree {number} has a node {own} whose children are not below it")
        if not 0 <= tree.feature[own] < features:
            raise ValueError(f"tree {number} asks for feature {tree.feature[own]} of {features}")


def _depth(tree: Tree) -> int:
    depth = [0] * len(tree.feature)
    for own in range(len(tree.feature)):
        for child in (tree.left[own], tree.right[own]):
            if child >= 0:
                depth[child] = depth[own] + 1
    return max(depth)

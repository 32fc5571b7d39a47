from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.retrieve.trees import TREES_FORMAT, Tree, TreeEnsemble

STUMP = Tree([1, 0, 0], [0.5, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [0.0, 10.0, 20.0])
"""10 if x[1] <= 0.5, else 20."""

DEEP = Tree(
    [0, 0, 0, 0, 0], [3.0, 1.0, 0.0, 0.0, 0.0], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, 1, 2, 3]
)
"""1 if x[0] <= 1, 2 if <= 3, else 3."""


def test_a_row_is_worth_the_sum_of_the_leaves_it_falls_into() -> None:
    model = TreeEnsemble(["a", "b"], [STUMP, DEEP])
    x = np.array([[1.0, 0.5], [1.5, 0.6], [3.5, -9.0]])
    assert model.predict(x).tolist() == [11.0, 22.0, 13.0]


def test_no_rows_and_no_trees_are_worth_nothing() -> None:
    assert TreeEnsemble(["a", "b"], [STUMP]).predict(np.empty((0, 2))).tolist() == []
    assert TreeEnsemble(["a"], []).predict(np.array([[4.0], [5.0]])).tolist() == [0.0, 0.0]


def test_a_tree_of_one_leaf_gives_everything_its_value() -> None:
    assert TreeEnsemble(["a"], [Tree([0], [0.0], [-1], [-1], [7.0])]).predict(np.array([[2.0]])).tolist() == [
        7.0
    ]


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1))
def test_a_row_is_worth_the_same_whatever_stands_beside_it(rows: list[tuple[float, float]]) -> None:
    model = TreeEnsemble(["a", "b"], [STUMP, DEEP])
    together = model.predict(np.array(rows))
    alone = [float(model.predict(np.array([row]))[0]) for row in rows]
    assert together.tolist() == alone


def test_what_was_written_is_read_back() -> None:
    model = TreeEnsemble.from_bytes(TreeEnsemble.to_bytes(["a", "b"], [STUMP, DEEP]))
    assert model.features == ("a", "b")
    assert model.predict(np.array([[1.5, 0.6]])).tolist() == [22.0]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not a file of trees"),
        (b"[]", "not a file of trees"),
        (json.dumps({"format": 99, "features": [], "trees": []}).encode(), f"not {TREES_FORMAT}"),
    ],
)
def test_another_file_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TreeEnsemble.from_bytes(data)


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        (Tree([], [], [], [], []), "columns"),
        (Tree([0, 0], [0.0], [-1, -1], [-1, -1], [0.0, 0.0]), "columns"),
        (Tree([0], [0.0], [0], [0], [0.0]), "below"),
        (Tree([0, 0], [0.0, 0.0], [1, -1], [5, -1], [0.0, 0.0]), "below"),
        (Tree([2], [0.0], [-1], [-1], [0.0]), "feature 2 of 1"),
    ],
)
def test_what_is_no_tree_is_refused(tree: Tree, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TreeEnsemble(["a"], [tree])

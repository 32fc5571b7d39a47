from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.retrieve.features import FEATURES
from skillquiver.retrieve.stages import packaged_stages, read_stages
from skillquiver.retrieve.trained_on import query_hash, trained_on_text
from skillquiver.retrieve.trees import Tree, TreeEnsemble

LEAF = Tree([0], [0.0], [-1], [-1], [1.0])


def model(file: Path, *learned: str) -> Path:
    """Write a model of one leaf and, if anything was learned, the list beside it."""
    file.write_bytes(TreeEnsemble.to_bytes(FEATURES, [LEAF]))
    if learned:
        file.with_suffix(".queries").write_text(trained_on_text(learned), encoding="utf-8")
    return file


def folds(folder: Path, **fields: object) -> Path:
    """Write two models and a list that has `one` ranked by the second."""
    model(folder / "0.json", "one")
    model(folder / "1.json", "zero")
    given = {"folds": {query_hash("zero"): 0, query_hash("one"): 1}, "format": 1} | fields
    (folder / "folds.json").write_text(json.dumps(given), encoding="utf-8")
    return folder


def test_each_query_is_ranked_by_the_model_that_did_not_see_it(tmp_path: Path) -> None:
    stages = read_stages(folds(tmp_path))
    assert len(stages.models) == 2
    assert [stages.of(query) for query in ("zero", "ONE", "new")] == [0, 1, 0]
    assert [stages.learned(query) for query in ("zero", "one", "new")] == [False, False, False]


def test_a_model_that_did_see_its_query_says_so(tmp_path: Path) -> None:
    stages = read_stages(model(tmp_path / "m.json", "seen"))
    assert (stages.learned("Seen"), stages.learned("new")) == (True, False)


def test_a_model_without_a_list_does_not_know(tmp_path: Path) -> None:
    assert read_stages(model(tmp_path / "m.json")).learned("new") is None


def test_the_packaged_model_is_one_model_for_all() -> None:
    stages = packaged_stages()
    assert (len(stages.models), stages.of("anything"), stages.learned("no such query")) == (1, 0, False)


@pytest.mark.parametrize(
    "fields", [{"format": 2}, {"folds": []}, {"folds": {"a": -1}}, {"folds": {"a": 7}}], ids=str
)
def test_a_folder_whose_list_cannot_be_used_is_refused(tmp_path: Path, fields: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"folds\.json|7\.json|2\.json"):
        read_stages(folds(tmp_path, **fields))


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}", encoding="utf-8")
    for place in (tmp_path / "m.json", tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match=str(tmp_path)):
            read_stages(place)


def test_a_damaged_list_beside_a_model_is_refused(tmp_path: Path) -> None:
    model(tmp_path / "m.json").with_suffix(".queries").write_text("a text", encoding="utf-8")
    with pytest.raises(UsageError, match="no list of hashes"):
        read_stages(tmp_path / "m.json")

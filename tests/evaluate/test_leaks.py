from __future__ import annotations

from pathlib import Path

import pytest

from skillquiver.retrieve.features import FEATURES
from skillquiver.retrieve.trees import Tree, TreeEnsemble
from skillquiver.serve.usecases.evaluating import QueryFiles, run_experiment
from skillquiver.settings import EvalSettings
from tests.evaluate.library import QUERIES, SUBJECTS, make, opened, write
from tests.retrieve.test_stages import folds, model

FEW = EvalSettings(draws=200)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many skills as the second stage needs to have a say."""
    subjects = (*SUBJECTS, *(f"filler{at} topic{at}" for at in range(100 - len(SUBJECTS))))
    return make(tmp_path_factory.mktemp("large"), subjects)


def warnings(library: Path, queries: Path, stage: Path | None) -> list[str]:
    with opened(library, stage) as subject:
        section = run_experiment(subject, "rankers", QueryFiles((queries,)), FEW, command="")
    return [text for text in section.warnings if "second stage" in text]


def test_queries_that_the_second_stage_was_trained_on_are_counted(large: Path, tmp_path: Path) -> None:
    stage = model(tmp_path / "m.json", QUERIES[0].query.upper(), QUERIES[3].query, "another")
    (found,) = warnings(large, write(tmp_path / "set.jsonl"), stage)
    assert found.startswith("set: the second stage was trained on 2 of 12 queries")


def test_where_no_second_stage_ranks_nothing_leaks(large: Path, tmp_path: Path) -> None:
    stage, queries = model(tmp_path / "m.json", QUERIES[0].query), write(tmp_path / "set.jsonl")
    told = {}
    with opened(large, stage) as subject:
        for ranker in ("hybrid", "second stage"):
            settings = EvalSettings(draws=200, ranker=ranker)
            section = run_experiment(subject, "arms", QueryFiles((queries,)), settings)
            told[ranker] = [text for text in section.warnings if "trained on" in text]
    assert (len(told["hybrid"]), len(told["second stage"])) == (0, 1)


def test_a_model_that_does_not_say_what_it_learned_is_doubted(large: Path, tmp_path: Path) -> None:
    (found,) = warnings(large, write(tmp_path / "set.jsonl"), model(tmp_path / "m.json"))
    assert "does not say" in found
    assert "12 of 12" in found


def test_queries_it_never_saw_raise_no_warning(large: Path, tmp_path: Path) -> None:
    queries = write(tmp_path / "set.jsonl")
    assert warnings(large, queries, None) == []
    assert warnings(large, queries, folds(tmp_path)) == []


def test_where_the_second_stage_has_no_say_nothing_leaks(tmp_path: Path) -> None:
    stage = model(tmp_path / "m.json", QUERIES[0].query)
    found = warnings(make(tmp_path), write(tmp_path / "set.jsonl"), stage)
    assert [text for text in found if "trained" in text] == []


def test_each_query_is_ranked_by_the_model_of_its_fold(large: Path, tmp_path: Path) -> None:
    folder = folds(tmp_path)
    turned = Tree([FEATURES.index("fused rank"), 0, 0], [0.1, 0, 0], [1, -1, -1], [2, -1, -1], [0, -1.0, 4.0])
    (folder / "1.json").write_bytes(TreeEnsemble.to_bytes(FEATURES, [turned]))
    with opened(large, folder) as subject:
        plain = subject.library_for("zero").ranker
        assert subject.library_for("one").ranker is not plain
        assert subject.library_for("one").ranker is subject.library_for("one").ranker
        found = {name: subject.rank(name, top_k=3) for name in ("zero", "one")}
        assert {result.evidence.second for result in found["zero"].results} == {1.0}
        assert {result.evidence.second for result in found["one"].results} == {4.0}

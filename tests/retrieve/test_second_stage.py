from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from skillquiver.index.dense import DenseIndex
from skillquiver.index.lexical import LexicalIndex
from skillquiver.index.store import Store
from skillquiver.retrieve.features import FEATURES
from skillquiver.retrieve.ranker import Ranker
from skillquiver.retrieve.ranking import Ranking
from skillquiver.retrieve.second_stage import (
    SecondStage,
    packaged_second_stage,
    read_second_stage,
    share_out,
)
from skillquiver.retrieve.trees import Tree, TreeEnsemble
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.searching import search
from skillquiver.settings import RankSettings
from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder
from tests.libraries import found, index, put

BACKWARDS = Tree(
    [FEATURES.index("fused rank"), 0, 0], [0.1, 0, 0], [1, -1, -1], [2, -1, -1], [0.0, -1.0, 4.0]
)
"""-1 for the first of the plain combination, 4 for all others."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("pdf-forms", "pdf-merge", "charts", "mail"):
        put(root, name, f"Does {name} with pdf files.")
    index(tmp_path / "library", root)
    return tmp_path / "library"


def ranked(folder: Path, second: SecondStage | None, *, top_k: int = 10, depth: int = 4) -> Ranking:
    with Store.opened(folder) as store:
        lexical, dense = LexicalIndex.open(folder / "lexical"), DenseIndex.open(folder / "dense")
        assert lexical is not None
        assert dense is not None
        settings = RankSettings(rerank_depth=depth)
        ranker = Ranker(store, lexical, (dense, HashEncoder()), settings=settings, second=second)
        return ranker.rank("pdf forms", top_k=top_k)


def second(*trees: Tree) -> SecondStage:
    return SecondStage(TreeEnsemble(FEATURES, trees))


def test_the_head_is_ordered_by_the_second_stage_ties_by_id(library: Path) -> None:
    before, after = ranked(library, None), ranked(library, second(BACKWARDS))
    first = found(before)[0]
    assert first == "root/pdf-forms"
    assert found(after) == [*sorted(found(before)[1:]), first]
    assert [result.evidence.second for result in after.results] == [4.0, 4.0, 4.0, -1.0]
    assert after.results[-1].evidence.first_rank == 1


def test_only_the_depth_is_ordered_anew_and_scores_fall_with_the_rank(library: Path) -> None:
    before, after = ranked(library, None), ranked(library, second(BACKWARDS), depth=2)
    one, two, *rest = found(before)
    assert found(after) == [two, one, *rest]
    scores = [result.score for result in after.results]
    assert scores == sorted(scores, reverse=True)
    assert [result.evidence.second for result in after.results] == [4.0, -1.0, None, None]


def test_asking_for_fewer_results_does_not_change_them(library: Path) -> None:
    stage = second(BACKWARDS)
    assert found(ranked(library, stage, top_k=2)) == found(ranked(library, stage))[:2]


def test_a_library_smaller_than_the_depth_has_the_plain_combination(library: Path) -> None:
    assert ranked(library, second(BACKWARDS), depth=5) == ranked(library, None)


def test_depth_zero_is_the_plain_combination(library: Path) -> None:
    assert ranked(library, second(BACKWARDS), depth=0) == ranked(library, None)


def test_channels_still_sum_to_the_score_of_the_plain_combination(library: Path) -> None:
    for result in ranked(library, second(BACKWARDS)).results:
        assert sum(result.evidence.channels.values()) == pytest.approx(result.evidence.first_score, abs=1e-3)


def test_a_model_of_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="train it again"):
        SecondStage(TreeEnsemble(["length"], []))


def test_the_packaged_model_fits_the_features() -> None:
    stage, missing = packaged_second_stage()
    assert stage is not None
    assert missing == ""


def test_namesakes_share_their_scores_out_in_the_order_they_come() -> None:
    names = ["Pdf", "mail", "pdf", "chart", "pdf"]
    assert share_out(names, [1.0, 5.0, 3.0, 0.0, 2.0]) == [3.0, 5.0, 2.0, 0.0, 1.0]


def test_a_model_that_cannot_be_used_leaves_the_plain_combination_and_the_answer_says_so(
    tmp_path: Path, library: Path
) -> None:
    def encoders(_: str) -> tuple[Encoder | None, str]:
        return HashEncoder(), ""

    settings, plain = RankSettings(rerank_depth=4), RankSettings(rerank_depth=0)
    with open_library(library, settings=plain, encoders=encoders) as opened:
        expected = search(opened, "pdf forms")
    assert expected.degraded == ""
    other = TreeEnsemble.to_bytes(["length"], [])
    for data, told in ((None, "No such file"), (b"{", "not a file of trees"), (other, "train it again")):
        file = tmp_path / "model.json"
        if data is not None:
            file.write_bytes(data)
        with open_library(
            library, settings=settings, encoders=encoders, second=partial(read_second_stage, file)
        ) as opened:
            ranking = search(opened, "pdf forms")
        assert ranking.results == expected.results
        assert told in ranking.degraded
        assert "the plain combination answers" in ranking.degraded

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from skillquiver.index.dense import DenseIndex
from skillquiver.index.lexical import Field, LexicalIndex, pair
from skillquiver.index.store import Store
from skillquiver.retrieve.features import FEATURES
from skillquiver.retrieve.ranker import Ranker
from skillquiver.settings import RankSettings
from skillquiver.testing import HashEncoder
from tests.libraries import index, put


@pytest.fixture
def ranker(tmp_path: Path) -> Iterator[Ranker]:
    root = tmp_path / "root"
    put(root, "pdf-forms", "Fill in forms.", "Open the form. Write text into fields.")
    put(root, "charts", "Draw a chart of numbers.", "Pick a form of chart.")
    put(root, "mail", "Send letters.", "Write the letter. Send it.")
    index(tmp_path / "library", root)
    with Store.opened(tmp_path / "library") as store:
        lexical, dense = (
            LexicalIndex.open(tmp_path / "library/lexical"),
            DenseIndex.open(tmp_path / "library/dense"),
        )
        assert lexical is not None
        assert dense is not None
        yield Ranker(store, lexical, (dense, HashEncoder()), settings=RankSettings())


def table(ranker: Ranker, query: str) -> dict[str, dict[str, float]]:
    ids, x = ranker.candidates(query)
    return {i: dict(zip(FEATURES, row, strict=True)) for i, row in zip(ids, x.tolist(), strict=True)}


def test_every_candidate_has_every_feature(ranker: Ranker) -> None:
    ids, x = ranker.candidates("fill in a pdf form")
    assert x.shape == (len(ids), len(FEATURES))
    assert np.isfinite(x).all()
    assert len(set(FEATURES)) == len(FEATURES)


def test_coverage_is_the_share_of_the_querys_idf_that_a_field_holds(ranker: Ranker) -> None:
    found = table(ranker, "pdf form chart")
    # Of four documents (three skills and the index's own mark) one holds "pdf", two "form", one "chart":
    # idf = ln(1 + (4 - n + 0.5) / (n + 0.5)).
    rare, common = math.log(1 + 3.5 / 1.5), math.log(1 + 2.5 / 2.5)
    whole = 2 * rare + common
    assert found["root/pdf-forms"]["full coverage"] == pytest.approx((rare + common) / whole)
    assert found["root/charts"]["full coverage"] == pytest.approx((rare + common) / whole)
    assert found["root/charts"]["card coverage"] == pytest.approx(rare / whole)
    # "pdf form" stands in the name of one; "form chart" (stop words fall out) in the body of the other.
    one_pair = common / (2 * common)
    assert found["root/pdf-forms"]["pair coverage"] == pytest.approx(one_pair)
    assert found["root/charts"]["pair coverage"] == pytest.approx(one_pair)


def test_a_name_that_the_query_holds_whole_is_told(ranker: Ranker) -> None:
    found = table(ranker, "the pdf has forms and charts")
    assert (found["root/pdf-forms"]["name told"], found["root/pdf-forms"]["name told whole"]) == (1.0, 1.0)
    assert found["root/pdf-forms"]["name terms told"] == 2.0
    half = table(ranker, "forms, and letters")["root/pdf-forms"]
    assert half["name told whole"] == 0.0
    assert 0.0 < half["name told"] < 1.0


def test_leads_are_measured_from_the_best_candidate(ranker: Ranker) -> None:
    found = table(ranker, "fill in a pdf form")
    for name in (name for name in FEATURES if name.endswith("lead")):
        assert max(row[name] for row in found.values()) == 0.0
    first = found["root/pdf-forms"]
    assert (first["fused rank"], first["like first"]) == (0.0, pytest.approx(1.0))


def test_a_query_without_words_has_no_features(ranker: Ranker) -> None:
    with pytest.raises(ValueError, match="query with words"):
        ranker.candidates(" ")


def test_coverage_counts_only_the_rows_asked_for(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("one", "two", "three"):
        put(root, name, "Cut audio.", "Cut audio at silence.")
    index(tmp_path / "library", root)
    lexical = LexicalIndex.open(tmp_path / "library/lexical")
    assert lexical is not None
    rows = [row for row, _ in lexical.search({"audio": 1.0}, Field.FULL, top_k=9)]
    asked = rows[:2]
    weights = {"audio": 2.0, "silenc": 1.0, "video": 8.0}
    assert lexical.coverage(weights, Field.FULL, asked) == dict.fromkeys(asked, 3.0)
    assert lexical.coverage({pair("cut", "audio"): 1.5}, Field.PAIRS, asked) == dict.fromkeys(asked, 1.5)
    assert lexical.coverage({pair("audio", "cut"): 1.5}, Field.FULL, asked) == {}
    assert lexical.coverage({}, Field.FULL, asked) == {} == lexical.coverage(weights, Field.FULL, [])

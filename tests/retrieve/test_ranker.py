from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillquiver.index.analyze import STOP_WORDS, analyze
from skillquiver.index.lexical import Field, LexicalIndex
from skillquiver.serve.usecases.library import Library, open_library
from skillquiver.serve.usecases.searching import search
from skillquiver.types import Encoder, Status
from tests.libraries import found, index, put, rank
from tests.sample import HIDDEN, SKILLS


@pytest.fixture(scope="module")
def library(sample: Path) -> Iterator[Library]:
    with open_library(sample) as opened:
        yield opened


@pytest.fixture(scope="module")
def lexical(sample: Path) -> Iterator[Library]:
    with open_library(sample, lexical=True) as opened:
        yield opened


# --- the field reports ------------------------------------------------------------------------


PLAIN_WORDS = {
    "my slides look ugly, make the deck nicer": "sample/pptx",
    "check that my website works in a browser": "sample/webapp-testing",
    "fill in a pdf form": "sample/pdf",
    "my docker image is too big": "sample/container-images",
    "make a pivot table": "sample/spreadsheets",
}


@pytest.mark.parametrize(("query", "best"), PLAIN_WORDS.items())
def test_a_task_in_plain_words_finds_its_skill_first(library: Library, query: str, best: str) -> None:
    ranking = search(library, query)
    assert found(ranking)[0] == best
    assert ranking.degraded == ""


def test_a_match_in_a_small_library_is_not_denied(library: Library) -> None:
    assert [query for query in PLAIN_WORDS if search(library, query).status is Status.NONE] == []


@pytest.mark.parametrize(
    "query",
    [
        "bake a chocolate cake",
        "what is the weather in Lisbon tomorrow",
        "buy a birthday present for my aunt",
        "",
        "   \n\t",
        " ".join(sorted(STOP_WORDS)),
        "?!…",
        "zxqv wvkj",
    ],
)
def test_a_task_that_no_skill_does_yields_none(library: Library, lexical: Library, query: str) -> None:
    for opened in (library, lexical):
        assert search(opened, query).status is Status.NONE, query


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("将 CSV 转换为 Parquet", "sample/csv-parquet"),
        ("转换表格文件", "sample/csv-parquet"),
        ("会議の議事録を作成して", "sample/meeting-notes"),
        ("문서를 영어로 번역해 줘", "sample/translation"),
    ],
)
def test_chinese_japanese_and_korean_queries_find_their_skill_among_the_first_three(
    library: Library, lexical: Library, query: str, wanted: str
) -> None:
    for opened in (library, lexical):
        assert wanted in found(search(opened, query, top_k=3))


def test_without_hidden_the_others_keep_their_order(library: Library) -> None:
    query = "tag and publish a release"
    everything = found(search(library, query, top_k=50))
    assert everything[0] == f"sample/{HIDDEN}"
    assert found(search(library, query, top_k=50, hidden=False)) == everything[1:]


# --- any text is legal --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        *('"', "'", '"pdf', "pdf AND", "NOT", "OR (", "(((", "name:pdf", "pdf^2 ~3", "[a TO z]", "*", "a\\"),
        *("\x00", "\ud800", "\udfff pdf", "\u202e", "👩‍👩‍👧", "e\u0301" * 999, " " * 30_000 + "pdf"),
        "pdf form. " * 5_000,
        "x" * 50_000,
        " ".join(f"word{i}" for i in range(7_000)),
    ],
    ids=range(22),
)
def test_no_query_is_an_error(library: Library, lexical: Library, query: str) -> None:
    for opened in (library, lexical):
        ranking = search(opened, query, explain=True)
        assert len(ranking.results) <= 10


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_searched_for(lexical: Library, query: str) -> None:
    ranking = search(lexical, query, top_k=3, explain=True)
    assert 0.0 <= ranking.confidence <= 1.0
    assert [result.rank for result in ranking.results] == list(range(1, len(ranking.results) + 1))


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=80))
def test_any_text_can_be_encoded(library: Library, query: str) -> None:
    assert search(library, query, top_k=1).degraded == ""


def test_query_syntax_means_nothing(lexical: Library) -> None:
    plain, decorated = (search(lexical, q) for q in ("pdf form table", '"pdf" (form) :table NOT'))
    assert [(r.id, r.score) for r in plain.results] == [(r.id, r.score) for r in decorated.results]


# --- evidence ---------------------------------------------------------------------------------------


def test_channels_sum_to_the_score_and_terms_to_the_bm25_score_of_the_full_text(
    library: Library, sample: Path
) -> None:
    query = "fill in the form of a pdf document, then check the page in a browser"
    ranking = search(library, query, explain=True)
    lexicon = LexicalIndex.open(sample / "lexical")
    assert lexicon is not None
    full = dict(lexicon.search(Counter(analyze(query)), Field.FULL, top_k=99))
    for result in ranking.results:
        assert result.evidence.terms is not None
        assert sum(result.evidence.channels.values()) == pytest.approx(result.evidence.first_score, abs=3e-4)
        assert sum(result.evidence.terms.values()) == pytest.approx(full.get(result.row, 0.0), rel=1e-4)
        assert set(result.evidence.channels) == {"full text", "card", "name", "dense"}


def test_ranks_in_the_channels_are_those_of_the_channels(library: Library, sample: Path) -> None:
    ranking = search(library, "pdf form", top_k=20)
    lexicon = LexicalIndex.open(sample / "lexical")
    assert lexicon is not None
    rows = [row for row, _ in lexicon.search(Counter(analyze("pdf form")), Field.FULL, top_k=99)]
    ranks = {result.row: result.evidence.lexical_rank for result in ranking.results}
    assert [ranks[row] for row in rows] == list(range(1, len(rows) + 1))
    assert sorted(result.evidence.dense_rank or 0 for result in ranking.results) == list(
        range(1, len(ranking.results) + 1)
    )


def test_the_cosine_is_that_of_the_nearest_window(library: Library, minilm: Encoder) -> None:
    padding = "Every sentence about nothing in particular is as long as it needs to be here. " * 5
    query = f"{padding}Fill in a PDF form."
    (best, *_) = search(library, query).results
    text = f"pdf. {SKILLS['pdf'][0]}"
    vectors = minilm.encode([text, best.evidence.window])
    assert best.id == "sample/pdf"
    assert best.evidence.window.endswith("Fill in a PDF form.")
    assert best.evidence.cosine == pytest.approx(float(vectors[0] @ vectors[1]), abs=5e-3)


def test_coverage_is_a_share_of_what_any_text_could_reach(library: Library) -> None:
    known, half = (search(library, q).results[0].evidence.coverage for q in ("pdf", "pdf zxqv"))
    assert 0 < half < known <= 1


def test_terms_are_left_out_unless_they_are_asked_for(library: Library) -> None:
    assert search(library, "pdf").results[0].evidence.terms is None


# --- order --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top_k", [1, 2, 5, 14, 1000])
def test_fewer_results_are_the_first_of_more_with_the_same_status(library: Library, top_k: int) -> None:
    everything, some = (search(library, "pdf form", top_k=k) for k in (1000, top_k))
    assert len(everything.results) == len(SKILLS) + 2
    assert some.results == everything.results[:top_k]
    assert (some.status, some.confidence) == (everything.status, everything.confidence)


def test_equal_scores_are_ordered_by_id_however_many_there_are(tmp_path: Path) -> None:
    names = [f"s{i:02}" for i in range(20)]
    random.Random(3).shuffle(names)
    library = tmp_path / "library"
    for name in names:  # one run each, so that rows are in the order of ``names``
        put(tmp_path / "skills", name, "Handles widgets.", f"Step {name[1:]}.", name="widget")
        index(library, tmp_path / "skills", vectors=False)
    for top_k in (1, 3, 7, 20):
        ranking = rank(library, "widgets", lexical=True, top_k=top_k)
        assert len({result.score for result in ranking.results}) == 1
        assert found(ranking) == [f"skills/{name}" for name in sorted(names)][:top_k]


def test_the_order_in_which_skills_were_indexed_does_not_change_a_ranking(tmp_path: Path) -> None:
    words = "alpha beta gamma delta epsilon".split()
    rankings = []
    for seed in (1, 2):
        root, library = tmp_path / f"{seed}" / "skills", tmp_path / f"{seed}" / "library"
        numbers = list(range(12))
        random.Random(seed).shuffle(numbers)
        for half in (numbers[:6], numbers[6:]):
            for i in half:
                put(root, f"s{i}", f"Makes {words[i % 5]}.", f"{words[(i * 3) % 5]} {words[i % 4]}")
            index(library, root)
        rankings.append([(r.id, r.score) for q in words for r in rank(library, q, top_k=12).results])
    assert rankings[0] == rankings[1]


def test_a_library_of_one_skill_finds_it(tmp_path: Path) -> None:
    put(tmp_path / "skills", "pdf", "Fills in forms.")
    index(tmp_path / "library", tmp_path / "skills")
    for lexical in (False, True):
        assert found(rank(tmp_path / "library", "fill in a form", lexical=lexical)) == ["skills/pdf"]


def test_a_skill_that_goes_while_a_library_is_open_is_skipped(tmp_path: Path) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    for i in range(3):
        put(root, f"s{i}", f"Makes widgets {i}.")
    index(library, root, vectors=False)
    with open_library(library) as opened:
        (root / "s1" / "SKILL.md").unlink()
        index(library, vectors=False)
        assert set(found(search(opened, "widgets"))) == {"skills/s0", "skills/s2"}


# --- when vectors cannot be used ------------------------------------------------------------------------


def test_vectors_of_another_encoder_are_not_used(tmp_path: Path) -> None:
    put(tmp_path / "skills", "pdf", "Fills in forms.")
    index(tmp_path / "library", tmp_path / "skills")  # registered as minilm, made by the double
    with open_library(tmp_path / "library") as opened:
        ranking = search(opened, "forms")
    assert ranking.degraded.startswith("vectors were made with hash-64: lexical only")
    assert found(ranking) == ["skills/pdf"]


@pytest.mark.parametrize("file", ["dense.json", "matrix-*", "rows-*"])
def test_damaged_vectors_leave_a_lexical_answer_that_says_so(tmp_path: Path, file: str) -> None:
    put(tmp_path / "skills", "pdf", "Fills in forms.")
    index(tmp_path / "library", tmp_path / "skills")
    (damaged,) = (tmp_path / "library" / "dense").glob(file)
    damaged.write_bytes(np.zeros(3).tobytes())
    with open_library(tmp_path / "library") as opened:
        ranking = search(opened, "forms")
    assert "lexical only; run `quiver index`" in ranking.degraded
    assert found(ranking) == ["skills/pdf"]

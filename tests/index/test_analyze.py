from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.index.analyze import MAX_TERM, STOP_WORDS, analyze, cjk_share


def test_words_are_lower_cased_and_stemmed_and_stop_words_go() -> None:
    assert analyze("The Running of the presentations") == ["run", "present"]


# Stems from the published vocabulary of Snowball's English stemmer (snowballstem.org, english/output.txt).
@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("consignment", "consign"),
        ("consistency", "consist"),
        ("knightly", "knight"),
        ("knitting", "knit"),
        ("consolatory", "consolatori"),
        ("generously", "generous"),
        ("skis", "ski"),
        ("dying", "die"),
        ("conversion", "convers"),
    ],
)
def test_stems_are_those_of_porter2(word: str, stem: str) -> None:
    assert analyze(word) == [stem]


def test_snake_case_falls_apart_and_digits_stay_with_their_word() -> None:
    assert analyze("read_csv utf8 v2.0") == ["read", "csv", "utf8", "v2", "0"]


def test_an_apostrophe_leaves_no_terms_of_its_own() -> None:
    assert analyze("don't, it's, we've, user’s") == ["user"]


def test_chinese_japanese_and_korean_runs_yield_overlapping_bigrams() -> None:
    assert analyze("将CSV转换为") == ["将", "csv", "转换", "换为"]
    assert analyze("ファイル変換") == ["ファ", "ァイ", "イル", "ル変", "変換"]
    assert analyze("파일 변환") == ["파일", "변환"]


def test_compatibility_forms_are_one_term() -> None:
    assert analyze("ＣＳＶ ﬁle ﾌｧｲﾙ") == analyze("CSV file ファイル")


def test_accents_survive_and_composed_equals_decomposed() -> None:
    assert analyze("caf\u00e9") == analyze("cafe\u0301") == ["caf\u00e9"]


def test_runs_longer_than_any_query_word_are_dropped() -> None:
    assert analyze("a1" * (MAX_TERM // 2)) == [Stemmer.Stemmer("english").stemWord("a1" * (MAX_TERM // 2))]
    assert analyze("a1" * MAX_TERM) == []


def test_only_stop_words_leave_nothing_to_search_for() -> None:
    assert analyze(" ".join(sorted(STOP_WORDS))) == []


def test_the_share_of_cjk_counts_letters_only() -> None:
    assert cjk_share("转换 ab 12 !!") == 0.5
    assert cjk_share("123 ...") == 0.0


@given(st.text())
def test_any_text_is_legal_and_terms_hold_no_white_space(text: str) -> None:
    terms = analyze(text)
    assert terms == " ".join(terms).split()
    assert 0.0 <= cjk_share(text) <= 1.0


@given(st.text(), st.text())
def test_the_terms_of_two_lines_are_those_of_each(one: str, other: str) -> None:
    assert analyze(f"{one}\n{other}") == analyze(one) + analyze(other)

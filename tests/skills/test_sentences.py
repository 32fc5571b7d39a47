from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.skills.sentences import leading_sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use e.g. Node.js vs. Deno. Then stop.", ["Use e.g. Node.js vs. Deno.", "Then stop."]),
        ("1. Open it. 2. Close it.", ["1. Open it.", "2. Close it."]),
        ("Run `a. B` first. Then go.", ["Run `a. B` first.", "Then go."]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ("Wait... what? Version 3.5 is out.", ["Wait... what?", "Version 3.5 is out."]),
        ("将 CSV 转换。支持「多种。」格式", ["将 CSV 转换。", "支持「多种。」", "格式"]),
        ("no stop\nat all", ["no stop at all"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_leading_sentences_stop_before_the_one_that_does_not_fit() -> None:
    text = "Alpha beta. Gamma delta. Epsilon."
    assert leading_sentences(text, 24) == "Alpha beta. Gamma delta."
    assert leading_sentences(text, 23) == "Alpha beta."
    assert leading_sentences(text, 10) == ""


@given(st.text(alphabet="aB .!?`。\n()1", max_size=300), st.integers(0, 300))
def test_leading_sentences_are_a_prefix_within_the_limit_that_ends_at_a_sentence(
    text: str, limit: int
) -> None:
    taken = leading_sentences(text, limit)
    whole = " ".join(text.split())
    assert len(taken) <= limit
    assert whole.startswith(taken)
    sentences = split_sentences(text)
    assert taken in ("", *(whole[: _end(whole, sentences[:n])] for n in range(1, len(sentences) + 1)))


def _end(whole: str, sentences: list[str]) -> int:
    at = 0
    for sentence in sentences:
        at = whole.index(sentence, at) + len(sentence)
    return at

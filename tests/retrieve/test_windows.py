from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillquiver.retrieve.windows import MAX_WINDOWS, WINDOW_CHARACTERS, split_windows


def test_a_short_query_is_one_window_on_one_line() -> None:
    assert split_windows("Fill in the form.\n\n  Then send it!  ") == ["Fill in the form. Then send it!"]


def test_sentences_stay_whole_where_they_fit() -> None:
    one, two, three = ("x" * 190 + ".", "y" * 208 + ".", "z" * 10 + "?")
    # 191 + 1 + 209 = 401 characters are one too many
    assert split_windows(f"{one} {two} {three}") == [one, f"{two} {three}"]
    assert split_windows(f"{one} {two[1:]} {three}") == [f"{one} {two[1:]}", three]


def test_a_run_without_sentence_ends_is_cut_at_the_limit() -> None:
    assert split_windows("a" * 450) == ["a" * 400, "a" * 50]


def test_cjk_sentences_end_without_a_space() -> None:
    one, two = "读" * 250 + "。", "写" * 250 + "。"
    assert split_windows(one + two) == [one, two]


def test_a_version_number_is_no_sentence_end() -> None:
    text = ("python 3.11 " * 40).strip()
    assert split_windows(text)[0] == text[:WINDOW_CHARACTERS]


def test_only_the_first_windows_of_a_long_task_count() -> None:
    sentences = [f"Sentence {i} " + "x" * 380 + "." for i in range(9)]
    assert split_windows(" ".join(sentences)) == sentences[:MAX_WINDOWS]


def test_a_query_of_white_space_has_no_windows() -> None:
    assert split_windows("") == split_windows(" \n\t ") == split_windows(" " * 30_000 + "late") == []


@given(st.text(alphabet="ab. \n。!", max_size=3000))
def test_windows_are_few_never_empty_and_never_over_the_limit(text: str) -> None:
    windows = split_windows(text)
    assert len(windows) <= MAX_WINDOWS
    assert all(0 < len(window) <= WINDOW_CHARACTERS for window in windows)

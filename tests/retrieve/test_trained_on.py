from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from skillquiver.retrieve.trained_on import (
    packaged_trained_on,
    query_hash,
    read_trained_on,
    trained_on_text,
)


def test_a_query_is_known_by_its_words_whatever_their_case_and_space() -> None:
    assert query_hash(" Merge\n PDFs") == hashlib.sha256(b"merge pdfs").hexdigest()[:10]
    assert query_hash("merge pdf") != query_hash("merge pdfs")
    assert query_hash("\ud800") == query_hash("?")  # no text is refused


def test_a_list_is_read_as_it_was_written_sorted_and_without_repetitions(tmp_path: Path) -> None:
    text = trained_on_text(["b", "a", "A"])
    assert text.splitlines() == sorted({query_hash("a"), query_hash("b")})
    (tmp_path / "m.queries").write_text(text, encoding="utf-8")
    assert read_trained_on(tmp_path / "m.queries") == {query_hash("a"), query_hash("b")}


def test_a_missing_list_is_not_an_empty_one(tmp_path: Path) -> None:
    assert read_trained_on(tmp_path / "m.queries") is None
    (tmp_path / "m.queries").write_text("", encoding="utf-8")
    assert read_trained_on(tmp_path / "m.queries") == frozenset()


def test_a_list_of_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.queries").write_text("merge pdfs\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no list of hashes"):
        read_trained_on(tmp_path / "m.queries")


def test_the_packaged_model_says_what_it_was_trained_on_in_hashes_only() -> None:
    found = packaged_trained_on()
    assert len(found) > 1_000
    assert all(len(one) == 10 and int(one, 16) >= 0 for one in found)

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from skillquiver.errors import LibraryError
from skillquiver.index.lexical import (
    MAX_QUERY_TERMS,
    Field,
    FieldTerms,
    LexicalIndex,
    field_terms,
)
from skillquiver.testing import make_skill

K1, B = 1.2, 0.75

TEXTS = {
    1: "csv read csv table",
    2: "csv plot chart colour axis legend",
    3: "video cut",
    4: "table table table table",
}


def bm25(term: str, row: int, *, replaced: int = 0) -> float:
    """Robertson & Zaragoza's formula over ``TEXTS`` and the index's one empty document."""
    documents = len(TEXTS) + 1 + replaced
    lengths = {key: len(text.split()) for key, text in TEXTS.items()}
    mean = sum(lengths.values()) / documents
    n = sum(term in text.split() for text in TEXTS.values())
    tf = TEXTS[row].split().count(term)
    idf = math.log(1 + (documents - n + 0.5) / (n + 0.5))
    return idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths[row] / mean))


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    made = LexicalIndex.create(tmp_path)
    made.update([FieldTerms(row, "", "", text) for row, text in TEXTS.items()], [], generation=7)
    return made


def test_scores_are_those_of_the_bm25_formula(index: LexicalIndex) -> None:
    found = dict(index.search({"csv": 1, "table": 1}, Field.FULL, top_k=10))
    assert found == {
        1: pytest.approx(bm25("csv", 1) + bm25("table", 1), rel=1e-5),
        2: pytest.approx(bm25("csv", 2), rel=1e-5),
        4: pytest.approx(bm25("table", 4), rel=1e-5),
    }


def test_a_term_counts_as_often_as_its_weight(index: LexicalIndex) -> None:
    ((_, once),) = index.search({"plot": 1}, Field.FULL, top_k=5)
    ((_, weighted),) = index.search({"plot": 2.5}, Field.FULL, top_k=5)
    assert weighted == pytest.approx(2.5 * once, rel=1e-5)


def test_the_scores_of_the_terms_sum_to_the_score_of_the_row(index: LexicalIndex) -> None:
    terms = {"csv": 2, "table": 1, "video": 1, "unheard": 1}
    (best, *_) = [pair for pair in index.search(terms, Field.FULL, top_k=10) if pair[0] == 1]
    parts = index.term_scores(terms, Field.FULL, 1)
    assert set(parts) == {"csv", "table"}
    assert sum(parts.values()) == pytest.approx(best[1], rel=1e-5)


def test_the_marker_of_the_generation_is_never_found(index: LexicalIndex) -> None:
    assert {
        row for row, _ in index.search(dict.fromkeys("csv table video".split(), 1), Field.FULL, top_k=99)
    } == {
        1,
        2,
        3,
        4,
    }


def test_an_index_knows_its_generation_after_it_is_opened_again(index: LexicalIndex, tmp_path: Path) -> None:
    again = LexicalIndex.open(tmp_path)
    assert again is not None
    assert (again.generation, again.replaced) == (7, 0)


def test_an_update_replaces_and_forgets_rows_in_one_commit(index: LexicalIndex, tmp_path: Path) -> None:
    index.update([FieldTerms(2, "", "", "audio cut")], [2, 3], generation=8)
    again = LexicalIndex.open(tmp_path)
    assert again is not None
    for one in (index, again):
        assert [row for row, _ in one.search({"cut": 1}, Field.FULL, top_k=5)] == [2]
        assert (one.generation, one.replaced) == (8, 2)


def test_ties_are_broken_by_row(tmp_path: Path) -> None:
    index = LexicalIndex.create(tmp_path)
    index.update([FieldTerms(row, "", "", "same words") for row in (5, 3, 9, 1)], [], generation=1)
    assert [row for row, _ in index.search({"same": 1}, Field.FULL, top_k=10)] == [1, 3, 5, 9]


def test_a_fresh_index_has_no_generation(tmp_path: Path) -> None:
    assert LexicalIndex.create(tmp_path).generation == -1


def test_no_terms_find_nothing(index: LexicalIndex) -> None:
    assert index.search({}, Field.FULL, top_k=5) == []
    assert index.search({"unheard": 1}, Field.FULL, top_k=5) == []


def test_only_the_rarest_terms_of_a_very_long_query_are_looked_up(tmp_path: Path) -> None:
    index = LexicalIndex.create(tmp_path)
    many = [f"w{i:03}" for i in range(MAX_QUERY_TERMS + 44)]
    index.update(
        [FieldTerms(1, "", "", " ".join(many)), FieldTerms(2, "", "", " ".join(many[:44]))], [], generation=1
    )
    kept = index.rarest(Counter([*many, "unknown", many[-1]]))
    assert sorted(kept) == many[44:]
    assert kept[many[-1]] == 2


def test_fields_hold_name_card_and_full_text() -> None:
    skill = make_skill(
        "csv-plots",
        "Draws charts.",
        "Use matplotlib.",
        when_to_use="For tables",
        tags=("visual",),
        category="data",
    )
    fields = field_terms(4, skill)
    assert fields.name == "csv plot"
    assert fields.card == "csv plot draw chart tabl"
    assert fields.full == "csv plot draw chart tabl visual data use matplotlib"


def test_a_new_index_is_not_seen_before_it_is_complete(index: LexicalIndex, tmp_path: Path) -> None:
    anew = LexicalIndex.create(tmp_path)
    (seen,) = [LexicalIndex.open(tmp_path)]
    assert seen is not None
    assert seen.generation == 7
    anew.update([FieldTerms(1, "", "", "csv")], [], generation=8)
    after = LexicalIndex.open(tmp_path)
    assert after is not None
    assert [one.generation for one in (index, after)] == [7, 8]
    assert len(index.search({"csv": 1}, Field.FULL, top_k=9)) == 2  # who opened the old one keeps it
    assert len(after.search({"csv": 1}, Field.FULL, top_k=9)) == 1


def test_what_a_killed_build_left_is_no_obstacle(index: LexicalIndex, tmp_path: Path) -> None:
    LexicalIndex.create(tmp_path)
    LexicalIndex.create(tmp_path).update([], [], generation=9)
    again = LexicalIndex.open(tmp_path)
    assert again is not None
    assert again.generation == 9
    assert len([entry for entry in tmp_path.iterdir() if entry.is_dir()]) == 1


@pytest.mark.parametrize("name", ["../other", "v2", "", "v2-1\n", "/etc"])
def test_only_a_build_can_be_current(index: LexicalIndex, tmp_path: Path, name: str) -> None:
    (tmp_path / "current").write_text(name, encoding="utf-8")
    assert LexicalIndex.open(tmp_path) is None


# --- damage ----------------------------------------------------------------------------------


def test_there_is_no_index_in_an_empty_folder_or_of_another_format(tmp_path: Path) -> None:
    assert LexicalIndex.open(tmp_path) is None
    (tmp_path / "v1").mkdir()
    assert LexicalIndex.open(tmp_path) is None


@pytest.mark.parametrize("damage", ["emptied", "removed", "inverted"])
def test_a_damaged_file_means_that_there_is_no_index(
    index: LexicalIndex, tmp_path: Path, damage: str
) -> None:
    files = [file for file in sorted(tmp_path.glob("v*/*")) if not file.name.startswith(".")]
    assert {file.suffix for file in files} >= {".json", ".idx", ".term", ".store"}
    for file in files:
        data = file.read_bytes()
        if damage == "removed":
            file.unlink()
        else:
            file.write_bytes(b"" if damage == "emptied" else bytes(255 - byte for byte in data))
        assert LexicalIndex.open(tmp_path) is None, file.name
        file.write_bytes(data)
    assert LexicalIndex.open(tmp_path) is not None


def test_damage_that_shows_only_in_a_search_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    index = LexicalIndex.create(tmp_path)
    words = [f"w{i}" for i in range(300)]
    index.update(
        [FieldTerms(row, "", "", " ".join(words[row : row + 200])) for row in range(1, 100)], [], generation=1
    )
    (postings,) = tmp_path.glob("v*/*.idx")
    data = bytearray(postings.read_bytes())
    data[: len(data) // 2] = bytes(255 for _ in range(len(data) // 2))
    postings.write_bytes(data)
    damaged = LexicalIndex.open(tmp_path)
    assert damaged is not None
    with pytest.raises(LibraryError, match="index --reread"):
        damaged.search(dict.fromkeys(words, 1), Field.FULL, top_k=99)

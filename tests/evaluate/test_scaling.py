from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate import scaling
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.results import Interval
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject
from tests.evaluate.examples import QUERIES, inputs, make_library


@pytest.fixture
def hash_subject(tmp_path: pytest.TempPathFactory, hash_plugin: str) -> Iterator[LibrarySubject]:
    with open_subject(make_library(tmp_path / "library", encoder=hash_plugin)) as opened:  # type: ignore[operator]
        yield opened


def given(subject: LibrarySubject, queries: int = 3) -> Inputs:
    return inputs(subject, "\n".join(QUERIES.read_text(encoding="utf-8").splitlines()[:queries]))


def test_sizes_are_about_threefold_from_the_first_that_holds_the_gold_to_all() -> None:
    assert scaling.sizes(20, 8786) == (100, 300, 1000, 3000, 8786)
    assert scaling.sizes(20, 58) == (58,)


def test_the_last_size_is_left_out_where_all_is_hardly_more() -> None:
    assert scaling.sizes(20, 1100) == (100, 300, 1100)


def test_a_small_library_is_measured_whole_and_the_section_says_so(hash_subject: LibrarySubject) -> None:
    section = scaling.run(hash_subject, given(hash_subject))
    assert section.warnings == (
        "the library is too small to be cut into sizes; only the whole one is measured",
    )
    assert [plot.title for plot in section.plots] == [
        "Time on the whole library (median; the bar ends at p95)"
    ]
    assert [row[0] for row in section.tables[0].rows] == ["58", "58 again"]


def test_sizes_hold_the_gold_and_are_compared_with_the_smallest(
    hash_subject: LibrarySubject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "SMALLEST", 5)
    monkeypatch.setattr(scaling, "sizes", lambda least, most: (least + 5, 30, most))
    section = scaling.run(hash_subject, given(hash_subject))
    latency, quality, rankers = section.tables
    assert [row[0] for row in latency.rows] == ["8", "30", "58", "8 again"]
    assert (latency.rows[0][3], latency.rows[0][6]) == (1.0, 1.0)
    cards = [row[7] for row in latency.rows]
    assert cards[0] < cards[1] < cards[2]  # type: ignore[operator]
    assert cards[3] == cards[0]
    assert all(isinstance(cell, Interval) and cell.n == 3 for row in quality.rows for cell in row[1:])
    assert [row[0] for row in rankers.rows] == [
        "search, hybrid",
        "search, second stage",
        "bundle, flat",
        "bundle, with relations",
    ]
    assert [plot.series[0].x for plot in section.plots[:2]] == [(8.0, 30.0, 58.0), (8.0, 30.0, 58.0)]
    assert "From 8 to 58 skills (7 times)" in section.answer
    assert set(section.samples) == {f"{n} skills: {m}" for n in (8, 30, 58) for m in ("hit@1", "recall@8")}


def test_without_an_answerable_query_it_says_what_is_needed(hash_subject: LibrarySubject) -> None:
    nothing = inputs(hash_subject, '{"query_id": "1", "query": "bake", "gold": ["nowhere"]}')
    with pytest.raises(UsageError, match="no query file has one"):
        scaling.run(hash_subject, nothing)

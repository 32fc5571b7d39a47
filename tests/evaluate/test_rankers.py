from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from skillquiver.evaluate import rankers
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import Query
from skillquiver.evaluate.results import Interval, Section, Table
from skillquiver.settings import EvalSettings
from tests.evaluate.library import QUERIES, make, opened

FEW = EvalSettings(draws=300)
OFF_TOPIC = (
    Query(query_id="off1", query="xyzzy plugh quux", gold=()),
    Query(query_id="off2", query="frobnicate gadgets", gold=()),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("rankers"))


def run(library: Path, *sets: Sequence[Query], settings: EvalSettings = FEW) -> Section:
    from skillquiver.evaluate.qrels import judge

    with opened(library) as subject:
        judged = tuple(judge(q, list(subject.skills), {}, name=f"set{at}") for at, q in enumerate(sets))
        return rankers.run(subject, Inputs(sets=judged, settings=settings))


def table(section: Section, start: str) -> Table:
    (found,) = [one for one in section.tables if one.caption.startswith(start)]
    return found


def row(found: Table, name: str) -> dict[str, object]:
    (cells,) = [cells for cells in found.rows if cells[0] == name]
    return dict(zip(found.columns, cells, strict=True))


def test_a_table_has_the_mean_of_every_sample(library: Path) -> None:
    wrong = replace(QUERIES[1], query=QUERIES[0].query)  # finds the first skill, wants the second
    section = run(library, [*QUERIES[:1], wrong, *QUERIES[2:]])
    cells = row(table(section, "set0: 12 queries"), "hybrid")
    for measure in ("hit@1", "recall@8", "MRR"):
        values = section.samples[f"set0: hybrid, {measure}"]
        found = cells[measure]
        assert isinstance(found, Interval)
        if measure == "hit@1":  # one text is one unit: (1 + 0) / 2, and ten times 1
            assert values["q1"] == 0
            assert (found.value, found.n) == (pytest.approx(10.5 / 11), 11)
    assert 0.9 < fmean(section.samples["set0: hybrid, hit@1"].values()) < 1


def test_rankers_that_cannot_be_told_apart_here_are_left_out_and_named(library: Path) -> None:
    section = run(library, QUERIES)
    names = [cells[0] for cells in table(section, "set0: 12 queries").rows]
    assert names == ["bm25 card", "bm25", "dense", "hybrid"]
    assert any("second stage has no say" in text for text in section.warnings)
    assert any("12 queries are few" in text for text in section.warnings)


def test_without_vectors_every_ranker_is_lexical(tmp_path: Path) -> None:
    section = run(make(tmp_path, vectors=False), QUERIES)
    assert [cells[0] for cells in table(section, "set0: 12").rows] == ["bm25 card", "bm25", "hybrid"]
    assert any("no vectors" in text for text in section.warnings)


def test_tags_have_a_table_of_their_own_known_ones_first(library: Path) -> None:
    tagged = [replace(QUERIES[0], tags=("other", "direct")), replace(QUERIES[1], tags=("paraphrase",))]
    found = table(run(library, [*tagged, *QUERIES[2:]]), "set0 by tag: hit@1")
    assert [cells[:2] for cells in found.rows] == [
        ("direct", 1),
        ("paraphrase", 1),
        ("no tag", 10),
        ("other", 1),
    ]
    assert found.columns == ("tag", "queries", "bm25 card", "bm25", "dense", "hybrid")


def test_differences_are_to_the_plain_combination_with_adjusted_p_values(library: Path) -> None:
    found = table(run(library, QUERIES), "Differences")
    assert [cells[0] for cells in found.rows] == [
        "set0: bm25 card - hybrid",
        "set0: bm25 - hybrid",
        "set0: dense - hybrid",
    ]
    assert "over all 9" in found.caption
    assert all(0 < p <= 1 for cells in found.rows for p in cells[2::2] if isinstance(p, float))


def test_what_is_off_topic_should_be_declined_and_only_that(library: Path) -> None:
    section = run(library, QUERIES, OFF_TOPIC)
    cells = row(table(section, "Saying"), "hybrid")
    assert isinstance(cells["recall"], Interval)
    assert cells["recall"].value == 1.0  # no word of theirs is in the library
    assert cells["recall"].n == 2
    assert "declines 1.000" in section.answer


def test_a_set_that_is_only_off_topic_has_no_precision_to_lose(library: Path) -> None:
    section = run(library, OFF_TOPIC)
    assert [cells[3] for cells in table(section, "Saying").rows] == [None]
    assert not section.samples


def test_skills_that_must_not_be_found_are_looked_for_at_the_top(library: Path) -> None:
    asked = [replace(QUERIES[0], gold=(), not_gold=("root/invoice",)), *QUERIES[1:]]
    found = row(table(run(library, asked), "Skills that must not"), "hybrid")
    assert found["queries"] == 1
    assert isinstance(found["first"], Interval)
    assert found["first"].value == 1.0


def test_confidence_is_held_against_what_came_true(library: Path) -> None:
    section = run(library, [*QUERIES, *OFF_TOPIC])
    found = table(section, "Confidence of `hybrid`")
    everything = row(found, "all")
    assert sum(cells[1] for cells in found.rows[:-1] if isinstance(cells[1], int)) == everything["queries"]
    assert isinstance(everything["right"], Interval)
    (plot,) = [plot for plot in section.plots if plot.diagonal]
    assert all(0 <= value <= 1 for value in (*plot.series[0].x, *plot.series[0].y))


def test_the_answer_says_who_is_worse_and_who_cannot_be_told_apart(library: Path) -> None:
    answer = run(library, QUERIES).answer
    assert "`hybrid` puts a right skill first for 1.000" in answer
    assert "not told apart: " in answer


def test_a_library_that_holds_no_gold_gives_an_empty_section_and_says_so(library: Path) -> None:
    section = run(library, [Query(query_id="q", query="words", gold=("elsewhere",))])
    assert (section.tables, section.plots, section.samples, section.answer) == ((), (), {}, "")
    assert any("nothing to measure" in text for text in section.warnings)


def test_the_same_run_gives_the_same_section(library: Path) -> None:
    assert run(library, QUERIES) == run(library, QUERIES)


def test_bars_have_their_intervals(library: Path) -> None:
    (first, *_) = run(library, QUERIES).plots
    (series,) = first.series
    assert first.kind == "bars"
    assert all(low <= y <= high for low, y, high in zip(series.low, series.y, series.high, strict=True))

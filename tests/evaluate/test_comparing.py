from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from skillquiver.errors import UsageError
from skillquiver.evaluate.comparing import Comparison, Row, compare, read_run
from skillquiver.evaluate.results import REPORT_SCHEMA, Report, Section
from skillquiver.serve.render_eval import section_data
from skillquiver.serve.render_query_files import comparison_text
from skillquiver.serve.report.document import report_data
from skillquiver.settings import EvalSettings

SETTINGS = EvalSettings()
Samples = Mapping[str, Mapping[str, float]]


def section(samples: Samples, *, name: str = "rankers", **fields: Any) -> Section:
    return Section(name=name, title=name, question="?", source="", answer="found", samples=samples, **fields)


def compared(one: Samples, two: Samples, **fields: Any) -> Comparison:
    runs = [
        read_run(json.dumps(section_data(section(samples, **fields))).encode(), origin=name)
        for name, samples in (("a.json", one), ("b.json", two))
    ]
    return compare(runs[0], runs[1], SETTINGS)


def only(found: Comparison) -> Row:
    (row,) = found.rows
    return row


# --- by hand ---------------------------------------------------------------------------------------


def test_a_difference_is_b_minus_a_on_the_same_queries() -> None:
    row = only(
        compared({"hit@1": {"1": 1, "2": 0, "3": 0, "4": 1}}, {"hit@1": {"1": 1, "2": 1, "3": 1, "4": 0}})
    )
    assert (row.experiment, row.sample, row.queries) == ("rankers", "hit@1", 4)
    assert (row.before, row.after, row.difference.value) == (0.5, 0.75, 0.25)
    assert (row.won, row.lost) == (2, 1)


def test_queries_of_one_cluster_are_one_unit() -> None:
    clusters = {"1": "t", "2": "t", "3": "t"}
    before = {"1": 0.0, "2": 0.0, "3": 0.0, "4": 1.0}
    after = {"1": 1.0, "2": 1.0, "3": 1.0, "4": 0.0}
    row = only(compared({"m": before}, {"m": after}, clusters=clusters))
    assert (row.queries, row.difference.n, row.won, row.lost) == (4, 2, 1, 1)
    assert (row.before, row.after, row.difference.value) == (0.5, 0.5, 0.0)
    plain = only(compared({"m": before}, {"m": after}))
    assert (plain.difference.n, plain.won, plain.lost, plain.difference.value) == (4, 3, 1, 0.5)


def test_queries_that_only_one_run_has_are_left_out_and_counted() -> None:
    found = compared({"m": {"1": 0, "2": 1, "gone": 1}}, {"m": {"1": 1, "2": 1, "new": 0, "newer": 0}})
    assert (only(found).queries, only(found).before, only(found).after) == (2, 0.5, 1.0)
    assert found.warnings == ("rankers: m: 3 queries stand in one run only: left out",)


def test_a_value_that_a_run_does_not_have_is_a_query_that_it_does_not_have() -> None:
    found = compared({"m": {"1": 0, "2": float("nan")}}, {"m": {"1": 1, "2": 1}})
    assert only(found).queries == 1
    assert "1 queries stand in one run only" in found.warnings[0]


def test_measures_of_one_run_are_counted_and_left_out() -> None:
    found = compared({"m": {"1": 0}, "old": {"1": 0}}, {"m": {"1": 1}, "new": {"1": 0}})
    assert [row.sample for row in found.rows] == ["m"]
    assert found.warnings == ("2 measures stand in one run only: left out",)


def test_measures_that_do_not_differ_are_named_and_cost_the_others_no_power() -> None:
    gap = {str(at): float(at < 10) for at in range(12)}
    none = dict.fromkeys(gap, 0.0)
    found = compared(
        {"m": none} | {f"same{at}": gap for at in range(30)},
        {"m": gap} | {f"same{at}": gap for at in range(30)},
    )
    row = only(found)
    assert row.adjusted == row.p < 0.05
    assert found.same == tuple(("rankers", f"same{at}") for at in range(30))
    assert found.warnings == ()


# --- against scipy and statsmodels -----------------------------------------------------------------

DRAWN = np.random.default_rng(3)
GAPS = DRAWN.normal(0.1, 0.3, 25)


def test_interval_and_p_value_are_those_of_scipy() -> None:
    before = {str(at): 1.0 for at in range(len(GAPS))}
    after = {str(at): 1.0 + float(gap) for at, gap in enumerate(GAPS)}
    row = only(compared({"m": before}, {"m": after}))
    theirs = stats.bootstrap(
        (GAPS,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert [row.difference.low, row.difference.high] == pytest.approx(list(theirs), abs=0.01)
    flips = stats.permutation_test(
        (GAPS,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert row.p == pytest.approx(flips.pvalue, abs=0.01)


def test_p_values_are_corrected_over_all_measures_that_differ() -> None:
    zeros = dict.fromkeys(map(str, range(12)), 0.0)
    changed = {f"m{n}": zeros | {str(at): 1.0 for at in range(n)} for n in (3, 6, 9)}
    found = compared(dict.fromkeys(changed, zeros), changed)
    assert [row.sample for row in found.rows] == ["m3", "m6", "m9"]
    exact = [2 / 2**n for n in (3, 6, 9)]  # of the gaps that are not 0, all flipped one way or the other
    assert [row.p for row in found.rows] == pytest.approx(exact, abs=0.01)
    theirs = multipletests([row.p for row in found.rows], method="holm")[1]
    assert [row.adjusted for row in found.rows] == pytest.approx(list(theirs))


# --- whole reports ---------------------------------------------------------------------------------

ABOUT = {
    "library": "library",
    "skills": 58,
    "generation": 7,
    "encoder": "minilm",
    "version": "0.1.0",
    "settings": {"seed": 0, "ranker": "hybrid"},
    "files": [{"kind": "queries", "name": "q.jsonl", "sha256": "ab" * 32}],
    "seconds": 3.5,
}


def report(about: Mapping[str, Any], *sections: Section) -> bytes:
    return json.dumps(report_data(Report(about=about, sections=sections))).encode()


def reports(one: Mapping[str, Any], two: Mapping[str, Any]) -> Comparison:
    found = section({"m": {"1": 0.0}}), section({"m": {"1": 1.0}})
    runs = [read_run(report(about, of), origin="r") for about, of in zip((one, two), found, strict=True)]
    return compare(runs[0], runs[1], SETTINGS)


def test_equal_names_of_two_experiments_are_two_measures() -> None:
    one = report(ABOUT, section({"m": {"1": 0}}), section({"m": {"1": 0}}, name="misses"))
    two = report(ABOUT, section({"m": {"1": 1}}), section({"m": {"1": 0}}, name="misses"))
    found = compare(read_run(one, origin="a"), read_run(two, origin="b"), SETTINGS)
    assert (only(found).experiment, found.same) == ("rankers", (("misses", "m"),))


def test_a_section_alone_is_compared_with_the_same_one_in_a_report() -> None:
    one = read_run(report(ABOUT, section({"m": {"1": 0.0}})), origin="a")
    two = read_run(json.dumps(section_data(section({"m": {"1": 1.0}}))).encode(), origin="b")
    found = compare(one, two, SETTINGS)
    assert (only(found).difference.value, found.warnings) == (1.0, ())


def test_another_library_version_setting_or_file_is_said() -> None:
    other = ABOUT | {
        "library": "theirs",
        "skills": 60,
        "generation": 8,
        "version": "0.2.0",
        "settings": {"seed": 0, "ranker": "second stage"},
        "files": [{"kind": "queries", "name": "q.jsonl", "sha256": "cd" * 32}],
        "seconds": 9.9,
    }
    (told,) = reports(ABOUT, other).warnings
    assert told == (
        "the runs differ in more than their answers: library (library, then theirs), skills (58, then 60), "
        "changes of the index (7, then 8), "
        "version (0.1.0, then 0.2.0), settings.ranker (hybrid, then second stage), "
        "queries q.jsonl (ababababab, then cdcdcdcdcd)"
    )


def test_a_warning_that_one_run_alone_has_is_told() -> None:
    given = (("a.json", 0.0, ("both",)), ("b.json", 1.0, ("both", "an echo set")))
    sections = [section({"a": {"1": value}}, warnings=doubts) for _, value, doubts in given]
    runs = [
        read_run(json.dumps(section_data(one)).encode(), origin=name)
        for one, (name, _, _) in zip(sections, given, strict=True)
    ]
    assert compare(runs[0], runs[1], SETTINGS).warnings == ("only b.json warns: an echo set",)


def test_a_file_that_one_run_has_not_read_is_said() -> None:
    (told,) = reports(ABOUT, ABOUT | {"files": []}).warnings
    assert "queries q.jsonl (ababababab, then none)" in told


def test_equal_runs_raise_no_warning() -> None:
    assert reports(ABOUT, ABOUT | {"seconds": 9.9}).warnings == ()


# --- files that are none ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("", "not JSON"),
        ('{"schema": 1', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no report"),
        ('{"schema": 1, "rows": []}', "no report"),
        ('{"sections": []}', "schema None"),
        (json.dumps({"schema": REPORT_SCHEMA + 1, "sections": []}), f"schema {REPORT_SCHEMA + 1}"),
        ('{"schema": 1, "samples": []}', "damaged report"),
        ('{"schema": 1, "name": "x", "samples": {"m": {"1": "yes"}}}', "damaged report"),
        ('{"schema": 1, "sections": [{"name": "x"}]}', "damaged report"),
        ('{"schema": 1, "name": "x", "samples": {"m": {"1": -1e308}}}', "damaged report"),
        ('{"schema": 1, "sections": [], "about": {"skills": "many"}}', "damaged report"),
    ],
    ids=range(12),
)
def test_what_is_no_report_is_a_usage_error_that_names_the_file(data: str, told: str) -> None:
    with pytest.raises(UsageError, match=f"^a.json: .*{told}"):
        read_run(data.encode(), origin="a.json")


@pytest.mark.parametrize("other", [{"m": {"2": 1.0}}, {"n": {"1": 1.0}}, {}])
def test_runs_that_share_nothing_cannot_be_compared(other: Samples) -> None:
    with pytest.raises(UsageError, match=r"a\.json and b\.json share no measure of the same queries"):
        compared({"m": {"1": 1.0}}, other)


def test_names_out_of_a_report_end_no_cell_and_begin_no_tag() -> None:
    name = "hit@1 | 9.9 |<script>"
    told = comparison_text(compared({name: {"1": 0.0}}, {name: {"1": 1.0}}))
    assert "rankers: hit@1 \\| 9.9 \\|\\<script> | 0.000 | 1.000 |" in told

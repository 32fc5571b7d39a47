from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import Interval, Plot, Section, Series, Table
from skillquiver.serve.report.document import (
    read_report,
    report_data,
    report_json,
    report_of,
    section_data,
    sound,
)
from tests.serve.report.reports import MISSES, REPORT

RAGGED = {
    **dict.fromkeys(("name", "title", "question", "source", "answer"), "x"),
    "tables": [{"caption": "c", "columns": ["a", "b"], "rows": [["1"]]}],
}


def refuse(constant: str) -> float:
    raise AssertionError(constant)


def test_a_report_survives_json(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(report_json(report_data(REPORT)), encoding="utf-8")
    again = read_report(file)
    assert again.sections[0].plots == sound(MISSES).plots
    assert again.sections[0].tables[0].rows[0] == MISSES.tables[0].rows[0]
    assert json.loads(report_json(report_data(again))) == json.loads(file.read_text(encoding="utf-8"))


def test_no_number_is_nan_or_infinite() -> None:
    json.loads(report_json(report_data(REPORT)), parse_constant=refuse)


def test_what_json_cannot_say_is_none_or_left_out() -> None:
    section = sound(
        Section(
            name="x",
            title="X",
            question="?",
            source="",
            answer="",
            tables=(
                Table(
                    caption="t",
                    columns=("a", "b", "c"),
                    rows=((math.inf, Interval(0.5, math.nan, 1.0, 3), Interval(math.nan, 0.0, 1.0, 0)),),
                ),
            ),
            plots=(
                Plot(
                    kind="lines",
                    title="p",
                    x_label="x",
                    y_label="y",
                    series=(
                        Series(
                            label="s",
                            x=(1.0, 2.0, math.inf),
                            y=(1, math.nan, 3),
                            low=(math.nan, 0, 0),
                            high=(2, 2, 2),
                        ),
                    ),
                ),
            ),
            samples={"s": {"a": math.inf, "b": 1}},
        )
    )
    assert section.tables[0].rows == ((None, 0.5, None),)
    assert section.plots[0].series == (Series(label="s", x=(1.0,), y=(1.0,), low=(1.0,), high=(2.0,)),)
    assert section.samples == {"s": {"b": 1.0}}


def test_a_section_of_numpy_numbers_is_plain_json() -> None:
    import numpy as np

    value = np.float64(0.5)
    section = Section(
        name="x",
        title="X",
        question="?",
        source="",
        answer="",
        tables=(Table(caption="t", columns=("a",), rows=((Interval(value, value, value, 2),),)),),
        samples={"s": {"q": value}},
    )
    assert json.loads(report_json(section_data(section)))["tables"][0]["rows"] == [
        [{"value": 0.5, "low": 0.5, "high": 0.5, "n": 2}]
    ]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"schema": 99, "about": {}, "sections": []}, "no report of schema 1 (it says 99)"),
        (["x"], "no report of schema 1"),
        ({"schema": 1, "about": {}, "sections": [{"name": 3}]}, "damaged report"),
        ({"schema": 1, "about": {}, "sections": [RAGGED]}, "has not as many cells as there are columns"),
    ],
)
def test_what_is_no_report_is_refused(data: object, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        report_of(data, origin="r.json")
    assert told in str(caught.value)


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot read the report"):
        read_report(file)


def test_a_report_of_a_later_version_may_have_more_keys() -> None:
    data = report_data(REPORT)
    data["sections"][0]["inputs"] = "abc"
    assert report_of(data, origin="r").sections[0].name == "misses"

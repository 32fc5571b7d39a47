from __future__ import annotations

from dataclasses import replace

from skillquiver.evaluate.results import Interval, Table
from skillquiver.serve.report.markdown import MARKDOWN_ROWS, cell_text, report_text, section_text
from skillquiver.serve.report.page import page_html
from tests.serve.report.reports import HOSTILE, MISSES, REPORT


def test_hostile_text_is_text_to_a_markdown_reader() -> None:
    import pyromark

    page = pyromark.html(report_text(REPORT), options=pyromark.Options.ENABLE_TABLES)
    assert "<svg" not in page
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "&lt;svg onload=alert(1)&gt;" in page


def test_no_text_ends_a_cell() -> None:
    import pyromark

    page = pyromark.html(section_text(MISSES), options=pyromark.Options.ENABLE_TABLES)
    assert [row.count("<td>") for row in page.split("<tr>")[1:] if "<td>" in row] == [4, 4, 4]


def test_a_page_shows_so_many_rows_and_says_where_the_others_are() -> None:
    rows = tuple((f"row {at}",) for at in range(MARKDOWN_ROWS + 2))
    section = replace(MISSES, tables=(Table(caption="long", columns=("a",), rows=rows),))
    text = report_text(replace(REPORT, sections=(section,)))
    assert f"| row {MARKDOWN_ROWS - 1} |" in text
    assert f"| row {MARKDOWN_ROWS} |" not in text
    assert "2 more rows are in report.html and report.json." in text
    assert f"| row {MARKDOWN_ROWS} |" in section_text(section)


def test_the_page_has_answers_first_then_warnings_commands_and_figures() -> None:
    text = report_text(REPORT, figures={("misses", 2): "figures/misses-2.svg"})
    assert text.index("What we found") < text.index("## Misses")
    assert "Warning: no graph" in text
    assert "![Lines](figures/misses-2.svg)" in text
    assert "Made by `quiver eval run misses" in text
    assert "| skills | 8,786 |" in text
    assert f"| files | queries, a.jsonl, {'ab' * 32} |" in text


def test_cells_for_people() -> None:
    assert cell_text(None) == "–"
    assert cell_text(True) == "yes"
    assert cell_text(12345) == "12,345"
    assert cell_text(0.12345) == "0.123"
    assert cell_text(123.456) == "123.5"
    assert cell_text(Interval(0.5, 0.25, 0.75, 3)) == "0.500 [0.250, 0.750]"
    assert cell_text(HOSTILE) == HOSTILE


def test_a_p_value_is_never_shown_as_nothing() -> None:
    assert cell_text(1 / 10_001) == cell_text(2.0**-39) == "< 0.001"
    assert cell_text(0.0005) == "0.001"
    assert cell_text(0.0) == "0.000"


def test_what_is_said_of_a_run_is_text_whatever_it_is_called() -> None:
    import pyromark

    about = {f"{HOSTILE} | a |": 1, "library": ["x"], "skills": {HOSTILE: [HOSTILE]}}
    page = pyromark.html(report_text(replace(REPORT, about=about)), options=pyromark.Options.ENABLE_TABLES)
    assert "<svg" not in page
    assert "<script" not in page
    assert "<td>library</td>" in page
    assert "<b>[&#x27;x&#x27;]</b>" in page_html(replace(REPORT, about=about), {})

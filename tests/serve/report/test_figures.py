from __future__ import annotations

import re
import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import Plot, Series
from skillquiver.serve.report.document import sound
from skillquiver.serve.report.figures import PALETTE, draw, themed
from tests.serve.report.reports import BARS, HOSTILE, LINES, MISSES


def texts(svg: str) -> list[str]:
    return [
        "".join(node.itertext()).strip() for node in ET.fromstring(svg).iter() if node.tag.endswith("text")
    ]


def points(kind: str, **options: bool) -> Plot:
    series = Series(
        label="a", x=(0.1, 0.5, 0.9), y=(0.2, 0.4, 0.8), low=(0.1, 0.3, 0.7), high=(0.3, 0.5, 0.9)
    )
    return Plot(kind=kind, title="t", x_label="said", y_label="was", series=(series,), **options)


ALL = (
    BARS,
    LINES,
    replace(BARS, kind="points"),
    replace(BARS, kind="points", series=(Series(label="a", x=("b",), y=(-1.0,), low=(-2.0,), high=(1.0,)),)),
    replace(BARS, log_y=True),
    replace(BARS, series=(Series(label="few", x=("one", "two"), y=(1, 2), low=(1, 1), high=(2, 3)),)),
    replace(
        LINES, series=(Series(label="named", x=("a", "b"), y=(1, 2), low=(1, 1), high=(2, 3)),), log_x=False
    ),
    points("points", diagonal=True),
    points("histogram"),
    points("bars"),
    points("lines"),
    replace(LINES, series=tuple(replace(LINES.series[0], label=str(n)) for n in range(12))),
)


@pytest.mark.parametrize("number", range(len(ALL)))
def test_every_kind_is_drawn_as_one_element_that_loads_and_runs_nothing(number: int) -> None:
    svg = draw(ALL[number], salt="s")
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    assert {node.tag.rpartition("}")[2] for node in root.iter()}.isdisjoint(
        {"script", "style", "image", "metadata"}
    )
    links = [value for node in root.iter() for name, value in node.attrib.items() if name.endswith("href")]
    assert all(value.startswith("#") for value in links)
    assert re.findall(r"url\((?!#)", svg) == []


def test_text_is_text_and_hostile_labels_are_shown_as_they_are() -> None:
    shown = texts(draw(BARS, salt="s"))
    assert HOSTILE in shown
    assert "hidden" in shown
    assert "two $x$" in shown


def test_a_plot_is_named_for_people_who_do_not_see_it() -> None:
    assert ET.fromstring(draw(BARS, salt="s")).get("aria-label") == f"Bars {HOSTILE}"


def test_equal_plots_give_equal_bytes_and_ids_of_two_figures_differ() -> None:
    assert draw(LINES, salt="a") == draw(LINES, salt="a")
    ids = [set(re.findall(r'clipPath id="(\w+)"', draw(LINES, salt=salt))) for salt in ("a", "b")]
    assert ids[0]
    assert ids[0].isdisjoint(ids[1])


def test_sizes_of_a_library_are_the_ticks_of_a_logarithmic_axis() -> None:
    assert {"100", "300"} <= set(texts(draw(LINES, salt="s")))


def test_a_plot_without_points_says_so() -> None:
    assert texts(draw(replace(LINES, series=()), salt="s")) == ["no data"]
    assert texts(draw(replace(LINES, series=(Series(label="a", x=(), y=()),)), salt="s")) == ["no data"]


def test_the_page_draws_in_its_own_colours_and_font() -> None:
    svg = themed(draw(LINES, salt="s"))
    assert "var(--s1)" in svg
    assert "var(--font)" in svg
    assert PALETTE[0] not in svg
    assert "DejaVu" not in svg
    ET.fromstring(svg)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'skillquiver\[eval\]'"):
        draw(LINES, salt="s")


@pytest.mark.parametrize("kind", ["bars", "lines", "points", "histogram"])
def test_what_has_no_place_in_a_plot_is_drawn_as_a_name_or_left_out(kind: str) -> None:
    mixed = Series(label="mixed", x=("one", 2.0), y=(1.0, 2.0))
    huge = Series(
        label="huge", x=(1.0, 1e308, 3.0), y=(1e308, 1.0, 2.0), low=(0, 0, 0), high=(1e308, 2, 1e308)
    )
    plots = [Plot(kind=kind, title="t", x_label="", y_label="", series=(one,)) for one in (mixed, huge)]
    mixed_svg, huge_svg = (draw(plot, salt="s") for plot in sound(replace(MISSES, plots=plots)).plots)
    assert {"one", "2.0"} <= set(texts(mixed_svg))
    assert "1e" not in " ".join(texts(huge_svg))

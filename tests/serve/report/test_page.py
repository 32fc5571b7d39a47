from __future__ import annotations

from html.parser import HTMLParser

import pytest

from skillquiver.serve.report.document import sound
from skillquiver.serve.report.figures import draw
from skillquiver.serve.report.markdown import cell_text
from skillquiver.serve.report.page import POLICY, page_html
from skillquiver.skills.sanitize import plain
from tests.serve.report.reports import HOSTILE, MISSES, REPORT

VOID = {"meta", "br"}
LOADING = {
    "script",
    "link",
    "img",
    "iframe",
    "object",
    "embed",
    "base",
    "form",
    "input",
    "video",
    "audio",
    "image",
}


class Read(HTMLParser):
    """Elements, their attributes and the visible text of a page; every element must be closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, found, value in self.attributes if found == name]


@pytest.fixture(scope="module")
def page() -> Read:
    drawings = {
        ("misses", n): draw(plot, salt=f"m{n}") for n, plot in enumerate(sound(MISSES).plots, start=1)
    }
    sections = tuple(sound(section) for section in REPORT.sections)
    return Read(page_html(type(REPORT)(about=REPORT.about, sections=sections), drawings))


def test_it_loads_nothing_and_runs_nothing(page: Read) -> None:
    assert LOADING.isdisjoint(page.tags)
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    assert page.values("src") == []
    links = [value for _, name, value in page.attributes if name.endswith("href")]
    assert links
    assert all(link.startswith("#") for link in links)
    assert all("url(" not in style or "url(#" in style for style in page.values("style"))
    assert POLICY in page.values("content")


def test_hostile_text_is_shown_as_text(page: Read) -> None:
    assert page.tags.count("svg") == 2
    assert page.text.count(HOSTILE) >= 6


def test_every_section_answer_warning_and_command_is_there(page: Read) -> None:
    for section in REPORT.sections:
        assert {section.name} <= set(page.values("id"))
        for text in (section.title, section.question, section.answer, *section.warnings, section.command):
            assert plain(text) in page.text
    assert "skipped" not in page.text
    assert "not run: needs a query" in page.text


def test_every_cell_of_every_table_is_there(page: Read) -> None:
    for table in sound(MISSES).tables:
        assert plain(table.caption) in page.text
        for row in table.rows:
            for cell in row:
                if isinstance(cell, str):
                    assert plain(cell).replace("`", "") in page.text
                else:
                    assert cell_text(cell) in page.text


def test_every_figure_and_table_names_the_command(page: Read) -> None:
    assert page.tags.count("figure") == len(MISSES.plots) + len(MISSES.tables)
    assert page.text.count("quiver eval run misses …") == page.tags.count("figure")
    assert "misses-made" in page.values("id")


def test_every_link_leads_somewhere(page: Read) -> None:
    ids = page.values("id")
    assert {link[1:] for link in page.values("href")} <= set(ids)


def test_what_the_run_was_is_there(page: Read) -> None:
    for text in ("8,786", "a.jsonl", "ab" * 32, "settings: level", "0.95"):
        assert text in page.text


def test_controls_and_direction_marks_do_not_reach_the_page(page: Read) -> None:
    assert not {"\x1b", "\u202e", "\ud800"} & set(page.text)

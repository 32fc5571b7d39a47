"""Sections and reports as Markdown. Text of skills and queries can neither end a cell nor begin a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillquiver.evaluate.results import Cell, Interval, Report, Section, Table
from skillquiver.serve.report.about import about_lines
from skillquiver.skills.sanitize import plain

__all__ = ["MARKDOWN_ROWS", "cell_text", "escaped", "number_text", "report_text", "section_text"]

MARKDOWN_ROWS = 30
"""Rows of a table that a page of Markdown shows; JSON and HTML have all."""

Figures = Mapping[tuple[str, int], str]
"""(section, number of its plot) → file of the figure, relative to the page."""


def section_text(section: Section, *, figures: Figures | None = None, rows: int | None = None) -> str:
    """A section as Markdown; at most ``rows`` of each table, if given."""
    parts = [f"## {escaped(section.title)}", escaped(section.question)]
    parts += [f"**{escaped(section.headline)}**"] if section.answer else []
    parts += ["\n".join(f"- {escaped(line)}" for line in section.findings)] if section.findings else []
    parts += [f"Warning: {escaped(text)}" for text in section.warnings]
    for number, plot in enumerate(section.plots, start=1):
        if file := (figures or {}).get((section.name, number)):
            parts.append(f"![{escaped(plot.title).replace(']', '')}]({file})")
    parts += [_table(table, rows) for table in section.tables]
    return "\n\n".join(parts)


def report_text(report: Report, *, figures: Figures | None = None) -> str:
    """The whole report as Markdown: what was found, then every section."""
    parts = [
        "# Evaluation report",
        *(f"{escaped(name)}: {escaped(value)}" for name, value in about_lines(report.about)[:3]),
    ]
    found = [
        f"- **{escaped(section.title)}**: {escaped(section.headline)}"
        for section in report.sections
        if section.answer
    ]
    if found:
        parts += ["## What we found", "\n".join(found)]
    for section in report.sections:
        parts.append(section_text(section, figures=figures, rows=MARKDOWN_ROWS))
        parts += [f"How: {escaped(section.source)}"] if section.source else []
        if section.command:
            parts.append(f"Made by {_code(section.command)} in {section.seconds:.1f} s.")
    about = "\n".join(f"| {escaped(name)} | {escaped(value)} |" for name, value in about_lines(report.about))
    parts += ["## About this run", f"| what | value |\n| --- | --- |\n{about}"]
    return "\n\n".join(parts) + "\n"


def cell_text(cell: Cell) -> str:
    """One cell for people: three decimals, thousands apart, a dash for what does not apply.

    What is above 0, as every p-value is, is never shown as 0.
    """
    match cell:
        case None:
            return "–"
        case Interval():
            return f"{number_text(cell.value)} [{number_text(cell.low)}, {number_text(cell.high)}]"
        case bool():
            return "yes" if cell else "no"
        case float():
            return "< 0.001" if 0 < cell < 0.0005 else number_text(cell)
        case int():
            return f"{cell:,}"
        case _:
            return plain(str(cell))


def number_text(value: float) -> str:
    """Three decimals below ten, one beyond."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def _table(table: Table, most: int | None) -> str:
    shown: Sequence[tuple[Cell, ...]] = table.rows if most is None else table.rows[:most]
    head = "| " + " | ".join(map(escaped, table.columns)) + " |\n" + "| --- " * len(table.columns) + "|"
    rows = ["| " + " | ".join(escaped(cell_text(cell)) for cell in row) + " |" for row in shown]
    more = len(table.rows) - len(shown)
    told = [f"\n{more:,} more rows are in report.html and report.json."] if more else []
    return "\n".join([f"{escaped(table.caption)}\n", head, *rows, *told])


def escaped(text: str) -> str:
    """One line that CommonMark reads as text: no tag, no link, no image, no end of a cell."""
    told = plain(text).replace("\\", "\\\\").replace("<", "\\<").replace("|", "\\|")
    return told.replace("](", "]\\(").replace("][", "]\\[")


def _code(text: str) -> str:
    """A span of code that nothing within can end."""
    return f"`{plain(text).replace('`', chr(39))}`"

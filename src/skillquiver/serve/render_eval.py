"""One section as text and as a JSON document; ``serve.report`` writes whole reports."""

from __future__ import annotations

from typing import Any

import msgspec

from skillquiver.evaluate.results import REPORT_SCHEMA, Cell, Interval, Section, Table
from skillquiver.skills.sanitize import plain
from skillquiver.evaluate.results import REPORT_SCHEMA, Section
from skillquiver.serve.report import document
from skillquiver.serve.report.markdown import section_text

__all__ = ["section_data", "section_text"]


def section_data(section: Section) -> dict[str, Any]:
    """A section as JSON values; intervals are objects with ``value``, ``low``, ``high`` and ``n``."""
    return {"schema": REPORT_SCHEMA, **msgspec.to_builtins(section)}


def section_text(section: Section) -> str:
    """A section as Markdown."""
    parts = [f"## {section.title}", section.question]
    parts += [f"**{plain(section.answer)}**"] if section.answer else []
    parts += [f"Warning: {plain(text)}" for text in section.warnings]
    parts += [_table(table) for table in section.tables]
    return "\n\n".join(parts)


def _table(table: Table) -> str:
    head = "| " + " | ".join(table.columns) + " |\n" + "| --- " * len(table.columns) + "|"
    rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    return "\n".join([f"{plain(table.caption)}\n", head, *rows])


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return "–"
        case Interval():
            return f"{cell.value:.3f} [{cell.low:.3f}, {cell.high:.3f}]"
        case float():
            return f"{cell:.3f}"
        case _:
            return plain(str(cell)).replace("|", "\\|")
    """A section as a document of its own: its keys and the ``schema`` of reports."""
    return {"schema": REPORT_SCHEMA, **document.section_data(section)}

"""The folder of a report: ``report.json``, ``report.md``, ``report.html`` and ``figures/``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import Report
from skillquiver.serve.report.document import report_json, sound

__all__ = ["JSON_NAME", "render_report", "write_json"]

JSON_NAME = "report.json"


def write_json(folder: Path, data: Mapping[str, Any]) -> None:
    """Replace ``report.json`` at once, so that an interruption leaves the old one or the new one.

    Raises ``UsageError`` if the folder cannot be written.
    """
    _put(folder / JSON_NAME, report_json(data))


def render_report(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write the pages and the figures beside them; returns what was written.

    Without matplotlib, ``report.md`` is written without figures, and then ``UsageError`` is raised.
    """
    from skillquiver.serve.report.figures import draw
    from skillquiver.serve.report.markdown import report_text
    from skillquiver.serve.report.page import page_html

    sections = [sound(section) for section in report.sections]
    report = Report(about=report.about, sections=sections, schema=report.schema)
    drawings: dict[tuple[str, int], str] = {}
    try:
        for section in sections:
            for number, plot in enumerate(section.plots, start=1):
                key = (section.name, number)
                drawings[key] = draw(plot, salt=f"{section.name}-{number}")
    except UsageError:
        _put(folder / "report.md", report_text(report))
        raise
    files = {key: f"figures/{_safe(key[0])}-{key[1]}.svg" for key in drawings}
    for key, name in files.items():
        _put(folder / name, drawings[key] + "\n")
    _put(folder / "report.md", report_text(report, figures=files))
    _put(folder / "report.html", page_html(report, drawings))
    return (folder / "report.md", folder / "report.html")


def _safe(name: str) -> str:
    """A section's name as part of a file's: a report may come from anywhere."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "-") else "_" for c in name)[:60]


def _put(file: Path, text: str) -> None:
    """Replace ``file`` at once; the name of the temporary file is this process's own."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        told = f"cannot write {file}: {error.strerror or error}; free some space, or name another --out"
        raise UsageError(told) from error

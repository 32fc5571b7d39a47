"""One section as text and as a JSON document; ``serve.report`` writes whole reports."""

from __future__ import annotations

from typing import Any

from skillquiver.evaluate.results import REPORT_SCHEMA, Section
from skillquiver.serve.report import document
from skillquiver.serve.report.markdown import section_text

__all__ = ["section_data", "section_text"]


def section_data(section: Section) -> dict[str, Any]:
    """A section as a document of its own: its keys and the ``schema`` of reports."""
    return {"schema": REPORT_SCHEMA, **document.section_data(section)}

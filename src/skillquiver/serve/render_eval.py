"""Sections of a report as text and as JSON values; ``serve.report`` writes whole reports."""

from __future__ import annotations

from skillquiver.serve.report.document import section_data
from skillquiver.serve.report.markdown import section_text

__all__ = ["section_data", "section_text"]

"""What a query was rewritten to, beside the answer to it. A model's words are neutralised like a skill's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from skillquiver.retrieve.rewrite import Rewriter, Rewritten
from skillquiver.skills.sanitize import plain

__all__ = ["rewrite_data", "rewrite_text"]


def rewrite_data(answer: Mapping[str, Any], told: Rewritten) -> dict[str, Any]:
    """``answer`` with the task as it was given as ``query``, and ``rewrite`` if that was asked for."""
    data = {**answer, "query": told.task}
    if told.asked:
        data["rewrite"] = {
            "by": told.by.value,
            "model": told.model,
            "note": told.note,
            "query": told.query,
            "schema": asdict(told.schema) if told.schema else None,
        }
    return data


def rewrite_text(answer: str, told: Rewritten) -> str:
    """``answer`` and, if a rewriting was asked for, a line with who did it and the goal that came first."""
    if not told.asked:
        return answer
    note = f" ({plain(told.note)})" if told.note else ""
    if told.schema is None:
        return f"{answer}\nnot rewritten{note}"
    who = told.model if told.by is Rewriter.MODEL else "rules"
    return f"{answer}\nrewritten by {plain(who)}{note}: {plain(told.schema.goal)}"

"""Drafts, folds and comparisons as text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from skillquiver.evaluate.wording import gap_text
from skillquiver.serve.report.markdown import escaped
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from skillquiver.evaluate.comparing import Comparison
    from skillquiver.serve.usecases.query_files import Draft, Fold

__all__ = [
    "comparison_data",
    "comparison_text",
    "draft_data",
    "draft_text",
    "folds_data",
    "folds_text",
]

NEXT_STEPS = """\
Each is a prompt that a skill's own author quotes, in the skill's words (tags: direct, echo-prone), so that
figures on them are an upper bound. To make the file measure something:

1. Delete what nobody would say. Where another skill answers as well, add it to `gold`.
2. For each skill that matters write one or two queries as your users would, without looking at its text: the
   same need in other words (tag `paraphrase`), or the goal alone (tag `indirect`).
3. Some 30 of these tell good from bad (a share is known to ±0.18), 100 tell rankers apart (±0.10).
4. Add some 20 requests that no skill answers, with `"gold": []`: do searches say "none" then?
"""


def draft_data(draft: Draft) -> dict[str, Any]:
    """A draft as JSON values."""
    return {"file": str(draft.file), "queries": draft.queries, "skills": draft.skills}


def draft_text(draft: Draft) -> str:
    """A draft for people: what was written, and what to do next."""
    file = plain(str(draft.file))
    return (
        f"{draft.queries} queries of {draft.skills} skills in {file}\n\n{NEXT_STEPS}\n"
        f"Then: quiver eval run rankers {file}"
    )


def folds_data(folds: Sequence[Fold]) -> dict[str, Any]:
    """Folds as JSON values."""
    files = [{"file": str(one.file), "fold": one.fold, "queries": one.queries} for one in folds]
    return {"folds": max(one.fold for one in folds) + 1, "files": files}


def folds_text(folds: Sequence[Fold]) -> str:
    """One line for each file."""
    return "\n".join(f"fold {one.fold}: {one.queries:5} queries  {plain(str(one.file))}" for one in folds)


def comparison_data(found: Comparison) -> dict[str, Any]:
    """A comparison as JSON values."""
    data: dict[str, Any] = msgspec.to_builtins(found)
    return data


def comparison_text(found: Comparison) -> str:
    """A comparison as Markdown, what is surely different first."""
    rows = sorted(found.rows, key=lambda row: (row.adjusted, row.experiment, row.sample))
    sure = sum(row.adjusted < 0.05 for row in rows)
    lines = [
        "| measure | A | B | B - A | better, worse | p | p, Holm |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {escaped(row.experiment)}: {escaped(row.sample)} | {row.before:.3f} | {row.after:.3f} "
        f"| {gap_text(row.difference)} | {row.won}, {row.lost} | {row.p:.4f} | {row.adjusted:.4f} |"
        for row in rows
    ]
    told = f"{len(found.same)} measures are the same for every task, {len(rows)} are not"
    told += f"; {sure} of these differ by more than chance (p < 0.05, Holm)." if rows else "."
    warnings = [f"Warning: {escaped(text)}" for text in found.warnings]
    return "\n\n".join([told, *warnings, *(["\n".join(lines)] if rows else [])])

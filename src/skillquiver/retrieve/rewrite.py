"""A long task to the query that is ranked, and what became of it on the way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skillquiver.index.analyze import cjk_share
from skillquiver.retrieve.task_rules import schema_by_rules
from skillquiver.retrieve.task_schema import TaskSchema, compose
from skillquiver.settings import RewriteSettings

__all__ = ["Rewriter", "Rewritten", "by_rules", "composed", "unchanged"]


class Rewriter(StrEnum):
    """Who wrote the query."""

    MODEL = "model"
    RULES = "rules"
    NOBODY = "nobody"
    """It is ranked as it was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A query and how it came about. ``note`` says why it is not what was asked for; empty if it is."""

    task: str
    """As it was given."""
    query: str
    """What is ranked."""
    by: Rewriter
    model: str = ""
    schema: TaskSchema | None = None
    note: str = ""

    @property
    def asked(self) -> bool:
        """Whether a rewriting was asked for."""
        return self.by is not Rewriter.NOBODY or bool(self.note)


def unchanged(task: str, note: str = "") -> Rewritten:
    """``task`` as it is."""
    return Rewritten(task=task, query=task, by=Rewriter.NOBODY, note=note)


def by_rules(task: str, settings: RewriteSettings, note: str = "") -> Rewritten:
    """Rewrite ``task`` without a model; a task in a script that the rules do not read stays as it is."""
    if cjk_share(task) > settings.cjk_share:
        return unchanged(task, _both(note, "the rules read English only"))
    return composed(task, schema_by_rules(task), Rewriter.RULES, note=note)


def composed(task: str, schema: TaskSchema, by: Rewriter, *, model: str = "", note: str = "") -> Rewritten:
    """The query of ``schema``; ``task`` itself where the schema is empty."""
    query = compose(schema)
    if not query:
        return unchanged(task, _both(note, "nothing was left of it"))
    return Rewritten(task=task, query=query, by=by, model=model, schema=schema, note=note)


def _both(*notes: str) -> str:
    return "; ".join(note for note in notes if note)

"""What becomes of a task on its way to the ranker."""

from __future__ import annotations

from skillquiver.retrieve.rewrite import Rewriter, by_rules, composed, unchanged
from skillquiver.retrieve.task_schema import TaskSchema
from skillquiver.settings import RewriteSettings

SETTINGS = RewriteSettings()


def test_rules_give_the_composed_query_and_keep_the_task() -> None:
    told = by_rules("Fold the paper crane.", SETTINGS, note="no model")
    assert (told.by, told.note, told.task) == (Rewriter.RULES, "no model", "Fold the paper crane.")
    assert told.query == "Fold the paper crane.\nfold paper crane"
    assert told.asked


def test_a_task_in_chinese_stays_as_it_is() -> None:
    told = by_rules("把表格转换成图表", SETTINGS, note="no model")
    assert (told.by, told.query) == (Rewriter.NOBODY, "把表格转换成图表")
    assert told.note == "no model; the rules read English only"


def test_a_task_of_which_nothing_is_left_stays_as_it_is() -> None:
    told = composed("```\nx = 1\n```", TaskSchema(), Rewriter.RULES)
    assert (told.by, told.query, told.note) == (Rewriter.NOBODY, "```\nx = 1\n```", "nothing was left of it")


def test_a_query_that_nobody_wanted_rewritten_says_nothing() -> None:
    assert not unchanged("a").asked
    assert unchanged("a", "too short").asked

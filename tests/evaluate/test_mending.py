from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from skillquiver.evaluate.causes import Cause, Lost, Miss
from skillquiver.evaluate.mending import Gap, Mender
from skillquiver.evaluate.qrels import Task
from skillquiver.retrieve.bundle import Omission
from skillquiver.serve.usecases.subject import open_subject
from skillquiver.types import SkillId
from tests.libraries import index, put

PDF, FORM = SkillId("skills/pdf"), SkillId("skills/form")


@pytest.fixture(scope="module")
def mender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mender]:
    folder: Path = tmp_path_factory.mktemp("mending")
    root = folder / "skills"
    put(root, "pdf", "Merges documents.", "Rotate pages, then sign them.")
    put(root, "form", "Fills in forms.", "Write each value.")
    for number in range(3):
        put(root, f"other-{number}", "Handles common things.", "Nothing else.")
    index(folder / "library", root, vectors=False)
    with open_subject(folder / "library") as subject:
        yield Mender(subject)


def task(query: str, *gold: SkillId, missing: tuple[str, ...] = ()) -> Task:
    return Task(query_id="q", query=query, gold=tuple(frozenset({one}) for one in gold), missing=missing)


def lost(query: str, reason: str = "not ranked", *, came: tuple[SkillId, ...] = (), **fields: str) -> Miss:
    gone = Lost(PDF, 12, reason, **fields)
    cause = Cause.PARTIAL if came else Cause.RETRIEVAL
    return Miss(task=task(query, PDF, *came), cause=cause, lost=(gone,), came=came, rivals=(FORM,))


def test_words_of_no_field_and_words_outside_the_card_are_told_apart(mender: Mender) -> None:
    assert mender.gap(task("sign my invoices and rotate documents", PDF), PDF) == Gap(
        ("invoices",), ("rotate", "sign")
    )


def test_words_that_many_cards_hold_are_no_advice(mender: Mender) -> None:
    assert mender.gap(task("common invoices", PDF), PDF).nowhere == ("invoices",)


def test_words_that_another_gold_skill_of_the_task_accounts_for_are_left_out(mender: Mender) -> None:
    assert mender.gap(task("fills invoices", PDF, FORM), PDF).nowhere == ("invoices",)
    assert mender.gap(task("fills invoices", PDF), PDF).nowhere == ("fills", "invoices")


def test_a_part_of_the_task_stands_for_the_whole(mender: Mender) -> None:
    assert mender.gap(task("stamp invoices", PDF), PDF, part="stamp them").nowhere == ("stamp",)


def test_a_skill_that_went_has_no_gap(mender: Mender) -> None:
    assert mender.gap(task("stamp", PDF), SkillId("skills/gone")) == Gap((), ())


def test_advice_names_the_words_that_are_lacking(mender: Mender) -> None:
    assert mender.advice(lost("stamp invoices")) == (
        "describe skills/pdf in the words of such tasks, as it lacks: invoices, stamp"
    )


def test_advice_for_words_of_the_body_is_to_put_them_into_the_description(mender: Mender) -> None:
    assert mender.advice(lost("sign documents")) == (
        "name in the description of skills/pdf what only its body has: sign"
    )


def test_advice_where_no_word_lacks_is_about_the_rivals(mender: Mender) -> None:
    assert mender.advice(lost("merges documents")) == (
        "its text has the words: say what sets skills/pdf apart from skills/form"
    )
    alone = replace(lost("merges documents"), rivals=())
    assert mender.advice(alone) == "the task says little: name skills/pdf in it, or what it works on"


def test_advice_beside_a_gold_skill_that_came_is_a_relation_first(mender: Mender) -> None:
    told = mender.advice(lost("stamp", Omission.LOW_CONFIDENCE, came=(FORM,)))
    assert told.startswith("if skills/form needs it, declare `prerequisite-skills: skills/pdf` there; else")


def test_advice_follows_the_reason_of_the_bundle(mender: Mender) -> None:
    assert mender.advice(lost("stamp", Omission.MAX_SKILLS, came=(FORM,))) == "raise `--max-skills`"
    assert "--budget" in mender.advice(lost("stamp", Omission.OVER_BUDGET, came=(FORM,)))


def test_advice_for_what_no_ranking_can_mend(mender: Mender) -> None:
    absent = Miss(task=task("stamp", missing=("a", "b", "c", "d")), cause=Cause.ABSENT)
    assert mender.advice(absent) == "install a, b, c and 1 more, or correct the ids in the query file"
    off_topic = Miss(task=task("stamp"), cause=Cause.UNWANTED, wrong=(PDF,))
    assert mender.advice(off_topic) == "narrow the descriptions of the skills that came"
    named = replace(off_topic, task=replace(task("stamp"), not_gold=frozenset({PDF}), rejects=True))
    assert mender.advice(named) == "say in their descriptions what these skills are not for"
    order = Miss(task=task("stamp", PDF, FORM), cause=Cause.ORDER, pair=(PDF, FORM))
    assert "prerequisite-skills: skills/pdf` in skills/form" in mender.advice(order)

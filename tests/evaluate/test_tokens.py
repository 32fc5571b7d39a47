from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import median

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate import tokens
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.sampling import evenly
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject
from skillquiver.skills.tiers import body, card
from skillquiver.skills.tokens import count_tokens
from tests.evaluate.examples import QUERIES, QUICK, inputs, make_library


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibrarySubject]:
    with open_subject(make_library(tmp_path_factory.mktemp("tokens") / "library")) as opened:
        yield opened


@pytest.fixture(scope="module")
def given(subject: LibrarySubject) -> Inputs:
    return inputs(subject, "\n".join(QUERIES.read_text(encoding="utf-8").splitlines()[:6]))


def test_everything_is_the_cards_or_the_bodies_of_the_skills_that_models_may_see(
    subject: LibrarySubject, given: Inputs
) -> None:
    seen = [skill for _, skill in subject.library.store.all_skills() if not skill.hidden]
    assert len(seen) < len(subject.skills)
    whole = {row[0]: row[1] for row in tokens.run(subject, given).tables[0].rows}
    assert whole["every card"] == sum(count_tokens(card(skill)) for skill in seen)
    assert whole["every body"] == sum(count_tokens(body(skill)) for skill in seen)
    assert {"list of Claude Code", "list of Codex"} < whole.keys()


def test_each_way_is_counted_by_the_text_that_is_said(subject: LibrarySubject, given: Inputs) -> None:
    section = tokens.run(subject, given)
    for way in ("hook", "search", "bundle"):
        texts = [subject.said(task.query, budget=QUICK.budget)[way] for task in given.sets[0].tasks]
        counts = [count_tokens(text) for text in texts]
        row = next(row for row in section.tables[1].rows if row[0] == way)
        told = [count for count in counts if count]  # where nothing is said, nothing is saved either
        assert row[1:4] == (round(median(told)), max(told), max(told))
        assert row[4] == f"{1 - len(told) / len(counts):.0%}"
        assert list(section.samples[f"set: tokens of {way}"].values()) == counts


def test_what_is_saved_is_measured_by_every_card_and_every_body(
    subject: LibrarySubject, given: Inputs
) -> None:
    section = tokens.run(subject, given)
    whole = {row[0]: row[1] for row in section.tables[0].rows}
    bundle = median(tokens for tokens in section.samples["set: tokens of bundle"].values() if tokens)
    row = section.tables[1].rows[2]
    assert row[0] == "bundle"
    assert row[6] == f"{1 - bundle / whole['every body']:.2%}"  # type: ignore[operator]
    assert (section.tables[2].rows[0][1], section.tables[2].rows[1][1]) == ("98.8%", row[6])


def test_a_small_library_is_warned_of(subject: LibrarySubject, given: Inputs) -> None:
    assert "can be sent whole" in tokens.run(subject, given).warnings[0]


def test_no_query_file_is_a_usage_error(subject: LibrarySubject) -> None:
    with pytest.raises(UsageError, match="needs a query file"):
        tokens.run(subject, Inputs(sets=(), settings=QUICK))


def test_counts_that_the_index_did_not_keep_are_made_again(subject: LibrarySubject) -> None:
    uncounted = LibrarySubject(subject.library)
    bare = {i: replace(s, tokens=type(s.tokens)()) for i, s in subject.skills.items()}
    vars(uncounted)["skills"] = bare  # what a cached property keeps
    assert tokens.card_tokens(uncounted) == tokens.card_tokens(subject)


def test_an_even_part_keeps_the_order_and_the_distances() -> None:
    assert evenly(range(10), 4) == (0, 2, 5, 7)
    assert evenly("abc", 3) == ("a", "b", "c")


@pytest.mark.parametrize(("count", "told"), [(25, "75.00% less"), (150, "50.00% more"), (100, "0.00% less")])
def test_what_costs_more_than_everything_is_called_more(count: int, told: str) -> None:
    answer = tokens._answer({"every card": 100, "every body": 100}, {"search": [count], "bundle": [count]})
    assert f"a search {count} ({told}; it answers 100%)" in answer
    assert f"takes {told} than every body." in answer

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.evaluate import echo
from skillquiver.evaluate.echo_test import Echo, echo_of, echo_warnings, echoes, is_echo, without_echoes
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.results import Section
from skillquiver.settings import EvalSettings
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import cells, table_of, value
from tests.evaluate.scripted import Say, ScriptedSubject, task

FEW = EvalSettings(draws=1000)
TERMS = st.lists(st.sampled_from("abcd"), max_size=14)

# --- the rule --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "card", "expected"),
    [
        ("a b c d", "x a b c", Echo(2 / 3, 2, 3)),  # ab, bc of ab, bc, cd
        ("b a", "a b", Echo(0, 0, 1)),  # the order counts
        ("a b a b", "a b", Echo(1 / 2, 1, 2)),  # ab, ba: a pair counts once
        ("a b x c d", "a b y c d", Echo(1 / 2, 2, 2)),  # a changed word costs two pairs
        ("a", "a", Echo(0, 0, 1)),
        ("", "a b", Echo()),
        ("a b", "", Echo()),
    ],
)
def test_what_a_query_has_in_common_with_a_card(query: str, card: str, expected: Echo) -> None:
    assert echo_of(query.split(), card.split()) == expected


@given(TERMS, TERMS)
def test_the_longest_run_is_that_of_the_standard_library(one: list[str], other: list[str]) -> None:
    theirs = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    assert echo_of(one, other).run == theirs.size


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a b c x y", True),  # 2 of 4 pairs: one half
        ("a b c x y z", False),  # 2 of 5
        ("a b x", False),  # 1 of 2: half, but one pair is the subject
        ("a b", False),  # 1 of 1, too
        ("a b c", True),  # 2 of 2
        ("a b c d e f g h " + " ".join(f"x{i}" for i in range(30)), True),  # eight in one run of 38
        ("a b c d e f g " + " ".join(f"x{i}" for i in range(30)), False),  # seven
        ("a b c d x e f g h y z u v w p q", False),  # 6 of 15 pairs; eight terms, in two runs
    ],
)
def test_half_of_the_pairs_and_two_or_eight_in_a_row_are_an_echo(query: str, expected: bool) -> None:
    assert is_echo(echo_of(query.split(), "a b c d e f g h".split())) is expected


CARD = make_skill("tuner", "Tunes violins, then polishes bows.", when_to_use="Before a concert begins.")
OTHER = make_skill("baker", "Bakes sourdough bread overnight.")
SKILLS = {skill.id: skill for skill in (CARD, OTHER)}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Tune my violin and then polish the bow", True),  # inflection and function words do not hide it
        ("before the concert begins, tune it", True),  # 2 of 3 pairs, out of when-to-use
        ("my violin sounds flat, what now?", False),
        ("violin bow polish tune", False),  # the words alone, in another order
        ("bake sourdough bread overnight", False),  # the card of a skill that is no answer
    ],
)
def test_the_card_of_a_skill_that_answers_is_what_must_not_be_repeated(query: str, expected: bool) -> None:
    assert echoes(task("q", query, CARD.id), SKILLS) is expected


def test_the_card_of_any_gold_skill_or_of_one_that_does_as_well_counts() -> None:
    text = "bake sourdough bread overnight"
    assert echoes(task("q", text, CARD.id, OTHER.id), SKILLS)
    assert echoes(task("q", text, gold=(frozenset({CARD.id, OTHER.id}),)), SKILLS)
    assert not echoes(task("q", text), SKILLS)
    assert not echoes(task("q", text, "test/gone"), SKILLS)


# --- sets ------------------------------------------------------------------------------------------

PLAIN, REPEATED = "my violin sounds flat", "tune violins, then polish bows"


def queries(echoed: int, plain: int, *more: Task, name: str = "set") -> QuerySet:
    tasks = [task(f"e{at}", REPEATED, CARD.id) for at in range(echoed)]
    tasks += [task(f"p{at}", PLAIN, CARD.id) for at in range(plain)]
    return QuerySet(name, (*tasks, *more))


def test_more_than_a_tenth_of_echoes_makes_an_echo_set() -> None:
    assert echo_warnings([queries(1, 9)], SKILLS) == ()
    (told,) = echo_warnings([queries(1, 9), queries(1, 8, name="second")], SKILLS)
    assert told.startswith("second: an echo set: 1 of 9 queries repeat the description")
    assert "--reject-echo" in told


def test_queries_without_an_answer_make_no_set_less_of_an_echo() -> None:
    off_topic = [task(f"off{at}", PLAIN) for at in range(50)]
    (told,) = echo_warnings([queries(1, 8, *off_topic)], SKILLS)
    assert "1 of 9 queries" in told
    assert echo_warnings([QuerySet("none", tuple(off_topic))], SKILLS) == ()


def test_echoes_are_left_out_and_counted_and_nothing_else_is() -> None:
    off_topic = task("off", REPEATED)
    kept, told = without_echoes([queries(2, 1, off_topic), queries(0, 1, name="second")], SKILLS)
    assert [[one.query_id for one in each.tasks] for each in kept] == [["p0", "off"], ["p0"]]
    assert told == (
        "set: 2 of 4 queries repeat a description: left out",
        "second: 0 of 1 queries repeat a description: left out",
    )


# --- the experiment --------------------------------------------------------------------------------

NAMES = ("one", "two", "three", "four")
LIBRARY = {skill.id: skill for skill in (make_skill(n, f"Card of number {n}.") for n in NAMES)}


def run(tasks: Sequence[Task], say: Say, skills: dict[SkillId, Skill] = LIBRARY) -> Section:
    return echo.run(ScriptedSubject(skills, say), Inputs(sets=(QuerySet("set", tuple(tasks)),), settings=FEW))


def asks(*names: str) -> list[Task]:
    return [task(f"q{at}", f"ask {name}", f"test/{name}") for at, name in enumerate(names)]


def reading(ranker: str, query: str) -> list[str]:
    """Finds every description; of queries BM25 finds none first, the others the first two."""
    name = next(name for name in NAMES if name in query)
    first = query.startswith("Card") or (ranker != "bm25" and name in NAMES[:2])
    return [f"test/{name}"] if first else ["test/elsewhere", f"test/{name}"]


def test_inflation_is_the_measure_on_descriptions_minus_that_on_queries() -> None:
    found = table_of(run(asks(*NAMES), reading), "set: what repeating")
    hybrid = cells(found, "hybrid, hit@1")
    columns = ("no echo", "descriptions", "inflation")
    assert [value(hybrid[name]) for name in columns] == [0.5, 1.0, 0.5]
    assert [value(cells(found, "hybrid, MRR")[name]) for name in columns] == [0.75, 1.0, 0.25]
    assert [value(cells(found, "bm25, hit@1")[name]) for name in columns] == [0.0, 1.0, 1.0]
    assert [value(cells(found, "bm25, MRR")[name]) for name in columns] == [0.5, 1.0, 0.5]
    assert hybrid["echoes of the set - others"] is None
    assert "Holm-adjusted over 6" in found.caption


def test_p_values_are_those_of_flipped_signs_corrected_over_all_rows() -> None:
    section = run(asks(*NAMES), reading)
    found = table_of(section, "set: what repeating")
    # Four gaps of 1: both ends of 16 ways to sign them, p = 1/8; six tests, this one among the two least.
    assert cells(found, "bm25, hit@1")["p"] == pytest.approx(6 / 8, abs=0.15)
    assert cells(found, "hybrid, hit@1")["p"] == 1.0  # two gaps: 1/2, times four and more


def test_queries_of_one_gold_skill_count_once_and_say_so_to_whoever_compares_runs() -> None:
    section = run(asks("one", "one", "one", "three"), reading)
    row = cells(table_of(section, "set: what repeating"), "hybrid, hit@1")
    assert value(row["no echo"]) == 0.5  # 1 of skill one, 0 of skill three: not 3 of 4
    assert [getattr(row[name], "n", 0) for name in ("no echo", "descriptions", "inflation")] == [2, 2, 2]
    assert section.clusters == {f"q{i}": f"test/{name}" for i, name in enumerate(("one",) * 3 + ("three",))}


def test_what_is_an_echo_already_is_no_query_to_compare_with() -> None:
    tasks = [*asks(*NAMES[:3]), task("echo", "card of number four", "test/four")]
    section = run(tasks, reading)
    assert cells(table_of(section, "Queries that repeat"), "set")["echoes"] == 1
    row = cells(table_of(section, "set: what repeating"), "hybrid, hit@1")
    assert value(row["no echo"]) == pytest.approx(2 / 3)
    assert section.samples["set: hybrid on queries, hit@1"] == {"q0": 1, "q1": 1, "q2": 0, "echo": 0}
    assert set(section.samples["set: hybrid on descriptions, hit@1"].values()) == {1.0}
    assert "1 of 4 queries are echoes: an echo set" in section.answer


def test_a_set_with_enough_echoes_of_its_own_has_them_compared_with_the_others() -> None:
    names = [f"n{at:02}" for at in range(20)]
    skills = {s.id: s for s in (make_skill(n, f"Carves {n} boxes out of walnut wood.") for n in names)}
    tasks = [task(n, f"carve {n} boxes of walnut wood", f"test/{n}") for n in names[:10]]
    tasks += [task(n, f"ask {n}", f"test/{n}") for n in names[10:]]

    def say(ranker: str, query: str) -> list[str]:
        name = next(n for n in names if n in query)
        return [f"test/{name}"] if query.lower().startswith("carve") or name < "n15" else []

    row = cells(table_of(run(tasks, say, skills), "set: what repeating"), "hybrid, hit@1")
    assert value(row["echoes of the set - others"]) == 0.5  # 10 of 10 minus 5 of 10
    fewer = cells(table_of(run(tasks[1:], say, skills), "set: what repeating"), "hybrid, hit@1")
    assert fewer["echoes of the set - others"] is None


def test_the_description_with_its_when_to_use_is_asked_and_the_name_where_there_is_neither() -> None:
    bare = replace(make_skill("bare"), description="")
    full = make_skill("full", "Paints walls.", when_to_use="On request.")
    subject = ScriptedSubject({s.id: s for s in (bare, full)}, lambda *_: [])
    tasks = (task("q0", "paint it", full.id), task("q1", "what", bare.id))
    echo.run(subject, Inputs(sets=(QuerySet("set", tasks),), settings=FEW))
    asked = [query for ranker, query in subject.asked if ranker == "hybrid"]
    assert asked == ["paint it", "what", "Paints walls. On request.", "bare"]


def test_a_set_of_echoes_alone_has_nothing_to_compare() -> None:
    section = run([task("echo", "card of number four", "test/four")], reading)
    row = cells(table_of(section, "set: what repeating"), "hybrid, hit@1")
    assert (row["no echo"], row["inflation"], row["p"]) == (None, None, None)
    assert value(row["descriptions"]) == 1.0


def test_without_an_answerable_query_there_is_no_table() -> None:
    section = run([task("off", "nothing")], reading)
    assert (section.tables, section.plots, section.samples) == ((), (), {})


def test_the_same_run_gives_the_same_section() -> None:
    assert run(asks(*NAMES), reading) == run(asks(*NAMES), reading)

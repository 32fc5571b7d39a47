from __future__ import annotations

from dataclasses import replace

from skillquiver.retrieve.duplicates import Distinct
from skillquiver.settings import PackSettings
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from skillquiver.types import SkillId

SETTINGS = PackSettings()


def text(start: int, stop: int) -> str:
    """Lines of five words each, all different."""
    return "\n".join(" ".join(f"w{line}x{word}" for word in range(5)) for line in range(start, stop))


def duplicates(*skills: Skill) -> dict[int, int]:
    """Position of each copy to that of its original; ids are made distinct."""
    distinct, found = Distinct(SETTINGS), {}
    for position, skill in enumerate(skills):
        skill = replace(skill, id=SkillId(f"test/{position}"))
        twin = distinct.twin(skill)
        if twin is None:
            distinct.keep(skill)
        else:
            found[position] = int(twin.removeprefix("test/"))
    return found


def test_equal_bodies_are_copies_whatever_their_names() -> None:
    assert duplicates(make_skill("a", "One.", "same"), make_skill("b", "Two.", "same\n")) == {1: 0}


def test_a_body_with_one_line_changed_is_a_copy_of_the_better_ranked() -> None:
    a, b = make_skill("a", "One.", text(0, 50)), make_skill("b", "Two.", text(0, 49) + "\nother words")
    assert duplicates(a, b) == {1: 0}
    assert duplicates(b, a) == {1: 0}


def test_bodies_that_share_half_are_different_skills() -> None:
    # 25 of 50 lines each: overlap 1/3, below 0.85.
    assert duplicates(make_skill("a", "One.", text(0, 50)), make_skill("b", "Two.", text(25, 75))) == {}


def test_namesakes_that_share_half_are_forks() -> None:
    a = make_skill("Tool", "Draws maps.", text(0, 50))
    b = make_skill("tool", "Paints charts.", text(25, 75))
    assert duplicates(a, b) == {1: 0}


def test_namesakes_with_nothing_in_common_are_different_skills() -> None:
    a = make_skill("review", "Reads pull requests.", text(0, 50))
    b = make_skill("review", "Rates restaurants.", text(50, 99))
    assert duplicates(a, b) == {}


def test_namesakes_described_alike_with_nothing_in_common_are_different_skills() -> None:
    a = make_skill("configure", "Sets up the mail channel: tokens and access.", text(0, 50))
    b = make_skill("configure", "Sets up the chat channel: tokens and access.", text(50, 99))
    c = make_skill("configure", "Sets up the chat channel: tokens and access.", text(40, 90))
    assert duplicates(a, b) == {}
    assert duplicates(a, c) == {1: 0}  # 10 of 90 lines: overlap 1/9, above 0.1


def test_equal_long_descriptions_make_copies_and_equal_short_ones_do_not() -> None:
    long = "Turns spoken lectures into structured notes with summaries."
    assert duplicates(make_skill("a", long, text(0, 9)), make_skill("b", long, text(50, 59))) == {1: 0}
    short = "Deprecated, see other."
    assert duplicates(make_skill("a", short, text(0, 9)), make_skill("b", short, text(50, 59))) == {}


def test_copies_of_a_copy_point_to_the_first() -> None:
    three = [make_skill(name, f"{name}.", text(0, 50)) for name in ("a", "b", "c")]
    assert duplicates(*three) == {1: 0, 2: 0}


def test_skills_without_a_body_are_not_copies_of_each_other() -> None:
    a = make_skill("a", "One.", "", body_hash="")
    assert duplicates(a, make_skill("b", "Two.", "", body_hash="")) == {}

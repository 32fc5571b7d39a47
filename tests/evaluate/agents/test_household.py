from __future__ import annotations

import pytest

from skillquiver.evaluate.agents.household import APPLIANCE, CLOSED, ROOMS, Household, Treatment
from skillquiver.evaluate.agents.worlds import Turn, World
from tests.evaluate.agents.player import next_command

HOT_APPLE = 4
"""Apple in cabinet 2 of the kitchen, to be heated, then put into cabinet 1."""

COLD_POTATO = 7
"""Potato on the shelf of the living room, to be cooled, then put into the box of the study."""


def _play(world: World, *commands: str) -> list[Turn]:
    world.start()
    return [world.act(command) for command in commands]


def test_a_hot_apple_is_fetched_heated_and_put_away() -> None:
    world = Household(HOT_APPLE)
    assert world.goal == "Put a hot apple in or on the cabinet 1."
    turns = _play(
        world,
        "go to cabinet 2", "open cabinet 2", "take apple 1 from cabinet 2", "go to microwave",
        "heat apple with microwave", "go to cabinet 1", "open cabinet 1", "put apple in cabinet 1",
    )  # fmt: skip
    assert all(turn.legal for turn in turns)
    assert [turn.reward for turn in turns] == [0.0] * 7 + [1.0]
    assert [turn.done for turn in turns] == [False] * 7 + [True]
    assert (
        turns[1].observation
        == "The cabinet 2 is open. You are at the cabinet 2. In or on it: apple 1, pen 1."
    )


def test_a_thing_that_is_not_hot_does_not_finish_the_task() -> None:
    last = _play(
        Household(HOT_APPLE),
        "go to cabinet 2", "open cabinet 2", "take apple 1 from cabinet 2",
        "go to cabinet 1", "open cabinet 1", "put apple 1 in cabinet 1",
    )[-1]  # fmt: skip
    assert (last.reward, last.done, last.legal) == (0.0, False, True)


def test_cooling_a_hot_thing_takes_the_heat_away() -> None:
    world = Household(HOT_APPLE)
    last = _play(
        world,
        "go to cabinet 2", "open cabinet 2", "take apple 1 from cabinet 2", "go to microwave",
        "heat apple 1 with microwave", "go to fridge", "open fridge", "cool apple 1 with fridge",
        "go to cabinet 1", "open cabinet 1", "put apple 1 in cabinet 1",
    )[-1]  # fmt: skip
    assert last.reward == 0.0


def test_rooms_are_walked_and_the_fridge_must_be_open_to_cool() -> None:
    world = Household(COLD_POTATO)
    world.start()
    assert not world.act("go to shelf").legal  # another room
    assert world.act("Go to the living room.").observation.startswith("You are in the living room.")
    assert world.act("go to the shelf").observation == "You are at the shelf. In or on it: potato 1."
    assert world.act("take potato from shelf").observation == "You take potato 1."
    assert world.act("inventory").observation == "You carry potato 1."
    world.act("go to kitchen")
    assert world.act("go to fridge").observation == "You are at the fridge. It is closed."
    assert not world.act("cool potato 1 with fridge").legal
    world.act("open fridge")
    assert world.act("cool potato 1 with fridge").observation.endswith("It is cold now.")
    assert "Other rooms: kitchen, living room" in world.act("go to study").observation
    assert "at the box" in (world.act("go to box"), world.act("look"))[1].observation
    world.act("open box")
    assert world.act("put potato 1 into the box").done


@pytest.mark.parametrize(
    "command",
    [
        "", "dance", "go to the moon", "open counter", "close cabinet 1", "take apple 1 from cabinet 2",
        "take apple 1 from cabinet 1", "put apple 1 in cabinet 1", "heat apple 1 with microwave",
        "clean apple 1 with fridge", "open cabinet 2; open fridge", "x" * 10_000,
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_changes_nothing(command: str) -> None:
    world = Household(HOT_APPLE)
    world.start()
    world.act("go to cabinet 1")
    before = world.act("look")
    refused = world.act(command)
    assert (refused.legal, refused.reward, refused.done) == (False, 0.0, False)
    assert world.act("look") == before


def test_hands_hold_one_thing_and_an_open_microwave_does_not_heat() -> None:
    world = Household(HOT_APPLE)
    _play(world, "go to cabinet 2", "open cabinet 2", "take apple 1 from cabinet 2")
    assert not world.act("take pen 1 from cabinet 2").legal
    world.act("go to microwave")
    world.act("open microwave")
    assert not world.act("heat apple 1 with microwave").legal
    assert world.act("close microwave").observation == "The microwave is closed."
    assert not world.act("put apple 1 in microwave").legal
    assert world.act("heat apple 1 with microwave").legal


def test_a_game_begins_anew_with_everything_in_its_place() -> None:
    world = Household(HOT_APPLE)
    _play(world, "go to cabinet 2", "open cabinet 2", "take apple 1 from cabinet 2")
    first = world.start()
    assert first == Household(HOT_APPLE).start()
    assert world.act("inventory").observation == "You carry nothing."


def test_a_number_is_the_same_game_everywhere() -> None:
    assert [Household(seed).goal for seed in (1, 2, 3)] == [
        "Put a clean mug in or on the box.",
        "Put a cold tomato in or on the coffee table.",
        "Put a plate in or on the counter.",
    ]


def test_goals_have_the_right_article() -> None:
    goals = {Household(seed).goal for seed in range(200)}
    assert any(goal.startswith("Put an apple ") for goal in goals)
    assert not any("a apple" in goal or "  " in goal for goal in goals)


def test_every_kind_of_task_occurs_and_every_one_of_a_hundred_can_be_finished() -> None:
    told = "".join(f"## household/{treatment}-a-thing\n" for treatment in Treatment)
    treatments = set()
    for seed in range(1, 101):
        world, past, done = Household(seed), "", False
        treatments.add(world.treatment)
        world.start()
        for _ in range(50):
            command = next_command(told, f"Goal: {world.goal}\n\n{past}")
            turn = world.act(command)
            past += f"> {command}\n{turn.observation}\n\n"
            done = turn.done
            if done:
                break
        assert done, (seed, world.goal, past)
    assert treatments == set(Treatment)


def test_the_tables_agree_with_each_other() -> None:
    places = [place for places in ROOMS.values() for place in places]
    assert set(CLOSED) | set(APPLIANCE.values()) <= set(places)
    assert len(places) == len(set(places))

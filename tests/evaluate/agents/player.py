"""A scripted model: it plays households well, but treats a thing only if a skill in its prompt says how.

It stands in for a model behind a server. What it reaches says that skills arrive and rewards are counted; how
good an agent is, or a skill, it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from skillquiver.evaluate.agents.household import APPLIANCE, CLOSED, ROOMS, Treatment
from tests.graph.llm.provider import Asked

Past = Sequence[tuple[str, str]]
"""(command, what was seen after it), in order."""

_STATES = {"clean": Treatment.CLEAN, "hot": Treatment.HEAT, "cold": Treatment.COOL}
_PLACES = [place for places in ROOMS.values() for place in places]


def answers(asked: Asked) -> Any:
    """A brain for the local provider."""
    return {"command": next_command(asked.system, asked.user)}


def next_command(system: str, user: str) -> str:
    """What the scripted model does next."""
    goal, past = understood(user)
    match = re.fullmatch(r"Put an? (?:(clean|hot|cold) )?(\w+) in or on the (.+)\.", goal)
    assert match, goal
    kind, place = match[2], match[3]
    treatment = _STATES.get(match[1] or "", Treatment.NONE)
    thing = next((t for _, seen in past for t in re.findall(rf"You take ({kind} \d+)", seen)), "")
    if not thing:
        return _search(kind, place, past)
    treated = any(f"You {treatment} {thing}" in seen for _, seen in past)
    if treatment is Treatment.NONE or treated:
        return _walk(place, past) or _opened(place, past) or f"put {thing} in {place}"
    if f"/{treatment}-a-thing\n" not in system:
        return "look"  # it was never told how
    at = APPLIANCE[treatment]
    ready = _opened(at, past) if treatment is Treatment.COOL else _shut(at, past)
    return _walk(at, past) or ready or f"{treatment} {thing} with {at}"


def understood(user: str) -> tuple[str, Past]:
    """The goal, and every turn so far, out of a request."""
    goal = re.search(r"^Goal: (.+)$", user, re.MULTILINE)
    assert goal
    turns = [part.split("\n", 1) for part in user.split("\n\n") if part.startswith("> ")]
    return goal[1], [(command[2:], seen) for command, seen in turns]


def _search(kind: str, goal: str, past: Past) -> str:
    """Every place in turn, doors opened, until the thing is in sight."""
    for place in _PLACES:
        if place == goal:
            continue
        seen = [text for _, text in past if f"You are at the {place}." in text]
        if not seen or ("It is closed." in seen[-1] and place in CLOSED):
            return _walk(place, past) or f"open {place}"
        if found := re.search(rf"\b{kind} \d+", seen[-1]):
            return _walk(place, past) or f"take {found[0]} from {place}"
    return "look"


def _walk(place: str, past: Past) -> str:
    """The next command on the way to ``place``; empty for who stands there."""
    goings = [command.removeprefix("go to ") for command, _ in past if command.startswith("go to ")]
    if goings and goings[-1] == place:
        return ""
    room = next(room for room, places in ROOMS.items() if place in places)
    rooms = ["kitchen"] + [going for going in goings if going in ROOMS]
    return f"go to {place}" if rooms[-1] == room else f"go to {room}"


def _opened(place: str, past: Past) -> str:
    """The command that opens a place, where it has a door that nobody has opened yet."""
    if place not in CLOSED or any(command == f"open {place}" for command, _ in past):
        return ""
    return f"open {place}"


def _shut(place: str, past: Past) -> str:
    """The command that shuts a place which a search has left open."""
    moved = [command for command, _ in past if command in (f"open {place}", f"close {place}")]
    return f"close {place}" if moved and moved[-1].startswith("open") else ""

"""A small household, the same for the same number: fetch a thing, treat it, put it where it belongs.

Made for demonstration and tests, in the manner of household benchmarks and with words of our own. It shows
that the loop works; how good an agent is it cannot show.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from skillquiver.evaluate.agents.worlds import Turn

__all__ = ["Household", "Treatment"]


class Treatment(StrEnum):
    """What a task asks to be done to the thing."""

    NONE = "none"
    CLEAN = "clean"
    HEAT = "heat"
    COOL = "cool"


ROOMS = {
    "kitchen": ("counter", "cabinet 1", "cabinet 2", "drawer", "fridge", "microwave", "sink"),
    "living room": ("coffee table", "shelf", "sofa"),
    "study": ("desk", "box"),
}
"""Room → places in it."""

CLOSED = ("cabinet 1", "cabinet 2", "drawer", "fridge", "microwave", "box")
"""Places that have a door or a lid, shut at first."""

APPLIANCE = {Treatment.CLEAN: "sink", Treatment.HEAT: "microwave", Treatment.COOL: "fridge"}

_THINGS = {
    Treatment.NONE: ("book", "pen", "mug", "plate", "apple"),
    Treatment.CLEAN: ("mug", "plate", "apple", "spoon"),
    Treatment.HEAT: ("mug", "potato", "apple"),
    Treatment.COOL: ("tomato", "potato", "apple"),
}
"""What can be asked for."""

_OTHERS = ("book", "pen", "mug", "plate", "apple", "spoon", "potato", "tomato", "bowl", "candle")
_GOALS = ("coffee table", "shelf", "desk", "counter", "cabinet 1", "box")
_CLUTTER = 6
"""Things that lie about besides the one that is asked for."""

_T = TypeVar("_T")

_PLACES = tuple(place for places in ROOMS.values() for place in places)
_DONE = {Treatment.CLEAN: "clean", Treatment.HEAT: "hot", Treatment.COOL: "cold"}

_RULES = """\
look; inventory; go to ROOM OR PLACE; open PLACE; close PLACE; take THING from PLACE; put THING in PLACE; \
clean THING with sink; heat THING with microwave; cool THING with fridge.
You reach a place only from its own room, and what is at a place only when you stand there. Doors and lids
must be open, that of the microwave closed while it heats. You carry one thing at a time."""

_COMMANDS = {
    "look|l": "_look",
    "inventory|i": "_inventory",
    "go (?:to )?(.+)": "_go",
    "(open|close) (.+)": "_door",
    "take (.+) (?:from|off) (.+)": "_take",
    "put (.+) (?:in or on|in|on|into|onto) (.+)": "_put",
    "(clean|heat|cool) (.+) (?:with|in|using) (.+)": "_treat",
}
"""Pattern of a command → the method of `Household` that does it, with what the pattern caught.

A method gives what the player is told, or `None` for what makes no sense there.
"""


@dataclass
class _State:
    where: dict[str, str]
    """Thing → place, or "you"."""
    room: str = "kitchen"
    at: str = ""
    open: set[str] = field(default_factory=set)
    treated: set[tuple[str, Treatment]] = field(default_factory=set)


class Household:
    """One game; ``seed`` decides the task and where things lie."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.treatment = _pick(seed, "treatment", tuple(Treatment))
        self.kind = _pick(seed, "kind", _THINGS[self.treatment])
        self.place = _pick(seed, "goal", [p for p in _GOALS if p != APPLIANCE.get(self.treatment)])
        self._state = _State(self._layout())

    @property
    def goal(self) -> str:
        """What is to be done, in one sentence."""
        state = {**_DONE, Treatment.NONE: ""}[self.treatment]
        return f"Put a {state} {self.kind} in or on the {self.place}.".replace("a  ", "a ").replace(
            "Put a apple", "Put an apple"
        )

    @property
    def rules(self) -> str:
        """The commands."""
        return _RULES

    def start(self) -> str:
        """Put everything back and describe the first room."""
        self._state = _State(self._layout())
        return self._look()

    def close(self) -> None:
        """Nothing to give back."""

    def act(self, command: str) -> Turn:
        """Do one command."""
        words = " ".join(re.sub(r"[^\w\s]", " ", command.casefold()).split())
        words = re.sub(r"\b(?:the|a|an|some)\b ?", "", words).strip()
        told = self._do(words)
        done = self._finished()
        if told is None:
            return Turn("That is no command here, or names nothing in sight.", float(done), done, legal=False)
        return Turn(told + (" Well done: the task is finished." if done else ""), float(done), done)

    # --- commands ----------------------------------------------------------------------------------

    def _do(self, words: str) -> str | None:
        for pattern, method in _COMMANDS.items():
            if match := re.fullmatch(pattern, words):
                told: str | None = getattr(self, method)(*match.groups())
                return told
        return None

    def _inventory(self) -> str:
        return f"You carry {_listed(self._at('you'))}."

    def _go(self, goal: str) -> str | None:
        state = self._state
        if goal in ROOMS:
            state.room, state.at = goal, ""
            return self._look()
        if goal not in ROOMS[state.room]:
            return None
        state.at = goal
        return self._contents()

    def _door(self, verb: str, place: str) -> str | None:
        state, opening = self._state, verb == "open"
        if place != state.at or place not in CLOSED or (place in state.open) == opening:
            return None
        state.open ^= {place}
        return f"The {place} is open. {self._contents()}" if opening else f"The {place} is closed."

    def _take(self, name: str, place: str) -> str | None:
        thing = self._named(name, place)
        if thing is None or place != self._state.at or self._shut(place) or self._at("you"):
            return None
        self._state.where[thing] = "you"
        return f"You take {thing}."

    def _put(self, name: str, place: str) -> str | None:
        thing = self._named(name, "you")
        if thing is None or place != self._state.at or self._shut(place):
            return None
        self._state.where[thing] = place
        return f"You put {thing} in or on the {place}."

    def _treat(self, verb: str, name: str, place: str) -> str | None:
        """Clean, heat or cool what is carried; whoever heats or cools a thing takes the opposite away."""
        treatment, thing, state = Treatment(verb), self._named(name, "you"), self._state
        if thing is None or place != APPLIANCE[treatment] or place != state.at:
            return None
        if treatment is Treatment.COOL and self._shut(place):
            return None
        if treatment is Treatment.HEAT and place in state.open:
            return None
        if treatment is not Treatment.CLEAN:
            state.treated -= {(thing, Treatment.HEAT), (thing, Treatment.COOL)}
        state.treated.add((thing, treatment))
        return f"You {treatment} {thing} with the {place}. It is {_DONE[treatment]} now."

    # --- what there is -----------------------------------------------------------------------------

    def _look(self) -> str:
        state = self._state
        here = f"You are in the {state.room}" + (f", at the {state.at}" if state.at else "")
        others = ", ".join(room for room in ROOMS if room != state.room)
        return f"{here}. You see: {', '.join(ROOMS[state.room])}. Other rooms: {others}."

    def _contents(self) -> str:
        place = self._state.at
        if self._shut(place):
            return f"You are at the {place}. It is closed."
        return f"You are at the {place}. In or on it: {_listed(self._at(place))}."

    def _at(self, place: str) -> list[str]:
        return sorted(thing for thing, where in self._state.where.items() if where == place)

    def _shut(self, place: str) -> bool:
        return place in CLOSED and place not in self._state.open

    def _named(self, name: str, place: str) -> str | None:
        """The thing of this name at ``place``; a kind without its number means the first."""
        return next((t for t in self._at(place) if name in (t, t.rpartition(" ")[0])), None)

    def _finished(self) -> bool:
        treated = self._state.treated
        return any(
            thing.rpartition(" ")[0] == self.kind
            and (self.treatment is Treatment.NONE or (thing, self.treatment) in treated)
            for thing in self._at(self.place)
        )

    def _layout(self) -> dict[str, str]:
        """One thing of the kind asked for, elsewhere than it should be, and others anywhere."""
        start = [place for place in _PLACES if place not in (self.place, "microwave")]
        found = {f"{self.kind} 1": _pick(self._seed, "start", start)}
        others = [kind for kind in _OTHERS if kind != self.kind]
        for number in range(_CLUTTER):
            kind = _pick(self._seed, f"other {number}", others)
            copy = sum(name.rpartition(" ")[0] == kind for name in found) + 1
            found[f"{kind} {copy}"] = _pick(self._seed, f"place {number}", _PLACES)
        return found


def _pick(seed: int, what: str, options: Sequence[_T]) -> _T:
    """One of ``options``, the same on every machine."""
    digest = hashlib.sha256(f"{seed}/{what}".encode()).digest()
    return options[int.from_bytes(digest[:8], "big") % len(options)]


def _listed(things: Sequence[str]) -> str:
    return ", ".join(things) if things else "nothing"

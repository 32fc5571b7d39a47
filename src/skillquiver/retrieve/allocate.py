"""How the budget is spread: whole tiers, best units first, never a skill without what it requires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from skillquiver.retrieve.bundle import Tier
from skillquiver.retrieve.bundle_text import Block
from skillquiver.retrieve.choice import Unit
from skillquiver.types import SkillId

__all__ = ["Plan"]

SHORT_OUTLINE = 0.1
"""Share of a body below which room for its outline is not tried: nine outlines in ten take more than 14 %,
and making one in vain costs as much as ranking (decisions/0049)."""

_RICHEST_FIRST = (Tier.BODY, Tier.OUTLINE, Tier.CARD)


class Plan:
    """Which units come and at which tier each of their skills, within ``room`` tokens.

    Bounded greedy, three passes in the order of ``units``; a later pass only adds to an earlier one.

    0. Units that must come take cards, even if they exceed the room: the caller checks.
    1. The first unit takes cards, then its head the richest tier that fits.
    2. Every other unit takes cards, while cards stay within ``breadth`` tokens.
    3. Every unit, its head first, moves to the richest tiers that fit what is left.

    A unit has a place for all of its members or for none.
    """

    def __init__(self, units: Sequence[Unit], blocks: Mapping[SkillId, Block], *, room: int) -> None:
        self._blocks, self._room = blocks, room
        self._units = units
        self._spent = 0
        self.placed: list[Unit] = []
        self.tiers: dict[SkillId, Tier] = {}

    def fill(self, breadth: float) -> None:
        """Run the passes."""
        for unit in self._units:
            if unit.must:
                self._place(unit)
        for first in self._units[:1]:
            self._place_if_it_fits(first)
            self._enrich(first, first.members[:1])
        self._spread(breadth)
        for unit in self._units:
            self._place_if_it_fits(unit)
            self._enrich(unit, unit.members)

    def _spread(self, breadth: float) -> None:
        """Give a place to each unit after the first, while their cards stay within ``breadth`` tokens."""
        for unit in self._units[1:]:
            cost = self._least(unit)
            if self._fits(unit) and cost <= breadth:
                self._place(unit)
                breadth -= cost

    def shrink(self) -> bool:
        """Take a tier from the last skill that can spare one, or drop the last unit; whether that worked."""
        for unit in reversed(self.placed):
            for skill_id in reversed(unit.members):
                now = self._blocks[skill_id].cost(self.tiers[skill_id])
                cheaper = [t for t in _RICHEST_FIRST if self._blocks[skill_id].cost(t) < now]
                if cheaper:
                    self.tiers[skill_id] = max(cheaper, key=self._blocks[skill_id].cost)
                    return True
            if not unit.must:
                self._drop(unit)
                return True
        return False

    def _drop(self, unit: Unit) -> None:
        """Take a unit out, and with it what only it needed or wanted."""
        self.placed.remove(unit)
        needed = {skill_id for kept in self.placed for skill_id in kept.members}
        self.tiers = {skill_id: tier for skill_id, tier in self.tiers.items() if skill_id in needed}
        for kept in self.placed:
            if kept.wanted_by is not None and kept.wanted_by not in self.tiers:
                self._drop(kept)
                break

    def _fits(self, unit: Unit) -> bool:
        if unit in self.placed:
            return False
        wanted = unit.wanted_by is None or unit.wanted_by in self.tiers
        return wanted and self._least(unit) <= self._room - self._spent

    def _least(self, unit: Unit) -> int:
        """Tokens that a place for each member takes."""
        new = (skill_id for skill_id in unit.members if skill_id not in self.tiers)
        return sum(self._blocks[skill_id].cost(self._blocks[skill_id].least) for skill_id in new)

    def _place_if_it_fits(self, unit: Unit) -> None:
        if self._fits(unit):
            self._place(unit)

    def _place(self, unit: Unit) -> None:
        self._spent += self._least(unit)
        for skill_id in unit.members:
            self.tiers.setdefault(skill_id, self._blocks[skill_id].least)
        self.placed.append(unit)

    def _enrich(self, unit: Unit, skills: Iterable[SkillId]) -> None:
        """Move each skill that has a place to the richest tier that fits; a pointer stays as it is."""
        for skill_id in skills:
            if skill_id in self.tiers and not unit.pointer:
                self.tiers[skill_id] = self._richest(skill_id)

    def _richest(self, skill_id: SkillId) -> Tier:
        """Return the richest tier that fits, and pay for it."""
        cost, held = self._blocks[skill_id].cost, self.tiers[skill_id]
        left = self._room - self._spent
        for tier in _RICHEST_FIRST[: _RICHEST_FIRST.index(held)]:
            if tier is Tier.OUTLINE and left < SHORT_OUTLINE * cost(Tier.BODY):
                break
            more = cost(tier) - cost(held)
            if more <= left:
                self._spent += more
                return tier
        return held

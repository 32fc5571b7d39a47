"""The ``requires`` closure of one skill: everything it cannot do without, over any number of steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from skillquiver.retrieve.bundle import Candidate, Omission
from skillquiver.retrieve.links import Need
from skillquiver.types import SkillId

__all__ = ["Blocked", "Closure", "Met", "Reason", "close"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a skill stays out."""

    omission: Omission
    detail: str


class Blocked(Exception):  # noqa: N818 - a turn of events within packing, not an error of anybody's
    """A skill cannot come, for ``reason``."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason.detail)


@dataclass(frozen=True, slots=True)
class Met:
    """How a need is met: by skill ``id``, which is there already unless ``candidate`` brings it."""

    id: SkillId
    candidate: Candidate | None = None


Obtain = Callable[[SkillId, Need, Collection[SkillId]], Met | None]
"""(who needs, what, what the closure brings so far) to how it is met; ``None`` if it is loaded already.

Raises ``Blocked`` if it cannot be met.
"""


@dataclass(slots=True)
class Closure:
    """What one skill brings.

    ``members`` are all skills it cannot do without, itself first, nearest first, ``brought`` those of them
    that were not there. ``met`` are (who, by whom) for needs that are met, ``soft`` (who, need) for those
    that should come if they can, ``missing`` (who, what) for those that cannot be met.
    """

    members: list[SkillId]
    brought: dict[SkillId, Candidate] = field(default_factory=dict)
    met: list[tuple[SkillId, SkillId]] = field(default_factory=list)
    soft: list[tuple[SkillId, Need]] = field(default_factory=list)
    missing: list[tuple[SkillId, SkillId]] = field(default_factory=list)


def close(
    head: SkillId, needs: Callable[[SkillId], Sequence[Need]], obtain: Obtain, *, tolerant: bool = False
) -> Closure:
    """Follow hard needs from ``head``, breadth first.

    Raises ``Blocked`` if one cannot be met, unless ``tolerant``: then it is noted as missing. Ends because
    no skill is entered twice.
    """
    closure = Closure([head])
    open_ = deque([head])
    while open_:
        owner = open_.popleft()
        for need in needs(owner):
            met = _meet(closure, owner, need, obtain, tolerant=tolerant)
            if met is not None and met.id not in closure.members:
                closure.members.append(met.id)
                open_.append(met.id)
    return closure


def _meet(closure: Closure, owner: SkillId, need: Need, obtain: Obtain, *, tolerant: bool) -> Met | None:
    """Meet one need; return what the closure goes on from, if anything."""
    try:
        met = obtain(owner, need, closure.brought)
    except Blocked as blocked:
        if need.hard and not tolerant:
            raise Blocked(_told(need, blocked.reason)) from blocked
        closure.missing.append((owner, need.id))
        return None
    if met is None:
        return None
    if not need.hard and met.candidate is not None:
        closure.soft.append((owner, need))
        return None
    closure.met.append((owner, met.id))
    if not need.hard:
        return None
    if met.candidate is not None:
        closure.brought[met.id] = met.candidate
    return met


def _told(need: Need, reason: Reason) -> Reason:
    if reason.omission in (Omission.MAX_SKILLS, Omission.MISSING_REQUIREMENT):
        return reason
    return Reason(Omission.MISSING_REQUIREMENT, f"requires {need.id}, which cannot come: {reason.detail}")

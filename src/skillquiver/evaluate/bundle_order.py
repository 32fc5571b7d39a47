"""Whether bundles stand in the right order: pairs of known order as tasks, through every arm.

Each pair is one task: both descriptions, the later skill's first, so that a ranking in the order of the words
would be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.subject import Subject
from skillquiver.retrieve.bundle import Bundle, Omission
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import EvalSettings, PackSettings
from skillquiver.types import SkillId

__all__ = ["Packed", "packed_orders"]


@dataclass(frozen=True, slots=True)
class Packed:
    """One pair in a bundle: ``right`` is whether the earlier skill stands first.

    It is ``None`` if not both are there. ``entry`` is whether the bundle begins with the earlier skill.
    """

    arm: Arm
    key: str
    corpus: str
    right: bool | None
    entry: bool


def packed_orders(subject: Subject, order: Sequence[OrderEdge], settings: EvalSettings) -> list[Packed]:
    """Pack every distinct pair in every arm."""
    pairs = {(edge.before, edge.after, edge.corpus): None for edge in order}
    return [_packed(subject, pair, arm, settings) for arm in Arm for pair in pairs]


def _packed(subject: Subject, pair: tuple[SkillId, SkillId, str], arm: Arm, settings: EvalSettings) -> Packed:
    before, after, corpus = pair
    query = f"{_text(subject, after)} {_text(subject, before)}"
    bundle = subject.bundle(query, arm=arm, budget=settings.budget, max_skills=PackSettings().max_skills)
    place = {entry.id: at for at, entry in enumerate(bundle.entries)}
    first, then = (place.get(_stand_in(bundle, end)) for end in (before, after))
    right = None if first is None or then is None or first == then else first < then
    return Packed(arm, f"{before} > {after}", corpus, right, first == 0)


def _text(subject: Subject, skill_id: SkillId) -> str:
    skill = subject.skills[skill_id]
    return skill.description or skill.name


def _stand_in(bundle: Bundle, skill_id: SkillId) -> SkillId:
    """The skill, or the one it is a copy of in this bundle."""
    for one in bundle.omitted:
        if one.id == skill_id and one.reason is Omission.NEAR_DUPLICATE:
            return SkillId(one.detail.removeprefix("a copy of "))
    return skill_id

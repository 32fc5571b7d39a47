"""Why a task did not get what it wants: the first stage at which something went wrong.

Pure: a judged task, the ranking and the bundle it got in; at most one miss out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from skillquiver.evaluate.qrels import Task
from skillquiver.retrieve.bundle import Bundle, Omission, Omitted
from skillquiver.types import SkillId, Status

__all__ = ["NEVER_A_CANDIDATE", "UNRANKED", "Answer", "Cause", "Lost", "Miss", "diagnose"]


class Cause(StrEnum):
    """The first that applies, in this order; a task has one cause or none."""

    UNWANTED = "unwanted answer"
    """It got something though nothing fits, or a skill that its query names as wrong."""
    ABSENT = "not in library"
    """No gold skill is held, or all that are held came and others are lacking."""
    ABSTAINED = "abstained"
    """The ranker said that nothing in the library fits."""
    RETRIEVAL = "retrieval miss"
    """No gold skill is among the first ranks, nor in the bundle."""
    PARTIAL = "partial bundle"
    """A gold skill is among the first ranks or came, but not all that are held are in the bundle."""
    ORDER = "order"
    """All came, but one stands before what has to come before it."""


UNRANKED = "not ranked"
NEVER_A_CANDIDATE = "ranked, but no candidate for the bundle"
"""Reasons why a skill is not in a bundle beside those of ``Omission``."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A gold skill that is held and not in the bundle. ``rank`` is its place in the ranking, if it has one.

    ``reason`` is the bundle's own (``Omission``), ``UNRANKED`` or ``NEVER_A_CANDIDATE``.
    """

    skill: SkillId
    rank: int | None
    reason: str
    detail: str = ""
    part: str = ""
    """The part of the task that is nearest to it, if the ranker said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A task and what it lacks.

    ``came`` are the gold skills that are in the bundle, ``wrong`` skills that should not be there; ``pair``
    (first, then) stands the other way round; ``rivals`` are the best ranked skills that are not gold.
    """

    task: Task
    cause: Cause
    lost: tuple[Lost, ...] = ()
    came: tuple[SkillId, ...] = ()
    wrong: tuple[SkillId, ...] = ()
    pair: tuple[SkillId, SkillId] | None = None
    rivals: tuple[SkillId, ...] = ()

    @property
    def rank(self) -> int | None:
        """Best rank of a gold skill that is not in the bundle."""
        return min((lost.rank for lost in self.lost if lost.rank is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the product gave: ``ranked`` ids best first, what the ranker said of them, and the bundle.

    ``parts`` maps a ranked skill to the part of a long task that is nearest to it.
    """

    ranked: Sequence[SkillId]
    status: Status
    bundle: Bundle
    parts: Mapping[SkillId, str] = field(default_factory=dict)

    @property
    def packed(self) -> tuple[SkillId, ...]:
        """Ids of the bundle, in its order."""
        return tuple(entry.id for entry in self.bundle.entries)


def diagnose(
    task: Task, answer: Answer, *, top_k: int, before: Collection[tuple[SkillId, SkillId]]
) -> Miss | None:
    """Say what ``task`` lacks; ``None`` if it got all it wants, in order.

    The first ``top_k`` ranks count as found. ``before`` holds (first, then) pairs that are known.
    """
    wrong = _unwanted(task, answer)
    if wrong:
        return Miss(task=task, cause=Cause.UNWANTED, wrong=wrong)
    if not task.gold:
        return Miss(task=task, cause=Cause.ABSENT) if task.missing else None
    lost = tuple(_lost(group, answer) for group in task.gold if group.isdisjoint(answer.packed))
    if lost:
        gold = {skill_id for group in task.gold for skill_id in group}
        rivals = tuple(skill_id for skill_id in answer.ranked if skill_id not in gold)[:3]
        came = tuple(skill_id for skill_id in answer.packed if skill_id in gold)
        return Miss(task=task, cause=_stage(task, answer, top_k), lost=lost, came=came, rivals=rivals)
    pair = _reversed(task, answer.packed, before)
    if pair:
        return Miss(task=task, cause=Cause.ORDER, pair=pair)
    return Miss(task=task, cause=Cause.ABSENT) if task.missing else None


def _unwanted(task: Task, answer: Answer) -> tuple[SkillId, ...]:
    if task.off_topic:
        return answer.packed
    return tuple(skill_id for skill_id in answer.packed if skill_id in task.not_gold)


def _stage(task: Task, answer: Answer, top_k: int) -> Cause:
    """Which of the three stages lost a gold skill."""
    if answer.status is Status.NONE:
        return Cause.ABSTAINED
    gold = {skill_id for group in task.gold for skill_id in group}
    seen = gold.intersection(answer.ranked[:top_k]) or gold.intersection(answer.packed)
    return Cause.PARTIAL if seen else Cause.RETRIEVAL


def _lost(group: Collection[SkillId], answer: Answer) -> Lost:
    """The best ranked of a gold skill and its equivalents, and why it is not in the bundle."""
    places = {skill_id: rank for rank, skill_id in enumerate(answer.ranked, 1) if skill_id in group}
    omitted = {one.id: one for one in answer.bundle.omitted if one.id in group}
    best = min(group, key=lambda i: (places.get(i, len(answer.ranked) + 1), i not in omitted, i))
    rank, part = places.get(best), answer.parts.get(best, "")
    if best in omitted:
        return Lost(best, rank, omitted[best].reason.value, _told(omitted[best]), part)
    return Lost(best, rank, UNRANKED if rank is None else NEVER_A_CANDIDATE, part=part)


def _told(omitted: Omitted) -> str:
    """What the bundle says, but for the part that its reason says already."""
    return "" if omitted.reason is Omission.HIDDEN else omitted.detail


def _reversed(
    task: Task, packed: Sequence[SkillId], before: Collection[tuple[SkillId, SkillId]]
) -> tuple[SkillId, SkillId] | None:
    """The first pair of gold skills that stands the wrong way round."""
    gold = [i for i in packed if any(i in group for group in task.gold)]
    for at, then in enumerate(gold):
        for first in gold[at + 1 :]:
            if (first, then) in before:
                return first, then
    return None

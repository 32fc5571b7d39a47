"""Candidates and a token budget in, a bundle out. Pure; deterministic; never over budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillquiver.errors import ConflictError
from skillquiver.retrieve.allocate import Plan
from skillquiver.retrieve.bundle import (
    Bundle,
    BundleEntry,
    Candidate,
    Omission,
    Omitted,
    PackContext,
    Tier,
)
from skillquiver.retrieve.bundle_text import Block, empty_text, head_tokens, with_head
from skillquiver.retrieve.choice import Choice, Unit, choose
from skillquiver.retrieve.closure import Reason
from skillquiver.retrieve.order import in_order
from skillquiver.settings import PackSettings
from skillquiver.types import SkillId, Status

__all__ = ["pack"]


def pack(
    candidates: Sequence[Candidate],
    *,
    budget: int,
    settings: PackSettings,
    status: Status = Status.HIT,
    context: PackContext | None = None,
) -> Bundle:
    """Pack ``candidates`` into ``budget`` tokens, best score first, ties by id.

    A skill comes with what it requires and after it; ``context`` has the relations, the records of skills
    that only a relation proposes, and the caller's wishes. ``status`` is the ranker's; with ``none`` nothing
    is packed but what was asked for by name. The order in which candidates come does not matter. A
    negative budget counts as 0.

    Raises ``UnknownSkillError``, and ``ConflictError`` for wishes that cannot be fulfilled together: two in
    conflict, or more than the budget holds.
    """
    packing = _Packing(candidates, max(budget, 0), context or PackContext())
    return packing.run(settings, status)


class _Packing:
    """One run: what is chosen, what it costs, what is written."""

    def __init__(self, candidates: Sequence[Candidate], budget: int, context: PackContext) -> None:
        self._ranked = sorted(candidates, key=lambda c: (-c.score, c.id))
        self._budget, self._context = budget, context
        self._choice = Choice()
        self._blocks: dict[SkillId, Block] = {}
        self._order: tuple[SkillId, ...] = ()

    def run(self, settings: PackSettings, status: Status) -> Bundle:
        """Choose, allocate, order, write."""
        self._choice = choose(self._ranked, settings=settings, status=status, context=self._context)
        chosen = self._choice.chosen
        dependants = self._dependants(chosen)
        self._blocks = {i: Block.of(c, len(dependants.get(i, ()))) for i, c in chosen.items()}
        room = self._budget - head_tokens(self._count, self._budget)
        plan = Plan(self._choice.units, self._blocks, room=room)
        plan.fill(settings.breadth_share * room)
        text, tokens = self._write(plan)
        needed_by = self._dependants(plan.tiers)
        return Bundle(
            status=status if chosen else Status.NONE,
            budget=self._budget,
            tokens=tokens,
            entries=tuple(self._entry(i, plan.tiers, needed_by.get(i, ())) for i in self._order),
            omitted=tuple(self._omitted(plan, self._budget - tokens)),
            text=text,
        )

    @property
    def _count(self) -> int:
        """Candidates, and skills that came besides."""
        return len({c.id for c in self._ranked} | self._choice.chosen.keys())

    def _dependants(self, present: Mapping[SkillId, object]) -> dict[SkillId, list[SkillId]]:
        """Skill to the skills among ``present`` that require it."""
        found: dict[SkillId, list[SkillId]] = {}
        for owner in present:
            for needed in self._choice.needs.get(owner, ()):
                if needed in present:
                    found.setdefault(needed, []).append(owner)
        return found

    def _write(self, plan: Plan) -> tuple[str, int]:
        """Write the text and hold it to the budget: stored counts may be wrong, so ``plan`` may shrink."""
        while plan.tiers:
            text, tokens = self._rendered(plan)
            if tokens <= self._budget:
                return text, tokens
            if not plan.shrink():
                raise ConflictError(
                    _too_much([u for u in self._choice.units if u.must], tokens, self._budget)
                )
        self._order = ()
        return empty_text(self._count if self._choice.chosen else 0, self._budget)

    def _rendered(self, plan: Plan) -> tuple[str, int]:
        by_priority = dict.fromkeys(i for unit in plan.placed for i in unit.members)
        relations = self._context.relations
        self._order = in_order(tuple(by_priority), relations, self._choice.stands_for)
        at = {skill_id: position for position, skill_id in enumerate(self._order, start=1)}
        needed_by = self._dependants(at)
        texts = [
            self._blocks[i].text(at[i], plan.tiers[i], sorted(at[owner] for owner in needed_by.get(i, ())))
            for i in self._order
        ]
        return with_head(texts, list(plan.tiers.values()), self._count, self._budget)

    def _entry(
        self, skill_id: SkillId, tiers: Mapping[SkillId, Tier], needed_by: Sequence[SkillId]
    ) -> BundleEntry:
        block = self._blocks[skill_id]
        candidate = block.candidate
        needs = self._choice.needs.get(skill_id, ())
        absent = [needed for needed in needs if needed not in tiers]
        return BundleEntry(
            id=skill_id,
            name=candidate.skill.name,
            role=candidate.role,
            tier=tiers[skill_id],
            tokens=block.cost(tiers[skill_id]),
            path=candidate.skill.path,
            score=candidate.score,
            confidence=candidate.confidence,
            evidence=candidate.evidence,
            via=candidate.via,
            required_by=tuple(sorted(needed_by)),
            missing=tuple(sorted({*self._choice.missing.get(skill_id, ()), *absent})),
        )

    def _omitted(self, plan: Plan, left: int) -> list[Omitted]:
        reasons = {**self._choice.left_out}
        for unit in self._choice.units:
            for skill_id in unit.members:
                reasons.setdefault(skill_id, self._no_room(unit, skill_id, left))
        return [
            Omitted(id=c.id, reason=reasons[c.id].omission, detail=reasons[c.id].detail)
            for c in self._ranked
            if c.id not in plan.tiers
        ]

    def _no_room(self, unit: Unit, skill_id: SkillId, left: int) -> Reason:
        """Why a skill that was chosen has no place."""
        cost = self._blocks[skill_id].cost(Tier.CARD)
        if skill_id == unit.members[0] and len(unit.members) > 1 and cost <= left:
            detail = f"requires {unit.members[1]}: together they take more than the {left} tokens left"
            return Reason(Omission.MISSING_REQUIREMENT, detail)
        return Reason(Omission.OVER_BUDGET, f"its card takes {cost} tokens, {left} are left")


def _too_much(units: Sequence[Unit], tokens: int, budget: int) -> str:
    skills = len({skill_id for unit in units for skill_id in unit.members})
    return (
        f"the {skills} skills asked for take {tokens} tokens as cards, the budget is {budget}; "
        "raise --budget or ask for fewer"
    )

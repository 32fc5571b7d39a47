"""Candidates and a token budget in, a bundle out. Pure; deterministic; never over budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skillquiver.retrieve.bundle import Bundle, BundleEntry, Candidate, Omission, Omitted, Role, Tier
from skillquiver.retrieve.bundle_text import Block, empty_text, head_tokens, with_head
from skillquiver.retrieve.duplicates import find_duplicates
from skillquiver.settings import PackSettings
from skillquiver.types import Status

__all__ = ["pack"]

_RICHEST_FIRST = (Tier.BODY, Tier.OUTLINE, Tier.CARD)

_Plan = dict[int, Tier]
"""Position in the ranking to tier."""


@dataclass(frozen=True, slots=True)
class _Reason:
    reason: Omission
    detail: str


def pack(
    candidates: Sequence[Candidate],
    *,
    budget: int,
    settings: PackSettings,
    status: Status = Status.HIT,
) -> Bundle:
    """Pack ``candidates`` into ``budget`` tokens, best score first, ties by id.

    ``status`` is the ranker's; with ``none`` nothing is packed. The order in which candidates come does
    not matter. A negative budget counts as 0.
    """
    budget = max(budget, 0)
    ranked = sorted(candidates, key=lambda c: (-c.score, c.id))
    left_out = _select(ranked, settings, status)
    blocks = {at: Block.of(c) for at, c in enumerate(ranked) if at not in left_out}
    plan = _allocate(blocks, budget - head_tokens(len(ranked), budget), settings)
    text, tokens = _render(blocks, plan, len(ranked), budget)
    for at, block in blocks.items():
        if at not in plan:
            detail = f"its card takes {block.cost(Tier.CARD)} tokens, {budget - tokens} are left"
            left_out[at] = _Reason(Omission.OVER_BUDGET, detail)
    return Bundle(
        status=status if blocks else Status.NONE,
        budget=budget,
        tokens=tokens,
        entries=tuple(_entry(blocks[at], plan[at]) for at in sorted(plan)),
        omitted=tuple(
            Omitted(id=ranked[at].id, reason=why.reason, detail=why.detail)
            for at, why in sorted(left_out.items())
        ),
        text=text,
    )


def _select(ranked: Sequence[Candidate], settings: PackSettings, status: Status) -> dict[int, _Reason]:
    """Decide who does not compete: hidden, unlikely, copies of a better one, beyond ``max_skills``."""
    left_out: dict[int, _Reason] = {}
    floor = _confidence_floor(ranked, settings)
    for at, candidate in enumerate(ranked):
        if candidate.skill.hidden:
            left_out[at] = _Reason(Omission.HIDDEN, "its author asks that no model be offered it")
        elif status is Status.NONE:
            left_out[at] = _Reason(Omission.LOW_CONFIDENCE, "nothing in the library matches this task")
        elif candidate.role is Role.MATCH and candidate.confidence < floor:
            detail = f"confidence {candidate.confidence:.3f} is below {floor:.3f}"
            left_out[at] = _Reason(Omission.LOW_CONFIDENCE, detail)
    open_ = [at for at in range(len(ranked)) if at not in left_out]
    for copy, original in find_duplicates([ranked[at].skill for at in open_], settings).items():
        detail = f"a copy of {ranked[open_[original]].id}"
        left_out[open_[copy]] = _Reason(Omission.NEAR_DUPLICATE, detail)
    distinct = [at for at in open_ if at not in left_out]
    for at in distinct[settings.max_skills :]:
        left_out[at] = _Reason(Omission.MAX_SKILLS, f"below the first {settings.max_skills}")
    return left_out


def _confidence_floor(ranked: Sequence[Candidate], settings: PackSettings) -> float:
    """The cut: an absolute floor, or a share of the best visible match's confidence."""
    matches = (c.confidence for c in ranked if c.role is Role.MATCH and not c.skill.hidden)
    return max(settings.min_confidence, settings.confidence_ratio * max(matches, default=0.0))


def _allocate(blocks: dict[int, Block], room: int, settings: PackSettings) -> _Plan:
    """Bounded greedy, three passes in rank order; a later pass only adds to an earlier one.

    1. The best skill takes the richest tier that fits.
    2. Every other skill takes a card, while cards stay within ``breadth_share`` of the room.
    3. Every skill moves to the richest tier that fits what is left.
    """
    plan: _Plan = {}
    order = list(blocks)
    left = room - _spend(blocks, plan, order[:1], room)
    cards = 0
    for at in order[1:]:
        cost = blocks[at].cost(Tier.CARD)
        if cost <= left and cards + cost <= settings.breadth_share * room:
            plan[at] = Tier.CARD
            left, cards = left - cost, cards + cost
    _spend(blocks, plan, order, left)
    return plan


def _spend(blocks: dict[int, Block], plan: _Plan, order: Iterable[int], room: int) -> int:
    """Move each position of ``order`` to the richest tier that fits; return the tokens spent."""
    spent = 0
    for at in order:
        cost = blocks[at].cost
        held = cost(plan[at]) if at in plan else 0
        for tier in _RICHEST_FIRST:
            if at in plan and tier is plan[at]:
                break
            if cost(tier) - held <= room - spent:
                plan[at] = tier
                spent += cost(tier) - held
                break
    return spent


def _render(blocks: dict[int, Block], plan: _Plan, candidates: int, budget: int) -> tuple[str, int]:
    """Write the text and hold it to ``budget``; steps the last skills in ``plan`` down if need be."""
    while plan:
        order = sorted(plan)
        tiers = [plan[at] for at in order]
        texts = [blocks[at].text(position, plan[at]) for position, at in enumerate(order, start=1)]
        text, tokens = with_head(texts, tiers, candidates, budget)
        if tokens <= budget:
            return text, tokens
        _step_down(blocks, plan, order[-1])
    return empty_text(candidates if blocks else 0, budget)


def _step_down(blocks: dict[int, Block], plan: _Plan, at: int) -> None:
    """Give ``at`` the next cheaper tier, or no place."""
    now = blocks[at].cost(plan[at])
    cheaper = [tier for tier in _RICHEST_FIRST if blocks[at].cost(tier) < now]
    if cheaper:
        plan[at] = max(cheaper, key=blocks[at].cost)
    else:
        del plan[at]


def _entry(block: Block, tier: Tier) -> BundleEntry:
    candidate = block.candidate
    return BundleEntry(
        id=candidate.id,
        name=candidate.skill.name,
        role=candidate.role,
        tier=tier,
        tokens=block.cost(tier),
        path=candidate.skill.path,
        score=candidate.score,
        confidence=candidate.confidence,
        evidence=candidate.evidence,
    )

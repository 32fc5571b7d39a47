"""A model's answer to claims: validated item by item, since a text may have talked the model into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from skillquiver.graph.llm.excerpt import MIN_QUOTE, find_quote
from skillquiver.graph.llm.prompts import FROM, OFFERED
from skillquiver.graph.llm.protocol import CallError, Failure, ToolReply
from skillquiver.graph.relations import RELATION_TYPES, RelationType
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["Answer", "Claim", "Reject", "read_answer"]

_MAX_ITEMS_PER_CANDIDATE = 10
"""More items than types and candidates together can explain: the answer as a whole is broken."""

_MAX_QUOTE_CHARS = 2_000


class Reject:
    """Why one item of an answer, or one claim, was not believed. Keys of the report."""

    INVALID = "item does not follow the schema"
    UNKNOWN_TARGET = "target was not a candidate"
    INVENTED_QUOTE = "quote stands in neither text"
    BOTH_WAYS = "claimed in both directions at once"
    SWAP_ABSENT = "not found again with the skills swapped"
    SWAP_TYPE = "another type with the skills swapped"
    SWAP_REVERSED = "other direction with the skills swapped"


class Claim(msgspec.Struct, frozen=True, order=True):
    """One relation a model claims between the two ends of a pair.

    ``forward`` is true where the skill the call was about (focus, reference) is the relation's source; it
    is true for symmetric types. ``quote`` is empty, or stands at ``place`` (``:<line> [heading]`` or
    ``#<field>``, without the id, which may change) of that skill if ``in_main``, else of the other one.
    """

    type: RelationType
    forward: bool
    confidence: float
    quote: str = ""
    place: str = ""
    in_main: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """Claims by the other end of the pair, and how many items were rejected for which reason."""

    claims: Mapping[SkillId, tuple[Claim, ...]]
    rejected: Mapping[str, int]


class _Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    target: str
    type: str
    direction: str
    confidence: Annotated[float, msgspec.Meta(gt=0, le=1)]
    quote: Annotated[str, msgspec.Meta(max_length=_MAX_QUOTE_CHARS)]


class _Relations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relations: list[msgspec.Raw]


def read_answer(
    reply: ToolReply, main: Skill, others: Sequence[Skill], role: Literal["focus", "reference"]
) -> Answer:
    """Validate ``reply`` about ``main`` and ``others``; raises ``CallError`` where the whole is unusable."""
    try:
        items = msgspec.json.decode(reply.arguments, type=_Relations).relations
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CallError(Failure.MALFORMED, f"arguments off the schema: {error}", usage=reply.usage) from error
    if len(items) > _MAX_ITEMS_PER_CANDIDATE * max(1, len(others)):
        raise CallError(Failure.MALFORMED, f"{len(items)} relations in one answer", usage=reply.usage)
    by_id = {other.id: other for other in others}
    found: dict[SkillId, list[Claim]] = {}
    rejected: Counter[str] = Counter()
    for raw in items:
        taken = _take(raw, main, by_id, role)
        if isinstance(taken, str):
            rejected[taken] += 1
        else:
            found.setdefault(taken[0], []).append(taken[1])
    return Answer({i: _consistent(claims, rejected) for i, claims in found.items()}, rejected)


def _take(
    raw: msgspec.Raw, main: Skill, others: Mapping[SkillId, Skill], role: str
) -> tuple[SkillId, Claim] | str:
    """One item as a claim about one of ``others``, or the reason why not."""
    try:
        item = msgspec.json.decode(raw, type=_Item)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Reject.INVALID
    other = others.get(SkillId(item.target))
    if other is None:
        return Reject.UNKNOWN_TARGET
    if item.type not in OFFERED or item.direction not in (f"{FROM}{role}", f"to_{role}"):
        return Reject.INVALID
    kind = RelationType(item.type)
    forward = RELATION_TYPES[kind].symmetric or item.direction.startswith(FROM)
    claim = Claim(kind, forward, item.confidence)
    if len(item.quote.strip()) < MIN_QUOTE:
        return other.id, claim
    for skill in (main, other):
        if found := find_quote(skill, item.quote):
            place = found.place.removeprefix(skill.id)
            quoted = msgspec.structs.replace(claim, quote=found.quote, place=place, in_main=skill is main)
            return other.id, quoted
    return Reject.INVENTED_QUOTE


def _consistent(claims: Sequence[Claim], rejected: Counter[str]) -> tuple[Claim, ...]:
    """One claim per type, the surest; a type claimed in both directions is none."""
    kept: list[Claim] = []
    for kind in OFFERED:
        same = sorted((c for c in claims if c.type is kind), key=lambda c: (-c.confidence, c.quote))
        if len({c.forward for c in same}) > 1:
            rejected[Reject.BOTH_WAYS] += 1
        elif same:
            kept.append(same[0])
    return tuple(kept)

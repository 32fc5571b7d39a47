"""What a skill's relations say about before, after and instead: pure, over any graph that holds them.

The score of a step is ``confidence × weight``: the confidence of its relation times the weight of that
relation in its group (``STEP_WEIGHTS``). A prerequisite of a prerequisite has the product along its strongest
path. Equal scores are ordered by trust in the provenance, then as the skill's own text names them, then by
id.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from skillquiver.graph.relations import RELATION_TYPES, Relation
from skillquiver.graph.resolve import ORDER_TYPES
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import SkillId

__all__ = ["STEP_WEIGHTS", "Group", "Step", "first", "follow", "seen_from"]


class Group(StrEnum):
    """Kinds of answer to "what now?"."""

    PREREQUISITES = "prerequisites"
    NEXT_STEPS = "next_steps"
    VERIFIERS = "verifiers"
    ALTERNATIVES = "alternatives"
    CONFLICTS = "conflicts"


STEP_WEIGHTS: Mapping[Group, Mapping[str, float]] = MappingProxyType(
    {
        # What it cannot do without, before what makes its input, before what usually comes first.
        Group.PREREQUISITES: {"requires": 1.0, "fed_by": 0.9, "follows": 0.8},
        # A hand-over may be one of many ways on; what needs this skill becomes possible, not due.
        Group.NEXT_STEPS: {"precedes": 1.0, "feeds_into": 1.0, "routes_to": 0.9, "required_by": 0.8},
        Group.VERIFIERS: {"verified_by": 1.0},
        # Its replacement first, and what it replaced last.
        Group.ALTERNATIVES: {"superseded_by": 1.0, "alternative_to": 0.9, "supersedes": 0.5},
        Group.CONFLICTS: {"conflicts_with": 1.0},
    }
)
"""Group, relation as the skill sees it, weight. What stands in no group, as ``similar_to``, is no step."""

_GROUP_OF = {seen: group for group, weights in STEP_WEIGHTS.items() for seen in weights}
_PLACE = re.compile(r"(.*):(\d+)(?: \[|$)")
_NOWHERE = (2**31, 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One answer: ``id`` is ``seen`` from ``of`` by ``relation``.

    ``of`` is the skill that was asked about, or for an indirect prerequisite the one that it comes before.
    ``needed`` says that every relation on the way is ``requires``.
    """

    id: SkillId
    of: SkillId
    relation: Relation
    seen: str
    score: float
    needed: bool = False


def seen_from(relation: Relation, me: SkillId) -> str:
    """Name of ``relation`` as ``me`` at one of its ends sees it: ``requires``, or ``required_by``."""
    return relation.type.value if relation.source == me else RELATION_TYPES[relation.type].inverse


def follow(
    graph: SkillGraph, skill_id: SkillId, *, done: Collection[SkillId] = ()
) -> Mapping[Group, tuple[Step, ...]]:
    """Return the steps around a skill by group, best first, each skill once a group.

    Skills in ``done`` are left out, and so is what comes before them. Alternatives and conflicts are given
    whatever is done. A skill with a direct relation in another group is no indirect prerequisite, unless it
    is needed; one that is a next step and an alternative is the one of the two with the higher score.
    """
    found: dict[Group, list[Step]] = {group: [] for group in Group}
    for step in _direct(graph, skill_id):
        if step.id not in done or _GROUP_OF[step.seen] in (Group.ALTERNATIVES, Group.CONFLICTS):
            found[_GROUP_OF[step.seen]].append(step)
    near = {step.id for step in found.pop(Group.PREREQUISITES)}
    other = {step.id for steps in found.values() for step in steps} - near
    needed = _paths(graph, skill_id, {*done}, ("requires",))
    before = _paths(graph, skill_id, {*done, *other}, tuple(STEP_WEIGHTS[Group.PREREQUISITES]))
    best = {Group.PREREQUISITES: _best([*needed, *before])}
    best |= {group: _best(steps) for group, steps in found.items()}
    return best | _one_of_two(best[Group.NEXT_STEPS], best[Group.ALTERNATIVES])


def first(graph: SkillGraph, steps: Sequence[Step], top_k: int) -> tuple[Step, ...]:
    """Return the first ``top_k`` of ``steps`` and all that are needed, in the order in which to do them.

    That is their own order, except that what comes before another of them by ``requires``, ``feeds_into`` or
    ``precedes`` stands before it.
    """
    left = [step for rank, step in enumerate(steps) if rank < top_k or step.needed]
    before = {
        step.id: {other for other, _ in graph.neighbors(step.id, ORDER_TYPES, "upstream")} for step in left
    }
    ordered: list[Step] = []
    while left:
        names = {step.id for step in left}
        free = (step for step in left if before[step.id].isdisjoint(names))
        ordered.append(next(free, left[0]))
        left.remove(ordered[-1])
    return tuple(ordered)


def _direct(graph: SkillGraph, me: SkillId) -> Iterator[Step]:
    for relation in graph.of_skill(me):
        seen = seen_from(relation, me)
        if seen in _GROUP_OF:
            other = relation.target if relation.source == me else relation.source
            score = relation.confidence * STEP_WEIGHTS[_GROUP_OF[seen]][seen]
            yield Step(other, me, relation, seen, score, seen == "requires")


def _paths(
    graph: SkillGraph, me: SkillId, done: Collection[SkillId], ways: Collection[str]
) -> Iterator[Step]:
    """Everything upstream by relations seen as ``ways``, strongest path first; nothing through ``done``.

    Dijkstra over products, which only fall: no weight and no confidence is above 1.
    """
    only_needs = "requires" in ways and len(ways) == 1
    seen = {me, *done}
    heap: list[tuple[float, tuple[object, ...], Step]] = []

    def look(of: SkillId, score: float) -> None:
        for step in _direct(graph, of):
            if step.seen in ways and step.id not in seen:
                far = Step(step.id, of, step.relation, step.seen, score * step.score, only_needs)
                heapq.heappush(heap, (-far.score, _tie(far), far))

    look(me, 1.0)
    while heap:
        step = heapq.heappop(heap)[-1]
        if step.id not in seen:
            seen.add(step.id)
            yield step
            look(step.id, step.score)


def _one_of_two(later: Sequence[Step], instead: Sequence[Step]) -> dict[Group, tuple[Step, ...]]:
    """Texts say "for that, use X instead": X is either what follows or what replaces, whichever is surer."""
    next_, other = ({step.id: step.score for step in steps} for steps in (later, instead))
    return {
        Group.NEXT_STEPS: tuple(step for step in later if step.score >= other.get(step.id, 0)),
        Group.ALTERNATIVES: tuple(step for step in instead if step.score > next_.get(step.id, 0)),
    }


def _best(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Each skill once, by its best step; a needed one before others of the same skill."""
    best: dict[SkillId, Step] = {}
    for step in sorted(steps, key=lambda step: (not step.needed, -step.score, _tie(step))):
        best.setdefault(step.id, step)
    return tuple(sorted(best.values(), key=lambda step: (-step.score, _tie(step))))


def _tie(step: Step) -> tuple[object, ...]:
    return (-step.relation.provenance.trust, _said_at(step), step.id, step.relation.type, step.of)


def _said_at(step: Step) -> tuple[int, int]:
    """Line and column where the skill's own text names the other; behind all of them if it does not."""
    evidence = step.relation.evidence
    place = _PLACE.match(evidence.place)
    if place is None or place[1] != step.of:
        return _NOWHERE
    return int(place[2]), max(evidence.quote.find(step.id.rsplit("/", 1)[-1]), 0)

"""What to do before, after and instead of one skill."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillquiver.errors import UsageError
from skillquiver.graph.following import Group, Step, first, follow
from skillquiver.graph.neighbourhood import CLOSURE_NODES, neighbourhood, upstream_closure
from skillquiver.graph.relations import RelationType
from skillquiver.graph.resolve import ORDER_TYPES
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state
from skillquiver.index.store import Store
from skillquiver.serve.usecases.library import find_skill
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

if TYPE_CHECKING:
    from skillquiver.serve.usecases.library import Library

__all__ = ["NextStep", "NextSteps", "next_skills"]

_AROUND = tuple(type_ for type_ in RelationType if type_ is not RelationType.SIMILAR_TO)


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step and the skill it leads to, without its body."""

    skill: Skill
    step: Step


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What is known around ``skill``; ``graph`` says what the relations are worth.

    ``groups`` has every ``Group``, empty where nothing is known; ``more`` counts what ``top_k`` cut off.
    """

    skill: Skill
    graph: GraphState
    groups: Mapping[Group, tuple[NextStep, ...]]
    more: Mapping[Group, int]

    @property
    def known(self) -> bool:
        """Whether there is any answer at all."""
        return any(self.groups.values())

    @property
    def superseded_by(self) -> tuple[SkillId, ...]:
        """Skills that replace this one."""
        steps = self.groups[Group.ALTERNATIVES]
        return tuple(found.skill.id for found in steps if found.step.seen == "superseded_by")


def next_skills(
    library: Library | Path,
    reference: str,
    *,
    done: Sequence[str] = (),
    top_k: int = 5,
    hidden: bool = True,
) -> NextSteps:
    """Return prerequisites, next steps, verifiers, alternatives and conflicts of a skill.

    ``library`` is an open one, or its folder. Each group holds up to ``top_k`` skills; what the skill
    requires is given whole. Skills in ``done`` are not suggested again, nor what comes before them. With
    ``hidden=False`` skills that no model may be offered are left out. A library without a graph is no error:
    the answer is empty and says so. Raises ``UsageError`` for a reference that is a path, or names no skill
    or several.
    """
    if top_k < 1:
        raise UsageError(f"top_k is {top_k}; ask for at least 1")
    if isinstance(library, Path):
        with Store.opened(library) as store:
            return _steps(store, reference, done, top_k, hidden=hidden)
    return _steps(library.store, reference, done, top_k, hidden=hidden)


def _steps(store: Store, reference: str, done: Sequence[str], top_k: int, *, hidden: bool) -> NextSteps:
    with store.snapshot():
        skill = find_skill(store, reference)[1]
        finished = {find_skill(store, name)[1].id for name in done}
        graph = _around(store, skill.id)
        found = follow(graph, skill.id, done=finished)
        skills = _records(store, {step.id for steps in found.values() for step in steps})
        state = graph_state(store)
    allowed = {
        group: [step for step in steps if step.id in skills and (hidden or not skills[step.id].hidden)]
        for group, steps in found.items()
    }
    chosen = {group: steps[:top_k] for group, steps in allowed.items()}
    ahead = Group.PREREQUISITES
    chosen[ahead] = list(first(graph, allowed[ahead], top_k))
    return NextSteps(
        skill,
        state,
        MappingProxyType(
            {group: tuple(NextStep(skills[s.id], s) for s in steps) for group, steps in chosen.items()}
        ),
        MappingProxyType({group: len(allowed[group]) - len(steps) for group, steps in chosen.items()}),
    )


def _around(store: Store, skill_id: SkillId) -> SkillGraph:
    """What is one step away, and everything upstream."""
    near = neighbourhood(store, [skill_id], hops=1, types=_AROUND, max_nodes=CLOSURE_NODES)
    before = upstream_closure(store, [skill_id], types=ORDER_TYPES)
    return SkillGraph.of({*near.ids, *before.ids}, {*near.relations, *before.relations})


def _records(store: Store, ids: Collection[SkillId]) -> dict[SkillId, Skill]:
    rows = store.rows_of(sorted(ids))
    found = store.skills(list(rows.values()), body=False)
    return {skill_id: found[row] for skill_id, row in rows.items() if row in found}

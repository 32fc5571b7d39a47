"""Steps asked of the product: what `quiver next` shows for pairs of known order, and what a search finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.subject import Subject
from skillquiver.graph.following import Group, follow
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.settings import RankSettings
from skillquiver.types import SkillId

__all__ = ["SHOWN", "UNAIDED", "Asked", "asked_steps", "unaided_steps"]

SHOWN = 5
"""Steps of a group that `quiver next` shows by default."""

UNAIDED = "next@1, quoted lines cut out"
"""The measure of a graph that was built without the lines which the labels quote."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and whether graph and search answered it; ``key`` names it within its measure."""

    measure: str
    key: str
    corpus: str
    graph: bool
    search: bool


def unaided_steps(graph: SkillGraph, asked: Iterable[Asked], order: Sequence[OrderEdge]) -> list[Asked]:
    """``next@1`` again, of another ``graph`` than the stored one; searches are not asked again."""
    known = _known(order)
    found = []
    for one in asked:
        if one.measure == "next@1":
            steps = follow(graph, SkillId(one.key))[Group.NEXT_STEPS]
            right = bool(steps) and steps[0].id in known[SkillId(one.key), one.corpus]
            found.append(replace(one, measure=UNAIDED, graph=right))
    return found


def asked_steps(subject: Subject, order: Sequence[OrderEdge], ranker: RankSettings) -> list[Asked]:
    """Ask for every pair, both ends of which are skills of ``subject``.

    ``next@1``, once per ``before`` of a `next` pair: the first next step is one of those known to follow.
    ``next@5``, per pair: ``after`` is among the first five next steps; ``next@5, any group``: among the
    first five of any group. ``prerequisite@5``, per `prerequisite` pair: ``before`` is among the
    prerequisites shown for ``after``; what it requires is shown whole. The search is for the description of
    the skill asked about, which itself does not count; it has as many places as the measure.
    """
    asker = _Asker(subject, ranker)
    found = [*_first_steps(asker, [edge for edge in order if edge.relation == "next"])]
    for edge in order:
        if edge.relation == "next":
            groups, hits = asker.steps(edge.before), edge.after in asker.search(edge.before)
            key = f"{edge.before} > {edge.after}"
            found.append(Asked("next@5", key, edge.corpus, edge.after in groups[Group.NEXT_STEPS], hits))
            anywhere = any(edge.after in steps for steps in groups.values())
            found.append(Asked("next@5, any group", key, edge.corpus, anywhere, hits))
        elif edge.relation == "prerequisite":
            shown = edge.before in asker.steps(edge.after)[Group.PREREQUISITES]
            key = f"{edge.before} > {edge.after}"
            hits = edge.before in asker.search(edge.after)
            found.append(Asked("prerequisite@5", key, edge.corpus, shown, hits))
    return sorted(found, key=lambda one: (_MEASURES.index(one.measure), one.key))


_MEASURES = ("next@1", "next@5", "next@5, any group", "prerequisite@5")


class _Asker:
    """Asks each question once."""

    def __init__(self, subject: Subject, ranker: RankSettings) -> None:
        self._subject, self._ranker = subject, ranker
        self._steps: dict[SkillId, dict[Group, tuple[SkillId, ...]]] = {}
        self._found: dict[SkillId, list[SkillId]] = {}

    def steps(self, skill_id: SkillId) -> dict[Group, tuple[SkillId, ...]]:
        """What `quiver next` shows."""
        if skill_id not in self._steps:
            self._steps[skill_id] = dict(self._subject.following(skill_id, top_k=SHOWN))
        return self._steps[skill_id]

    def search(self, skill_id: SkillId) -> list[SkillId]:
        """The first others that a search for the skill's description finds."""
        if skill_id not in self._found:
            query = self._subject.skills[skill_id].description or self._subject.skills[skill_id].name
            ranking = self._subject.rank(query, top_k=SHOWN + 1, settings=self._ranker)
            others = [result.id for result in ranking.results if result.id != skill_id]
            self._found[skill_id] = others[:SHOWN]
        return self._found[skill_id]


def _first_steps(asker: _Asker, order: Sequence[OrderEdge]) -> Iterator[Asked]:
    for (before, corpus), after in _known(order).items():
        shown, others = asker.steps(before)[Group.NEXT_STEPS], asker.search(before)
        yield Asked(
            "next@1", before, corpus, bool(shown) and shown[0] in after, bool(others) and others[0] in after
        )


def _known(order: Sequence[OrderEdge]) -> dict[tuple[SkillId, str], set[SkillId]]:
    """Skill and corpus → what is known to follow."""
    known: dict[tuple[SkillId, str], set[SkillId]] = defaultdict(set)
    for edge in order:
        if edge.relation == "next":
            known[edge.before, edge.corpus].add(edge.after)
    return known

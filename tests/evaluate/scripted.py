"""A library in memory whose rankers say what they are told to say: what is measured is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skillquiver.evaluate.qrels import Task
from skillquiver.evaluate.subject import RANKERS
from skillquiver.retrieve.ranking import Evidence, Ranked, Ranking
from skillquiver.settings import RankSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId, Status

Say = Callable[[str, str], Sequence[str]]
"""(ranker, query) → ids, best first."""


@dataclass(frozen=True)
class ScriptedSubject:
    """What experiments about rankers ask of a library without vectors; ``asked`` notes every search."""

    skills: Mapping[SkillId, Skill]
    say: Say
    confidence: float = 0.5
    asked: list[tuple[str, str]] = field(default_factory=list)

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        (ranker,) = [name for name, own in RANKERS.items() if own == settings]
        self.asked.append((ranker, query))
        found = tuple(ranked(at, i) for at, i in enumerate(self.say(ranker, query)[:top_k], 1))
        status = Status.HIT if found else Status.NONE
        return Ranking(query=query, status=status, confidence=self.confidence, results=found)

    def vectors(self) -> npt.NDArray[np.float32] | None:
        return None


def ranked(rank: int, skill_id: str) -> Ranked:
    """A result of which only the place counts."""
    rest: dict[str, Any] = {"row": 0, "name": "", "description": "", "path": "", "kind": "", "hidden": False}
    return Ranked(
        rank=rank, id=SkillId(skill_id), score=-rank, confidence=0, evidence=Evidence(channels={}), **rest
    )


def task(query_id: str, query: str, *gold: str, **fields: Any) -> Task:
    """A judged query that wants each of ``gold``; it is its own unit of resampling."""
    groups = tuple(frozenset({SkillId(one)}) for one in gold)
    return Task(**({"query_id": query_id, "query": query, "gold": groups, "cluster": query_id} | fields))

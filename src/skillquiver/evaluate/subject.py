"""What experiments need of the product: its own use cases, on one open library."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from skillquiver.settings import DEFAULT_GRAPH, GraphSettings, RankSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.graph.following import Group
    from skillquiver.graph.skillgraph import SkillGraph
    from skillquiver.retrieve.bundle import Bundle
    from skillquiver.retrieve.diffuse import Arm
    from skillquiver.retrieve.ranking import Ranking
    from skillquiver.skills.records import Skill
    from skillquiver.types import Finding, SkillId

__all__ = ["RANKERS", "Cut", "Rebuild", "Subject"]


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines with ``text``, letters and digits in lower case, are cut out of every skill below ``folder``."""

    folder: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """How a graph is built once more by the rules: with less to read, in another order, otherwise set.

    ``shuffle`` is the seed of the order in which skills are handed over; ``None`` leaves it.
    """

    settings: GraphSettings = DEFAULT_GRAPH
    without: frozenset[SkillId] = frozenset()
    shuffle: int | None = None
    cuts: tuple[Cut, ...] = ()


RANKERS: Mapping[str, RankSettings] = {
    "bm25 card": RankSettings(full_weight=0.0, name_weight=0.0, dense_weight=0.0, rerank_depth=0),
    "bm25": RankSettings(card_weight=0.0, name_weight=0.0, dense_weight=0.0, rerank_depth=0),
    "dense": RankSettings(full_weight=0.0, card_weight=0.0, name_weight=0.0, rerank_depth=0),
    "hybrid": RankSettings(rerank_depth=0),
    "second stage": RankSettings(),
}
"""The product's ranker with channels switched off; the last is what users get."""


class Subject(Protocol):
    """An open library. The product's implementation is ``serve.usecases.subject.LibrarySubject``."""

    @property
    def skills(self) -> Mapping[SkillId, Skill]:
        """Every skill that a search can return, without its body, by id, sorted."""
        ...

    @property
    def graph(self) -> SkillGraph:
        """The stored graph; without relations if none was built."""
        ...

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        """Search as the product does, or with other weights."""
        ...

    def bundle(
        self, query: str, *, arm: Arm, budget: int, max_skills: int, ranking: Ranking | None = None
    ) -> Bundle:
        """Rank, expand and pack as the product does; with ``ranking`` that one is expanded and packed."""
        ...

    def learned(self, query: str) -> bool | None:
        """Whether the second stage that ranks ``query`` was trained on it; ``None`` if it does not say."""
        ...

    def vectors(self) -> npt.NDArray[np.float32] | None:
        """Unit rows in the order of ``graph.ids``, shape (n, d); ``None`` without a dense index."""
        ...

    @property
    def graph_findings(self) -> Sequence[Finding]:
        """What the last build of the stored graph found wrong; empty without one."""
        ...

    @property
    def graph_told(self) -> str:
        """Why the stored graph is missing or out of date; empty if it is neither."""
        ...

    def rebuilt(self, rebuild: Rebuild) -> SkillGraph:
        """Build the graph once more by the rules, without a model; nothing is written."""
        ...

    def following(self, skill_id: SkillId, *, top_k: int) -> Mapping[Group, tuple[SkillId, ...]]:
        """What `quiver next` shows around a skill, best first."""
        ...

    def read(self, skill_id: SkillId) -> Skill | None:
        """One skill with its body."""
        ...

    def said(self, query: str, *, budget: int) -> Mapping[str, str]:
        """What an agent is given for a task, by the way it asks: ``hook``, ``search``, ``bundle``."""
        ...

    def listings(self, window: int) -> Mapping[str, str]:
        """The list of skills that each host with a known rule shows in a context of ``window`` tokens."""
        ...

    def afresh(self) -> Subject:
        """The same, where nothing is remembered from one question to the next: what times are taken on."""
        ...

    def subset(self, ids: Collection[SkillId]) -> AbstractContextManager[Subject]:
        """The product on these skills alone, their vectors and relations included, while the block runs."""
        ...

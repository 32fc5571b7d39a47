"""What experiments need of the product: its own use cases, on one open library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from skillquiver.settings import RankSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.graph.skillgraph import SkillGraph
    from skillquiver.retrieve.bundle import Bundle
    from skillquiver.retrieve.diffuse import Arm
    from skillquiver.retrieve.ranking import Ranking
    from skillquiver.skills.records import Skill
    from skillquiver.types import SkillId

__all__ = ["RANKERS", "Subject"]

RANKERS: Mapping[str, RankSettings] = {
    "bm25 card": RankSettings(full_weight=0.0, name_weight=0.0, dense_weight=0.0, rerank_depth=0),
    "bm25": RankSettings(card_weight=0.0, name_weight=0.0, dense_weight=0.0, rerank_depth=0),
    "dense": RankSettings(full_weight=0.0, card_weight=0.0, name_weight=0.0, rerank_depth=0),
    "hybrid": RankSettings(rerank_depth=0),
    "second stage": RankSettings(),
}
"""The product's ranker with channels switched off; the last is what users get."""


class Subject(Protocol):
    """An open library. The product's implementation is ``serve.usecases.evaluating.LibrarySubject``."""

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

    def bundle(self, query: str, *, arm: Arm, budget: int, max_skills: int) -> Bundle:
        """Rank, expand and pack as the product does."""
        ...

    def vectors(self) -> npt.NDArray[np.float32] | None:
        """Unit rows in the order of ``graph.ids``, shape (n, d); ``None`` without a dense index."""
        ...

    def read(self, skill_id: SkillId) -> Skill | None:
        """One skill with its body."""
        ...

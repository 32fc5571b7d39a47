"""A library opened for experiments: the product's own use cases behind ``evaluate.subject.Subject``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from skillquiver.evaluate.subject import Rebuild
from skillquiver.graph.following import Group
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state
from skillquiver.index.encoders import open_encoder
from skillquiver.retrieve.bundle import Bundle
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.ranker import Ranker
from skillquiver.retrieve.ranking import Ranking
from skillquiver.retrieve.stages import Stages, packaged_stages, read_stages
from skillquiver.serve.usecases.bundling import bundle_ranking
from skillquiver.serve.usecases.following import next_skills
from skillquiver.serve.usecases.graphs import build_findings, load_graph
from skillquiver.serve.usecases.library import EncoderSource, Library, open_library
from skillquiver.serve.usecases.searching import bundle
from skillquiver.settings import PackSettings, RankSettings
from skillquiver.skills.records import Skill
from skillquiver.types import Encoder, Finding, SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.serve.usecases.rebuilding import Rebuilder

__all__ = ["LibrarySubject", "open_subject"]


@dataclass(frozen=True)
class LibrarySubject:
    """The product on one open library: what ``evaluate.subject.Subject`` asks for.

    ``stages`` are second stages by query; the library was opened with the first of them.
    """

    library: Library
    stages: Stages = field(default_factory=packaged_stages)
    _rankers: dict[tuple[int, RankSettings | None], Ranker] = field(default_factory=dict)
    _rebuilds: dict[Rebuild, SkillGraph] = field(default_factory=dict)

    @cached_property
    def skills(self) -> Mapping[SkillId, Skill]:
        """Every skill that a search can return, without its body, by id, sorted."""
        found = (skill for _, skill in self.library.store.all_skills(body=False))
        return {skill.id: skill for skill in sorted(found, key=lambda skill: skill.id)}

    @cached_property
    def graph(self) -> SkillGraph:
        """The stored graph; without relations if none was built."""
        if graph_state(self.library.store) is GraphState.MISSING:
            return SkillGraph.of(self.skills, ())
        return load_graph(self.library.store)[0]

    @cached_property
    def graph_findings(self) -> Sequence[Finding]:
        """What the last build of the stored graph found wrong; empty without one."""
        return build_findings(self.library.store)

    @property
    def graph_told(self) -> str:
        """Why the stored graph is missing or out of date; empty if it is neither."""
        return graph_state(self.library.store).told

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        """Search as the product does, or with other weights."""
        return self.library_for(query, settings).ranker.rank(query, top_k=top_k)

    def bundle(
        self, query: str, *, arm: Arm, budget: int, max_skills: int, ranking: Ranking | None = None
    ) -> Bundle:
        """Rank, expand and pack as the product does; with ``ranking`` that one is expanded and packed."""
        if ranking is not None:
            settings = PackSettings(max_skills=max_skills)
            return bundle_ranking(self.library.store, ranking, budget=budget, settings=settings, arm=arm)
        library = self.library_for(query)
        return bundle(library, query, budget=budget, max_skills=max_skills, arm=arm)[0]

    def learned(self, query: str) -> bool | None:
        """Whether the second stage that ranks ``query`` was trained on it; ``None`` if it does not say."""
        return self.library.ranker.reranks and self.stages.learned(query)

    def library_for(self, query: str, settings: RankSettings | None = None) -> Library:
        """The library with the second stage that may rank ``query``, and perhaps other weights."""
        fold = self.stages.of(query)
        if fold == 0 and settings is None:
            return self.library
        ranker = self._rankers.get((fold, settings))
        if ranker is None:
            ranker = self.library.ranker.weighted(
                settings or self.library.ranker.settings, second=self.stages.models[fold]
            )
            self._rankers[fold, settings] = ranker
        return replace(self.library, ranker=ranker)

    def vectors(self) -> npt.NDArray[np.float32] | None:
        """Unit rows in the order of ``graph.ids``, shape (n, d); ``None`` unless every skill has one."""
        from skillquiver.serve.usecases.graph_inputs import skill_vectors

        rows = self.library.store.rows_of(self.graph.ids)
        if len(rows) < len(self.graph.ids):
            return None
        return skill_vectors(self.library.store, [rows[skill_id] for skill_id in self.graph.ids])

    def rebuilt(self, rebuild: Rebuild) -> SkillGraph:
        """Build the graph once more by the rules, without a model; nothing is written."""
        if rebuild not in self._rebuilds:
            self._rebuilds[rebuild] = self._rebuilder.build(rebuild)
        return self._rebuilds[rebuild]

    @cached_property
    def _rebuilder(self) -> Rebuilder:
        from skillquiver.serve.usecases.graph_inputs import read_inputs
        from skillquiver.serve.usecases.rebuilding import Rebuilder

        return Rebuilder(read_inputs(self.library.store, self.library.folder))

    def following(self, skill_id: SkillId, *, top_k: int) -> Mapping[Group, tuple[SkillId, ...]]:
        """What `quiver next` shows around a skill, best first."""
        steps = next_skills(self.library, skill_id, top_k=top_k)
        return {group: tuple(step.skill.id for step in found) for group, found in steps.groups.items()}

    def read(self, skill_id: SkillId) -> Skill | None:
        """One skill with its body."""
        return self.library.store.skill(skill_id)

    def said(self, query: str, *, budget: int) -> Mapping[str, str]:
        """What an agent is given for a task, by the way it asks: ``hook``, ``search``, ``bundle``."""
        from skillquiver.serve.usecases.saying import said_for

        return said_for(self.library_for(query), query, budget=budget)

    def listings(self, window: int) -> Mapping[str, str]:
        """The list of skills that each host with a known rule shows in a context of ``window`` tokens."""
        from skillquiver.serve.usecases.saying import host_lists

        return host_lists(self.skills.values(), window)

    def afresh(self) -> LibrarySubject:
        """The same, where nothing is remembered from one question to the next: what times are taken on."""
        ranker = self.library.ranker
        if not isinstance(ranker.encoder, _Remembering):
            return self
        plain = ranker.weighted(ranker.settings, encoder=ranker.encoder.encoder)
        return LibrarySubject(replace(self.library, ranker=plain), self.stages)

    @contextmanager
    def subset(self, ids: Collection[SkillId]) -> Iterator[LibrarySubject]:
        """The product on these skills alone, their vectors and relations included, while the block runs."""
        from skillquiver.serve.usecases.subsets import subset_library

        with subset_library(self.library, ids) as library:
            yield LibrarySubject(library, self.stages)


@dataclass(frozen=True)
class _Remembering:
    """An encoder that encodes no text twice: rankers are compared on the same queries."""

    encoder: Encoder
    _known: dict[str, npt.NDArray[np.float32]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the encoder itself."""
        return self.encoder.name

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self.encoder.dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit rows, one for each text."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self.encoder.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def _open_remembering(name: str) -> tuple[Encoder | None, str]:
    return _Remembering(open_encoder(name)), ""


@contextmanager
def open_subject(
    folder: Path, *, second_stage: Path | None = None, encoders: EncoderSource = _open_remembering
) -> Iterator[LibrarySubject]:
    """Open the library at ``folder`` for experiments.

    ``second_stage`` is a model file, or a folder of models by fold. Raises ``UsageError`` for anything else.
    """
    if second_stage is None:
        with open_library(folder, encoders=encoders) as library:
            yield LibrarySubject(library)
        return
    stages = read_stages(second_stage)
    with open_library(folder, encoders=encoders, second=lambda: (stages.models[0], "")) as library:
        yield LibrarySubject(library, stages)

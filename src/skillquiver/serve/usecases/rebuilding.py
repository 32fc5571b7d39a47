"""The graph of a library built again and again, with what does not change kept."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

from skillquiver.evaluate.masking import masked
from skillquiver.evaluate.subject import Rebuild
from skillquiver.graph.build import build_graph, chosen_sources, judge_proposed, propose
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.serve.usecases.graph_inputs import GraphInputs
from skillquiver.settings import DEFAULT_GRAPH, GraphSettings

__all__ = ["Rebuilder"]

_READ_BY = {
    "similar_k": ("similar",),
    "similar_floor": ("similar",),
    "lexical_k": ("lexical",),
    "need_k": ("need",),
    "rare_holders": ("artifact", "tool"),
}
"""Setting → sources it changes. Another one would change them all."""


@dataclass(frozen=True)
class Rebuilder:
    """Builds over one library by the rules; where only settings differ, other sources are not asked again."""

    inputs: GraphInputs
    _proposed: dict[str, Sequence[Candidate]] = field(default_factory=dict)

    def build(self, rebuild: Rebuild) -> SkillGraph:
        """The graph of the library as ``rebuild`` wants it."""
        if rebuild.without or rebuild.cuts or rebuild.shuffle is not None:
            return self._afresh(rebuild)
        candidates: set[Candidate] = set()
        changed = _changed(rebuild.settings)
        for source in chosen_sources(rebuild.settings):
            if source.name in changed:
                candidates.update(source.candidates(self._corpus))
            else:
                if source.name not in self._proposed:
                    self._proposed[source.name] = propose(self._corpus, [source])
                candidates.update(self._proposed[source.name])
        ordered = propose(self._corpus, [_Given(candidates)])
        return judge_proposed(self._corpus, ordered, curated=self.inputs.curated).graph

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.of(self.inputs.skills, self.inputs.vectors, self.inputs.known)

    def _afresh(self, rebuild: Rebuild) -> SkillGraph:
        """Everything again, but for facts of texts that are as they were."""
        kept = [i for i, skill in enumerate(self.inputs.skills) if skill.id not in rebuild.without]
        vectors = None if self.inputs.vectors is None else self.inputs.vectors[kept]
        skills = masked([self.inputs.skills[i] for i in kept], rebuild.cuts)
        if rebuild.shuffle is not None:
            random.Random(rebuild.shuffle).shuffle(skills)  # noqa: S311 - an order, not a secret
        return build_graph(
            skills,
            vectors=vectors,
            curated=self.inputs.curated,
            settings=rebuild.settings,
            known=self.inputs.known,
        ).graph


@dataclass(frozen=True, slots=True)
class _Given:
    """Candidates that are there already, as a source."""

    found: set[Candidate]
    name = "given"

    def candidates(self, corpus: Corpus) -> set[Candidate]:  # noqa: ARG002 - the protocol has it
        """All of them."""
        return self.found


def _changed(settings: GraphSettings) -> frozenset[str]:
    """Sources that may propose something else than with default settings."""
    names = [
        one.name
        for one in fields(GraphSettings)
        if getattr(settings, one.name) != getattr(DEFAULT_GRAPH, one.name)
    ]
    everyone = tuple(source.name for source in chosen_sources(settings))
    return frozenset(name for setting in names for name in _READ_BY.get(setting, everyone))

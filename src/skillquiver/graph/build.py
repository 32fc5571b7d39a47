"""Skills in, graph out: propose, judge, resolve, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillquiver.graph.artifacts import ArtifactSource
from skillquiver.graph.declared import DeclaredSource, read_declared
from skillquiver.graph.facts import SkillFacts
from skillquiver.graph.neighbors import (
    LexicalSource,
    NamesakeSource,
    NeedSource,
    PluginSource,
    SimilarSource,
    ToolSource,
)
from skillquiver.graph.references import ReferenceSource
from skillquiver.graph.relations import Relation
from skillquiver.graph.resolve import resolve
from skillquiver.graph.rules import RuleJudge
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.sources import Candidate, CandidateSource, Corpus, Judge
from skillquiver.settings import GraphSettings
from skillquiver.skills.records import Skill
from skillquiver.types import Finding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["GraphBuild", "build_graph"]


@dataclass(frozen=True, slots=True)
class GraphBuild:
    """The graph, and a finding for everything that was declared, judged or proposed in vain."""

    graph: SkillGraph
    findings: tuple[Finding, ...]


def default_sources(settings: GraphSettings) -> tuple[CandidateSource, ...]:
    """Return the built-in candidate sources."""
    return (
        DeclaredSource(),
        ReferenceSource(),
        ArtifactSource(settings.rare_holders),
        NeedSource(settings.need_k),
        ToolSource(settings.rare_holders),
        PluginSource(),
        NamesakeSource(),
        LexicalSource(settings.lexical_k),
        SimilarSource(settings.similar_k, settings.similar_floor),
    )


def build_graph(
    skills: Sequence[Skill],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    settings: GraphSettings | None = None,
    judges: Sequence[Judge] = (),
    known: Mapping[str, SkillFacts] = MappingProxyType({}),
) -> GraphBuild:
    """Build the graph of ``skills``: the same skills, in any order, give the same bytes."""
    corpus = Corpus.of(skills, vectors, known)
    sources = default_sources(settings or GraphSettings())
    candidates: list[Candidate] = sorted(c for source in sources for c in source.candidates(corpus))
    relations: list[Relation] = []
    findings = list(read_declared(corpus)[1])
    for judge in (RuleJudge(), *judges):
        judgement = judge.judge(corpus, candidates)
        relations += judgement.relations
        findings += judgement.findings
    resolution = resolve(relations, {skill.id: skill.path for skill in corpus.skills})
    graph = SkillGraph.of((skill.id for skill in corpus.skills), resolution.relations)
    return GraphBuild(graph, tuple(sorted({*findings, *resolution.findings})))

"""Skills in, graph out: propose, judge, resolve.

The build is incremental by being cheap twice: what depends on one skill alone (its facts) is kept by
content hash, and what depends on the whole library is computed again. So after any edit, move or delete
the graph *is* a fresh build, without a rule about what to invalidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillquiver.errors import UsageError
from skillquiver.graph.artifacts import ArtifactSource
from skillquiver.graph.curated import CuratedFile, read_curated
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
from skillquiver.graph.sources import SOURCE_GROUP, Candidate, CandidateSource, Corpus, Judge
from skillquiver.settings import DEFAULT_GRAPH, GraphSettings
from skillquiver.skills.records import Skill
from skillquiver.types import Finding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["GraphBuild", "build_graph", "builtin_sources", "chosen_sources", "judge_proposed", "propose"]


@dataclass(frozen=True, slots=True)
class GraphBuild:
    """The graph, what was found wrong on the way, and how much each stage did.

    ``facts`` are to be kept by content hash and handed to the next build as ``known``. ``candidates``
    counts proposals by source, ``relations`` what the judges made of them by judge, before resolution.
    """

    graph: SkillGraph
    findings: tuple[Finding, ...]
    facts: Mapping[str, SkillFacts]
    candidates: Mapping[str, int]
    relations: Mapping[str, int]


def builtin_sources(settings: GraphSettings = DEFAULT_GRAPH) -> tuple[CandidateSource, ...]:
    """Return the candidate sources of this package, in the order of their trust."""
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


def chosen_sources(settings: GraphSettings = DEFAULT_GRAPH) -> tuple[CandidateSource, ...]:
    """Return the built-in sources and those of other packages, or those named in ``settings.sources``.

    Raises ``UsageError`` for a name that nobody registered.
    """
    sources = {source.name: source for source in builtin_sources(settings)}
    for entry in sorted(entry_points(group=SOURCE_GROUP), key=lambda e: e.name):
        if entry.name not in sources:
            sources[entry.name] = entry.load()()
    unknown = [name for name in settings.sources if name not in sources]
    if unknown:
        raise UsageError(f"no candidate source {unknown[0]!r}; there are {', '.join(sorted(sources))}")
    return tuple(s for name, s in sources.items() if not settings.sources or name in settings.sources)


def propose(corpus: Corpus, sources: Iterable[CandidateSource]) -> list[Candidate]:
    """Return the union of what ``sources`` propose, without repeats, in one order."""
    found = {candidate for source in sources for candidate in source.candidates(corpus)}
    return sorted(found, key=_order)


def build_graph(
    skills: Sequence[Skill],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    curated: Iterable[CuratedFile] = (),
    settings: GraphSettings = DEFAULT_GRAPH,
    judges: Sequence[Judge] = (),
    known: Mapping[str, SkillFacts] = MappingProxyType({}),
) -> GraphBuild:
    """Build the graph of ``skills``: the same skills, in any order, give the same bytes.

    ``vectors`` has one unit row per skill in order of sorted ids; without it there is no ``similar_to``.
    ``judges`` join the rules, which are always on. ``known`` holds facts of earlier builds by content hash.
    """
    corpus = Corpus.of(skills, vectors, known)
    return judge_proposed(corpus, propose(corpus, chosen_sources(settings)), curated=curated, judges=judges)


def judge_proposed(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    *,
    curated: Iterable[CuratedFile] = (),
    judges: Sequence[Judge] = (),
) -> GraphBuild:
    """Judge the ``candidates`` that ``propose`` returned for ``corpus``, and resolve what comes of them."""
    declared = read_curated(curated, corpus)
    relations: list[Relation] = list(declared.relations)
    findings = [*declared.findings, *read_declared(corpus)[1]]
    counts = Counter({"curated": len(declared.relations)})
    for judge in (RuleJudge(), *judges):
        judgement = judge.judge(corpus, candidates)
        allowed = [r for r in judgement.relations if not declared.forbids(r)]
        counts[judge.name] += len(allowed)
        relations += allowed
        findings += judgement.findings
    resolution = resolve(relations, {skill.id: skill.path for skill in corpus.skills})
    return GraphBuild(
        SkillGraph.of((skill.id for skill in corpus.skills), resolution.relations),
        tuple(sorted({*findings, *resolution.findings})),
        {skill.content_hash: facts for skill, facts in zip(corpus.skills, corpus.facts, strict=True)},
        dict(sorted(Counter(c.proposed_by for c in candidates).items())),
        dict(sorted(counts.items())),
    )


def _order(candidate: Candidate) -> tuple[str, str, str, str, str, float, str, str]:
    return (
        candidate.source,
        candidate.target,
        candidate.proposed_by,
        candidate.claim or "",
        candidate.provenance,
        -candidate.weight,
        candidate.evidence.quote,
        candidate.evidence.place,
    )

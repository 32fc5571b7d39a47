"""Build the skill graph of a library, and answer questions about it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from skillquiver.errors import LibraryMissingError, UsageError
from skillquiver.graph.audit import sample_edges, sheet
from skillquiver.graph.build import GraphBuild, build_graph
from skillquiver.graph.doctor import isolated_findings
from skillquiver.graph.export import ExportFormat, export_graph
from skillquiver.graph.neighbourhood import neighbourhood
from skillquiver.graph.relations import Relation
from skillquiver.graph.report import Census, Topology, census, outside_neighbours, topology
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.sources import Judge
from skillquiver.graph.stored import GraphState, graph_state, load_graph, put_graph
from skillquiver.index.lock import writer_lock
from skillquiver.index.store import Store
from skillquiver.serve.usecases.graph_inputs import (
    FACTS,
    GraphInputs,
    encode_facts,
    read_inputs,
    searched_skills,
    skill_vectors,
)
from skillquiver.serve.usecases.library import find_skill
from skillquiver.skills.records import Skill
from skillquiver.types import Finding

if TYPE_CHECKING:
    from skillquiver.graph.llm.report import LlmReport

__all__ = [
    "GraphReport",
    "GraphStats",
    "build_findings",
    "build_from",
    "build_library_graph",
    "graph_audit",
    "graph_census",
    "graph_export",
    "graph_findings",
    "graph_show",
    "graph_stats",
    "load_graph",
]

FINDINGS = "graph findings"

MODEL = "graph_model"
"""Note of the store: the model that the last build was judged by; empty after a build by rules alone."""

SHOWN_NODES = 10_000
"""Most neighbours that `graph show` looks at: all of them, short of a library made to hurt."""

_FINDINGS = msgspec.msgpack.Decoder(tuple[Finding, ...])


@dataclass(frozen=True, slots=True)
class GraphReport:
    """What a build made: ``candidates`` by source, ``judged`` by judge, ``types`` after resolution."""

    skills: int
    relations: int
    types: dict[str, int]
    candidates: dict[str, int]
    judged: dict[str, int]
    findings: dict[str, int]
    similar: bool
    """Whether there were vectors: without them there is no ``similar_to``."""
    changed: bool
    seconds: float
    model_before: str = ""
    """Model of the build before, if this one was made without: its relations are left out."""
    llm: LlmReport | None = None
    """What the model's part came to; ``None`` for a build by rules alone."""


@dataclass(frozen=True, slots=True)
class GraphStats:
    """Shape of the graph, layer by layer, and how much of it no embedding neighbourhood holds.

    ``outside`` maps a type, and ``typed pairs``, to (pairs outside the nearest 8, pairs).
    """

    skills: int
    layers: tuple[Topology, ...]
    outside: dict[str, tuple[int, int]]
    stale: str


def build_library_graph(folder: Path, *, judges: Sequence[Judge] = (), model: str = "") -> GraphReport:
    """Build the graph of the library at ``folder`` and keep it there, with the name of a judging ``model``.

    Facts of unchanged texts are taken from the last build; relations never are: a build without a model
    holds none of a model, whatever was built before. Raises ``LibraryLockedError`` while another
    process writes.
    """
    started = time.perf_counter()
    with writer_lock(folder), Store.opened(folder) as store:
        inputs = read_inputs(store, folder)
        built = build_from(inputs, judges)
        model_before = store.get_meta(MODEL)
        findings = tuple(sorted({*built.findings, *inputs.findings}))
        with store.transaction():
            changed = put_graph(store, built.graph, inputs.generation)
            store.put_derived(FACTS, encode_facts(built.facts), inputs.generation)
            store.put_derived(FINDINGS, msgspec.msgpack.encode(findings), inputs.generation)
            store.set_meta(MODEL, model)
    return GraphReport(
        skills=len(built.graph.ids),
        relations=len(built.graph.relations),
        types=dict(census(built.graph).by_type),
        candidates=dict(built.candidates),
        judged=dict(built.relations),
        findings=dict(sorted(Counter(finding.code for finding in findings).items())),
        similar=inputs.vectors is not None,
        changed=changed,
        seconds=round(time.perf_counter() - started, 2),
        model_before="" if model else model_before,
    )


def build_from(inputs: GraphInputs, judges: Sequence[Judge]) -> GraphBuild:
    """Build the graph of ``inputs`` by the rules and ``judges``; nothing is written."""
    return build_graph(
        inputs.skills, vectors=inputs.vectors, curated=inputs.curated, judges=judges, known=inputs.known
    )


def graph_show(folder: Path, reference: str) -> tuple[Skill, tuple[Relation, ...], str]:
    """Return a skill, its relations, strongest first, and why the graph is out of date."""
    with Store.opened(folder) as store:
        skill = find_skill(store, reference)[1]
        state = graph_state(store)
        if state is GraphState.MISSING:
            raise LibraryMissingError(state.told)
        graph = neighbourhood(store, [skill.id], hops=1, types=None, max_nodes=SHOWN_NODES)
        return skill, tuple(relation for _, relation in graph.neighbors(skill.id)), state.told


def graph_stats(folder: Path) -> GraphStats:
    """Measure the graph's layers and its reach beyond the embedding's neighbours."""
    with Store.opened(folder) as store:
        graph, stale = load_graph(store)
        vectors = None if stale else skill_vectors(store, searched_skills(store)[0])
        outside = outside_neighbours(graph, vectors) if vectors is not None else {}
        return GraphStats(len(graph.ids), topology(graph), outside, stale)


def graph_census(folder: Path) -> tuple[Census, str]:
    """Count relations by type, provenance and proposing source; and why the graph is out of date."""
    with Store.opened(folder) as store:
        graph, stale = load_graph(store)
        return census(graph), stale


def graph_audit(folder: Path, *, sample: int, seed: int = 0) -> str:
    """Return a CSV sheet of ``sample`` relations to judge blind. Raises ``UsageError`` for no relation."""
    if sample < 1:
        raise UsageError(f"--sample is {sample}; ask for at least 1")
    with Store.opened(folder) as store:
        graph, _ = load_graph(store)
        skills = {skill.id: skill for skill in searched_skills(store)[1]}
        known = [r for r in graph.relations if r.source in skills and r.target in skills]
        return sheet(sample_edges(SkillGraph.of(graph.ids, known), sample, seed=seed), skills)


def graph_export(folder: Path, format_: ExportFormat) -> str:
    """Return the graph as text in one of the export formats."""
    with Store.opened(folder) as store:
        return export_graph(load_graph(store)[0], format_)


def build_findings(store: Store) -> tuple[Finding, ...]:
    """What the last build found wrong; empty if no graph was built."""
    noted = store.get_derived(FINDINGS)
    return _FINDINGS.decode(noted[1]) if noted else ()


def graph_findings(store: Store) -> list[Finding]:
    """What the last build found wrong, and skills without a relation; empty if no graph was built."""
    if store.get_derived(FINDINGS) is None:
        return []
    graph, _ = load_graph(store)
    paths = {light.id: light.path for light in store.lights().values()}
    return [*build_findings(store), *isolated_findings(graph, paths)]

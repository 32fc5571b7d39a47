"""Build the skill graph of a library, and answer questions about it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from skillquiver.errors import LibraryError, LibraryMissingError, UsageError
from skillquiver.graph.audit import sample_edges, sheet
from skillquiver.graph.build import GraphBuild, build_graph
from skillquiver.graph.curated import CURATED_NAME, CuratedFile
from skillquiver.graph.doctor import isolated_findings
from skillquiver.graph.export import ExportFormat, export_graph
from skillquiver.graph.facts import SkillFacts
from skillquiver.graph.relations import Relation
from skillquiver.graph.report import Census, Topology, census, outside_neighbours, topology
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.sources import Judge
from skillquiver.index.lock import writer_lock
from skillquiver.index.store import Store
from skillquiver.index.vectors import library_encoder
from skillquiver.serve.usecases.library import find_skill
from skillquiver.skills.records import Skill
from skillquiver.types import Finding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "GraphReport",
    "GraphStats",
    "build_library_graph",
    "graph_audit",
    "graph_census",
    "graph_export",
    "graph_findings",
    "graph_show",
    "graph_stats",
    "load_graph",
]

GRAPH, FACTS, FINDINGS = "graph", "graph facts", "graph findings"

FACTS_VERSION = 1
"""Counts changes of what is read out of a text for the graph; another number reads it all again."""

CURATED_BYTES = 1_000_000
"""Most that is read of a relations.yaml."""

_FACTS = msgspec.msgpack.Decoder(tuple[int, dict[str, SkillFacts]])
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


@dataclass(frozen=True, slots=True)
class GraphStats:
    """Shape of the graph, layer by layer, and how much of it no embedding neighbourhood holds.

    ``outside`` maps a type, and ``typed pairs``, to (pairs outside the nearest 8, pairs).
    """

    skills: int
    layers: tuple[Topology, ...]
    outside: dict[str, tuple[int, int]]
    stale: str


def build_library_graph(folder: Path, *, judges: Sequence[Judge] = ()) -> GraphReport:
    """Build the graph of the library at ``folder`` and keep it there.

    Facts of unchanged texts are taken from the last build. Raises ``LibraryLockedError`` while another
    process writes.
    """
    started = time.perf_counter()
    with writer_lock(folder), Store.opened(folder) as store:
        generation = store.generation
        rows, skills = _skills(store)
        vectors = _vectors(store, rows)
        built = build_graph(
            skills, vectors=vectors, curated=_curated(store), judges=judges, known=_known(store)
        )
        before = store.get_derived(GRAPH)
        data = built.graph.to_bytes()
        with store.transaction():
            store.put_derived(GRAPH, data, generation)
            store.put_derived(FACTS, msgspec.msgpack.encode((FACTS_VERSION, built.facts)), generation)
            store.put_derived(FINDINGS, msgspec.msgpack.encode(built.findings), generation)
    changed = before is None or before[1] != data
    return _report(built, vectors is not None, changed, time.perf_counter() - started)


def _report(built: GraphBuild, similar: bool, changed: bool, seconds: float) -> GraphReport:
    codes: dict[str, int] = {}
    for finding in built.findings:
        codes[finding.code] = codes.get(finding.code, 0) + 1
    return GraphReport(
        skills=len(built.graph.ids),
        relations=len(built.graph.relations),
        types=dict(census(built.graph).by_type),
        candidates=dict(built.candidates),
        judged=dict(built.relations),
        findings=dict(sorted(codes.items())),
        similar=similar,
        changed=changed,
        seconds=round(seconds, 2),
    )


def load_graph(store: Store) -> tuple[SkillGraph, str]:
    """Return the stored graph, and why it is out of date (empty if it is not).

    Raises ``LibraryMissingError`` if none was built, ``LibraryError`` if it cannot be read.
    """
    found = store.get_derived(GRAPH)
    if found is None:
        raise LibraryMissingError("this library has no graph yet; run `quiver graph build`")
    generation, data = found
    try:
        graph = SkillGraph.from_bytes(data)
    except ValueError as error:
        raise LibraryError(f"{error}: run `quiver graph build`") from error
    stale = generation != store.generation
    return graph, "the library changed since the graph was built; run `quiver graph build`" if stale else ""


def graph_show(folder: Path, reference: str) -> tuple[Skill, tuple[Relation, ...], str]:
    """Return a skill, its relations, strongest first, and why the graph is out of date."""
    with Store.opened(folder) as store:
        skill = find_skill(store, reference)[1]
        graph, stale = load_graph(store)
        return skill, tuple(relation for _, relation in graph.neighbors(skill.id)), stale


def graph_stats(folder: Path) -> GraphStats:
    """Measure the graph's layers and its reach beyond the embedding's neighbours."""
    with Store.opened(folder) as store:
        graph, stale = load_graph(store)
        vectors = None if stale else _vectors(store, _skills(store)[0])
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
        skills = {skill.id: skill for skill in _skills(store)[1]}
        known = [r for r in graph.relations if r.source in skills and r.target in skills]
        return sheet(sample_edges(SkillGraph.of(graph.ids, known), sample, seed=seed), skills)


def graph_export(folder: Path, format_: ExportFormat) -> str:
    """Return the graph as text in one of the export formats."""
    with Store.opened(folder) as store:
        return export_graph(load_graph(store)[0], format_)


def graph_findings(store: Store) -> list[Finding]:
    """What the last build found wrong, and skills without a relation; empty if no graph was built."""
    noted = store.get_derived(FINDINGS)
    if noted is None:
        return []
    graph, _ = load_graph(store)
    paths = {light.id: light.path for light in store.lights().values()}
    return [*_FINDINGS.decode(noted[1]), *isolated_findings(graph, paths)]


# --- parts of the library the builder needs ----------------------------------------------------


def _skills(store: Store) -> tuple[list[int], list[Skill]]:
    """Rows and records of the searched skills, by id."""
    pairs = list(store.all_skills())
    return [row for row, _ in pairs], [skill for _, skill in pairs]


def _vectors(store: Store, rows: Sequence[int]) -> npt.NDArray[np.float32] | None:
    """One unit row per skill in the order of ``rows``; ``None`` unless every skill has its vector."""
    import numpy as np

    found = dict(store.vectors(library_encoder(store)[1]))
    if not rows or any(row not in found for row in rows):
        return None
    return np.frombuffer(b"".join(found[row] for row in rows), dtype="<f4").reshape(len(rows), -1)


def _curated(store: Store) -> list[CuratedFile]:
    files = []
    for label, path, _ in store.roots():
        file = Path(path) / CURATED_NAME
        if file.is_file():
            text = file.read_bytes()[: CURATED_BYTES + 1].decode("utf-8-sig", "replace")
            files.append(CuratedFile(label, str(file), text))
    return files


def _known(store: Store) -> dict[str, SkillFacts]:
    found = store.get_derived(FACTS)
    if found is None:
        return {}
    try:
        version, facts = _FACTS.decode(found[1])
    except msgspec.MsgspecError:  # of another version: read again
        return {}
    return facts if version == FACTS_VERSION else {}

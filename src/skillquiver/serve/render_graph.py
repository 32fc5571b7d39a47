"""Graph results to JSON and to text for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from skillquiver.graph.export import relation_record
from skillquiver.graph.relations import RELATION_TYPES
from skillquiver.serve.render_llm import llm_data
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from skillquiver.graph.relations import Relation
    from skillquiver.graph.report import Census
    from skillquiver.serve.usecases.graphs import GraphReport, GraphStats
    from skillquiver.skills.records import Skill

__all__ = [
    "build_data",
    "build_text",
    "census_data",
    "census_text",
    "quoted",
    "relations_data",
    "relations_text",
    "stats_data",
    "stats_text",
]

QUOTE_WIDTH = 140
"""Characters of evidence shown to people."""


def build_data(report: GraphReport) -> dict[str, Any]:
    """A build."""
    return {**asdict(replace(report, llm=None)), "llm": llm_data(report.llm)}


def build_text(report: GraphReport) -> str:
    """A build for people."""
    lines = [f"{report.relations:,} relations between {report.skills:,} skills, in {report.seconds:.1f} s"]
    lines += [f"  {name:16}{count:>8,}" for name, count in report.types.items()]
    if not report.similar:
        lines.append("no vectors, so no similar_to; run `quiver index`, then build again")
    if report.findings:
        found = ", ".join(f"{count:,} {code}" for code, count in report.findings.items())
        lines.append(f"findings: {found}; `quiver doctor` lists them")
    if report.model_before:
        lines.append(
            f"left out: what {plain(report.model_before)} judged in the build before; "
            "--model brings it back without a call"
        )
    if report.llm is not None:
        from skillquiver.graph.llm.report import render_report

        lines += ["", render_report(report.llm).rstrip("\n")]
    return "\n".join(lines)


def relations_data(skill: Skill, relations: Sequence[Relation], stale: str) -> dict[str, Any]:
    """A skill's relations."""
    return {"id": skill.id, "stale": stale, "relations": [relation_record(r) for r in relations]}


def relations_text(skill: Skill, relations: Sequence[Relation], stale: str) -> str:
    """A skill's relations for people, typed ones before neighbours."""
    lines = [
        f"{plain(skill.id)}: {len(relations)} relations" if relations else f"{plain(skill.id)}: nothing known"
    ]
    for relation in relations:
        mark = "↔" if RELATION_TYPES[relation.type].symmetric else "→"
        lines.append(
            f"  {plain(relation.source)} {relation.type.value} {mark} {plain(relation.target)}  "
            f"({relation.provenance.value}, {relation.confidence:.2f})"
        )
        if relation.evidence.quote:
            lines.append(quoted(relation))
    return _noted(lines, stale)


def quoted(relation: Relation) -> str:
    """The words that state a relation, and where they stand, on one indented line."""
    quote = plain(relation.evidence.quote)
    short = quote if len(quote) <= QUOTE_WIDTH else quote[: QUOTE_WIDTH - 1] + "…"
    return f'      {plain(relation.evidence.place)}: "{short}"'


def stats_data(stats: GraphStats) -> dict[str, Any]:
    """Topology and reach."""
    data = asdict(stats)
    data["outside"] = {
        name: {"outside": outside, "pairs": pairs} for name, (outside, pairs) in stats.outside.items()
    }
    return data


def stats_text(stats: GraphStats) -> str:
    """Topology and reach for people."""
    head = ("layer", "edges", "wired", "components", "largest", "singletons", "reach")
    lines = [f"{head[0]:16}" + "".join(f"{name:>12}" for name in head[1:])]
    for row in stats.layers:
        numbers = (row.edges, row.wired, row.components, row.largest, row.singletons)
        lines.append(f"{row.layer:16}" + "".join(f"{n:>12,}" for n in numbers) + f"{row.reach:>12.1f}")
    lines.append("reach: mean number of other skills within three steps")
    if stats.outside:
        lines += ["", "pairs outside either skill's 8 nearest neighbours"]
        lines += [
            f"  {name:16}{outside:>8,} of {pairs:>8,}  {outside / pairs if pairs else 0:.0%}"
            for name, (outside, pairs) in stats.outside.items()
        ]
    return _noted(lines, stats.stale)


def census_data(census: Census, stale: str) -> dict[str, Any]:
    """Relations by type, provenance and source."""
    names = ("type", "provenance", "source", "count")
    rows = [dict(zip(names, row, strict=True)) for row in census.rows]
    return {"edges": census.edges, "types": dict(census.by_type), "rows": rows, "stale": stale}


def census_text(census: Census, stale: str) -> str:
    """Relations by type, provenance and source for people."""
    lines = [f"{'type':16}{'provenance':12}{'source':12}{'count':>9}"]
    lines += [f"{type_:16}{origin:12}{source:12}{n:>9,}" for type_, origin, source, n in census.rows]
    lines.append(f"{census.edges:,} relations; one that two sources propose is counted for both")
    return _noted(lines, stale)


def _noted(lines: Sequence[str], stale: str) -> str:
    return "\n".join([*lines, f"({stale})"] if stale else lines)

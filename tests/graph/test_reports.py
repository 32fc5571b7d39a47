"""Reports, audit sheet and exports of a small graph worked out by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from skillquiver.graph.audit import sample_edges, sheet
from skillquiver.graph.build import builtin_sources
from skillquiver.graph.declared import DECLARED_FIELDS
from skillquiver.graph.doctor import GRAPH_FINDINGS, isolated_findings
from skillquiver.graph.export import ExportFormat, export_graph
from skillquiver.graph.relations import RELATION_TYPES, Evidence, Provenance
from skillquiver.graph.report import census, isolated, outside_neighbours, topology
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.testing import make_skill
from tests.graph.helpers import relation

GRAPH = SkillGraph.of(
    "abcdef",
    [
        relation("a requires b", proposed_by=("declared", "reference")),
        relation("b precedes c", proposed_by=("reference",)),
        relation("c similar_to d", Provenance.INFERRED, proposed_by=("similar",)),
        relation("a complements e", Provenance.CURATED, proposed_by=("declared",)),
    ],
)


def test_the_census_counts_by_type_provenance_and_source() -> None:
    assert census(GRAPH).rows == (
        ("complements", "curated", "declared", 1),
        ("precedes", "derived", "reference", 1),
        ("requires", "derived", "declared", 1),
        ("requires", "derived", "reference", 1),
        ("similar_to", "inferred", "similar", 1),
    )
    assert census(GRAPH).edges == 4


def test_topology_counts_wired_skills_components_and_three_step_reach() -> None:
    rows = {row.layer: row for row in topology(GRAPH)}
    typed = rows["typed"]  # c - b - a - e; d and f alone: everyone of the four reaches three
    assert (typed.edges, typed.wired, typed.components, typed.largest, typed.singletons) == (3, 4, 1, 4, 2)
    assert typed.reach == 2.0
    assert rows["all"].largest == 5
    assert rows["all"].reach == pytest.approx((3 + 4 + 4 + 3 + 4) / 6, abs=0.01)


def test_isolated_skills_are_those_without_a_typed_relation() -> None:
    assert isolated(GRAPH) == ("d", "f")
    assert isolated(GRAPH, typed=False) == ("f",)
    assert [f.code for f in isolated_findings(GRAPH, {})] == ["skill-isolated", "skill-isolated"]


def test_pairs_outside_the_nearest_neighbours_are_counted_per_type() -> None:
    angles = np.array([0.0, 3.0, 1.0, 1.05, 0.05, 3.05])  # nearest: a-e, b-f, c-d
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    found = outside_neighbours(GRAPH, vectors, k=1)
    assert found == {
        "complements": (0, 1),
        "precedes": (1, 1),
        "requires": (1, 1),
        "similar_to": (0, 1),
        "typed pairs": (2, 3),
    }


def test_the_audit_sheet_is_blind_to_evidence_and_source() -> None:
    skills = {s.id: s for s in (make_skill(n, id=n, description="=1+1" if n == "a" else n) for n in "abcdef")}
    chosen = sample_edges(GRAPH, 10)
    rows = list(csv.DictReader(io.StringIO(sheet(chosen, skills))))
    assert len(rows) == 4
    assert set(rows[0]) & {"evidence", "provenance", "confidence", "proposed_by"} == set()
    assert all(row["strict"] == row["loose"] == "" for row in rows)
    assert all(not row["source_description"].startswith("=") for row in rows)


def test_the_sample_takes_at_most_so_many_of_each_type_and_provenance() -> None:
    graph = SkillGraph.of(
        [f"s{i}" for i in range(30)],
        [relation(f"s{i} requires s{i + 1}") for i in range(20)] + [relation("s28 precedes s29")],
    )
    chosen = sample_edges(graph, 8, per_group=5)
    assert sorted(r.type.value for r in chosen) == ["precedes"] + ["requires"] * 5
    assert chosen == sample_edges(graph, 8, per_group=5)


def test_json_holds_every_relation() -> None:
    document = json.loads(export_graph(GRAPH, ExportFormat.JSON))
    assert document["skills"] == list("abcdef")
    assert document["relations"][0]["type"] == "requires"
    assert len(document["relations"]) == 4


def test_graphml_is_read_by_networkx() -> None:
    odd = SkillGraph.of(
        ["a", 'b"<&'], [relation('a requires b"<&', evidence=Evidence("<script>\x00 ]]>", "a:1"))]
    )
    text = export_graph(odd, ExportFormat.GRAPHML)
    ET.fromstring(text)
    graph = nx.parse_graphml(text)
    assert set(graph.nodes) == {"a", 'b"<&'}
    assert list(graph.edges(data="type")) == [("a", 'b"<&', "requires")]


def test_mermaid_cannot_be_forged_by_a_name() -> None:
    odd = SkillGraph.of(["a", 'b"]\n  click n0 "x'], [relation("a requires c")][:0])
    assert export_graph(odd, ExportFormat.MERMAID) == "graph LR\n"
    named = 'b"]-click'
    text = export_graph(SkillGraph.of(["a", named], [relation(f"a requires {named}")]), ExportFormat.MERMAID)
    assert text == 'graph LR\n  n0["a"]\n  n1["b__-click"]\n  n0 -->|requires| n1\n'


def test_every_finding_code_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "relations.md").read_text(encoding="utf-8")
    for code, meaning in GRAPH_FINDINGS.items():
        assert f"| `{code}` | {meaning}" in page


def test_the_documented_types_and_fields_are_those_of_the_code() -> None:
    page = (Path(__file__).parents[2] / "docs" / "relations.md").read_text(encoding="utf-8")
    for type_, info in RELATION_TYPES.items():
        assert f"| `{type_}` | {info.reads}" in page
    for name in DECLARED_FIELDS:
        assert f"`{name.replace('/', '.')}`" in page
    for source in builtin_sources():
        assert f"| `{source.name}` |" in page

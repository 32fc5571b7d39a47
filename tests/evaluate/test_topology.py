"""The topology experiment, against networkx and by hand."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from skillquiver.evaluate.topology import run
from skillquiver.graph.relations import Provenance, Relation
from skillquiver.testing import make_skill
from tests.evaluate.graph_subjects import GraphSubject, cells, inputs, relation, subject_of, table_of

TYPES = ("requires", "precedes", "complements", "similar_to")


def drawn(n: int, edges: int, seed: int) -> list[Relation]:
    rng = random.Random(seed)
    found = {}
    while len(found) < edges:
        a, b = sorted(rng.sample(range(n), 2))
        type_ = rng.choice(TYPES)
        found[a, b, type_] = relation(f"s{a:02}", type_, f"s{b:02}")
    return list(found.values())


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_networkx(seed: int) -> None:
    relations = drawn(40, 45, seed)
    table = run(subject_of(" ".join(f"s{i:02}" for i in range(40)), *relations), inputs()).tables[0]
    for layer in ("requires", "similar_to", "typed", "all"):
        chosen = [
            r for r in relations if layer in (r.type, "all") or (layer == "typed" and r.type != "similar_to")
        ]
        graph = nx.Graph((r.source, r.target) for r in chosen)
        row = cells(table, layer)
        assert row["edges"] == len(chosen)
        assert row["wired"] == graph.number_of_nodes()
        assert row["singletons"] == 40 - graph.number_of_nodes()
        assert row["components"] == nx.number_connected_components(graph)
        assert row["largest"] == max(map(len, nx.connected_components(graph)))
        for hops in (1, 2, 3):
            near = [len(nx.single_source_shortest_path_length(graph, node, hops)) - 1 for node in graph]
            assert row[f"within {hops}"] == pytest.approx(sum(near) / 40, abs=0.0006)


def test_degrees_are_counted_once_a_neighbour() -> None:
    subject = subject_of("a b c", relation("a", "requires", "b"), relation("b", "precedes", "a"))
    (plot,) = run(subject, inputs()).plots
    assert [(s.label, s.x, s.y) for s in plot.series] == [("typed", (1.0,), (2.0,))]


def test_pairs_beyond_the_embedding_are_told_by_type_and_source() -> None:
    # twelve skills about cats that are each other's neighbours; a dog related to one of them is not
    cats = [make_skill(f"cat{i}", "cat " * 3 + f"x{i}") for i in range(12)]
    dog = make_skill("dog", "barking hound")
    skills = {s.id: s for s in (*cats, dog)}
    from skillquiver.graph.skillgraph import SkillGraph

    ones = [
        relation("cat0", "similar_to", "cat1", Provenance.INFERRED, by="similar"),
        relation("cat0", "requires", "dog"),
    ]
    section = run(GraphSubject(skills, SkillGraph.of(skills, ones)), inputs())
    table = table_of(section, "Pairs inside")
    assert table.columns == ("pairs", "number", "inside", "share inside")
    assert cells(table, "source reference")["number"] == 1
    chance = cells(table, "two skills at random")["share inside"]
    assert chance == pytest.approx(1 - (1 - 8 / 12) ** 2)
    assert "1 typed relations join 2 of 13 skills (15.4%)" in section.answer


def test_without_vectors_or_relations_the_section_says_so() -> None:
    bare = run(subject_of("a b", relation("a", "requires", "b"), encoder=None), inputs())
    assert len(bare.tables) == 1
    assert "not every skill has a vector" in bare.warnings[0]
    empty = run(subject_of("a", graph_told="no graph yet; run `quiver graph build`"), inputs())
    assert empty.warnings[0] == "no graph yet; run `quiver graph build`"
    assert "No typed relation joins any of 1 skills" in empty.answer
    assert empty.plots == ()
    assert "No typed relation" in run(subject_of(""), inputs()).answer

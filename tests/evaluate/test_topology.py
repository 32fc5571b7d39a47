"""The topology experiment, against networkx and by hand."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest

from skillquiver.evaluate.topology import run
from skillquiver.graph.relations import Relation
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.testing import HashEncoder, make_skill
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


def test_pairs_inside_the_first_eight_neighbours_are_those_of_all_cosines_sorted() -> None:
    words = random.Random(5)
    skills = [make_skill(f"s{i:02}", " ".join(words.choices("abcdefghijklmnopqrst", k=9))) for i in range(40)]
    relations = [r for r in drawn(40, 60, 5) if r.type != "similar_to"]
    ids = {skill.id: skill for skill in skills}
    subject = GraphSubject(ids, SkillGraph.of(ids, relations))
    rows = HashEncoder().encode([skill.description for skill in skills])
    near = {
        (a, b)
        for a in range(40)
        for b in sorted(set(range(40)) - {a}, key=lambda b, a=a: -float(rows[a] @ rows[b]))[:8]
        # neighbours as close as the eighth count as well
        + [b for b in range(40) if b != a and rows[a] @ rows[b] >= np.sort(np.delete(rows @ rows[a], a))[-8]]
    }
    place = {skill.id: i for i, skill in enumerate(skills)}
    pairs = {r.pair for r in relations}
    inside = sum((place[a], place[b]) in near or (place[b], place[a]) in near for a, b in pairs)
    section = run(subject, inputs())
    row = cells(table_of(section, "Pairs inside"), "typed pairs")
    assert (row["number"], row["inside"]) == (len(pairs), inside)
    assert 0 < inside < len(pairs)
    assert cells(table_of(section, "Pairs inside"), "source reference")["number"] == len(pairs)
    chance = cells(table_of(section, "Pairs inside"), "two skills at random")["share inside"]
    assert chance == pytest.approx(1 - (1 - 8 / 39) ** 2)
    assert f"Of {len(pairs)} typed pairs {len(pairs) - inside} (" in section.answer


def test_without_vectors_or_relations_the_section_says_so() -> None:
    bare = run(subject_of("a b", relation("a", "requires", "b"), encoder=None), inputs())
    assert len(bare.tables) == 1
    assert "not every skill has a vector" in bare.warnings[0]
    empty = run(subject_of("a", graph_told="no graph yet; run `quiver graph build`"), inputs())
    assert empty.warnings[0] == "no graph yet; run `quiver graph build`"
    assert "No typed relation joins any of 1 skills" in empty.answer
    assert empty.plots == ()
    assert "No typed relation" in run(subject_of(""), inputs()).answer

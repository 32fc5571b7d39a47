"""Rebuilds compared: Jaccard by hand, builds in other orders, and a sweep of confidences."""

from __future__ import annotations

from dataclasses import replace

from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.stability import jaccard, run
from skillquiver.evaluate.subject import Rebuild
from skillquiver.graph.relations import Provenance
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.testing import make_skill
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import GraphSubject, cells, inputs, relation, subject_of, table_of, value

CHAIN = [
    make_skill("fetch-data", "Fetches data from a server.", "Then hand over to the `clean-data` skill."),
    make_skill("clean-data", "Cleans rows of data.", "## Prerequisites\n\nRun the `fetch-data` skill first."),
    make_skill("plot-data", "Draws charts of data.", "## Prerequisites\n\nRun the `clean-data` skill first."),
    make_skill("bake-bread", "Bakes bread in an oven."),
]


def test_jaccard_is_shared_over_all() -> None:
    a = [relation("a", "requires", "b"), relation("b", "precedes", "c")]
    b = [relation("a", "requires", "b"), relation("c", "precedes", "b"), relation("c", "complements", "d")]
    assert jaccard(a, b) == 1 / 4
    assert jaccard(a, a) == jaccard([], []) == 1.0
    assert jaccard(a, []) == 0.0


def test_direction_and_type_are_told_apart() -> None:
    stored = [relation("b", "requires", "a"), relation("b", "precedes", "c"), relation("c", "precedes", "d")]
    other = [relation("a", "requires", "b"), relation("b", "routes_to", "c"), relation("c", "precedes", "d")]

    class Turned(GraphSubject):
        def rebuilt(self, rebuild: Rebuild) -> SkillGraph:
            return SkillGraph.of(self.graph.ids, () if rebuild.without else other)

    subject = subject_of("a b c d", *stored)
    row = cells(run(Turned(subject.skills, subject.graph), inputs()).tables[0], "as stored")
    assert (row["gone"], row["new"]) == (2, 2)
    assert row["Jaccard, typed and directed"] == 1 / 5
    assert row["undirected"] == 2 / 4  # a–b requires, c–d precedes
    assert row["untyped"] == 1.0


def test_another_order_of_the_same_skills_gives_the_same_graph() -> None:
    subject = GraphSubject.built(CHAIN)
    section = run(subject, inputs())
    rows = section.tables[0]
    for name in ("as stored", "skills in another order"):
        assert cells(rows, name)["Jaccard, typed and directed"] == 1.0
    assert "another order give a typed, directed Jaccard of 1.000" in section.answer
    assert "None of the settings tried changes a relation." in section.answer
    assert not any("fault" in warning for warning in section.warnings)


def test_a_build_that_depends_on_the_order_is_called_a_fault() -> None:
    class Fickle(GraphSubject):
        def rebuilt(self, rebuild: Rebuild) -> SkillGraph:
            built = super().rebuilt(replace(rebuild, shuffle=None))
            return built if rebuild.shuffle is None else SkillGraph.of(built.ids, built.relations[1:])

    built = GraphSubject.built(CHAIN)
    section = run(Fickle(built.skills, built.graph), inputs())
    assert any("that is a fault" in warning for warning in section.warnings)


def test_relations_of_skills_that_were_left_out_are_not_held_against_the_rebuild() -> None:
    built = GraphSubject.built(CHAIN)
    (row,) = [row for row in run(built, inputs()).tables[0].rows if str(row[0]).startswith("10% of skills")]
    assert row[0] == "10% of skills left out (1)"
    assert row[4] == 1.0


def test_the_sweep_keeps_what_reaches_the_floor_and_judges_it() -> None:
    weak, strong = (
        relation("a", "precedes", "b", confidence=0.6),
        relation("c", "precedes", "d", confidence=0.9),
    )
    order = tuple(
        OrderEdge(SkillId(f"test/{a}"), SkillId(f"test/{b}"), "next", a) for a, b in (("a", "b"), ("d", "c"))
    )
    section = run(subject_of("a b c d", weak, strong), inputs(order=order))
    table = table_of(section, "Typed relations by least")
    low, high = cells(table, "0.60"), cells(table, "0.85")
    assert (low["relations"], high["relations"]) == (2, 1)
    assert (value(low["right"]), value(low["reversed"])) == (0.5, 0.5)
    assert (value(high["right"]), value(high["reversed"])) == (0.0, 0.5)
    assert section.plots[0].series[0].y[0] == 2.0


def test_what_makes_the_figures_doubtful_is_told() -> None:
    llm = replace(relation("a", "requires", "b"), provenance=Provenance.LLM)
    section = run(subject_of("a b", llm, encoder=None, graph_told="out of date"), inputs())
    told = " / ".join(section.warnings)
    assert "out of date" in told
    assert "1 relations of the stored graph are a model's" in told
    assert "two empty graphs agree without meaning" in told
    assert "similar_k changes nothing" in told


def test_a_library_without_skills_is_stable() -> None:
    section = run(subject_of("", encoder=None), inputs())
    assert cells(section.tables[0], "skills in another order")["Jaccard, typed and directed"] == 1.0

"""A build is a function of the skills: of nothing else, and of all of them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillquiver.errors import UsageError
from skillquiver.graph import build as build_module
from skillquiver.graph.build import build_graph, builtin_sources, chosen_sources
from skillquiver.graph.facts import SkillFacts
from skillquiver.graph.neighbors import PluginSource
from skillquiver.graph.relations import RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.sources import SOURCE_GROUP
from skillquiver.settings import GraphSettings
from skillquiver.skills.records import Skill
from skillquiver.testing import HashEncoder
from tests.graph.helpers import edges, skill_at

NAMES = ("alpha-tool", "beta-tool", "gamma-tool", "delta-tool")
SENTENCES = (
    "Run `{}` first.",
    "Then use `{}`.",
    "For large data use `{}` instead.",
    "Hand off to the {} skill.",
    "Read the plan created by `{}`.",
    "## Prerequisites\n\n- [{0}](../{0}/SKILL.md)\n",
    "Writes `delta.csv` for others.",
    "Reads `delta.csv` of the day.",
)


@st.composite
def libraries(draw: st.DrawFn) -> dict[str, Skill]:
    """A few skills in two folders that say things about each other."""
    library = {}
    for folder in draw(st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=2, unique=True)):
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True)):
            skill = skill_at(f"{folder}/{name}", draw(bodies()), description=f"Does {name} in {folder}")
            library[skill.id] = skill
    return library


@st.composite
def bodies(draw: st.DrawFn) -> str:
    said = draw(st.lists(st.tuples(st.sampled_from(SENTENCES), st.sampled_from(NAMES)), max_size=3))
    return "\n\n".join(sentence.format(name) for sentence, name in said)


@given(libraries(), libraries())
@settings(max_examples=60, deadline=None)
def test_after_any_edit_move_or_delete_the_graph_equals_a_fresh_build(
    before: dict[str, Skill], after: dict[str, Skill]
) -> None:
    known = build_graph(list(before.values())).facts
    again = build_graph(list(after.values()), known=known)
    fresh = build_graph(list(after.values()))
    assert again.graph.to_bytes() == fresh.graph.to_bytes()
    assert again.findings == fresh.findings


@given(libraries(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_skills_does_not_matter(library: dict[str, Skill], dice: random.Random) -> None:
    skills = list(library.values())
    first = build_graph(skills)
    dice.shuffle(skills)
    assert build_graph(skills).graph.to_bytes() == first.graph.to_bytes()


def test_facts_of_unchanged_skills_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    skills = [skill_at("a/one-tool", "Run `two-tool` first."), skill_at("a/two-tool")]
    known = build_graph(skills).facts
    read: list[str] = []

    def reading(skill: Skill) -> SkillFacts:
        read.append(skill.id)
        return known[skill.content_hash]

    monkeypatch.setattr("skillquiver.graph.sources.read_facts", reading)
    edited = skill_at("a/two-tool", "Changed.")
    known_here = dict(known) | {edited.content_hash: known[skills[1].content_hash]}
    build_graph([skills[0], edited], known=known_here)
    assert read == []


def test_both_hashes_of_an_edge_are_those_of_its_skills() -> None:
    skills = [skill_at("a/one-tool", "Run `two-tool` first."), skill_at("a/two-tool")]
    (edge,) = build_graph(skills).graph.relations
    assert (edge.source_hash, edge.target_hash) == (skills[0].content_hash, skills[1].content_hash)


def test_an_empty_library_has_an_empty_graph() -> None:
    build = build_graph([])
    assert (build.graph, build.findings) == (SkillGraph((), ()), ())


def test_vectors_add_similar_to_without_their_scores() -> None:
    skills = [
        skill_at(f"a/s{i}", description=text) for i, text in enumerate(["red fox", "red fox", "blue sea"])
    ]
    vectors = HashEncoder().encode([s.description for s in skills])
    build = build_graph(skills, vectors=vectors, settings=GraphSettings(sources=("similar",)))
    (edge,) = build.graph.relations
    assert (edge.source, edge.type, edge.target, edge.confidence) == (
        "lib/a/s0",
        "similar_to",
        "lib/a/s1",
        0.5,
    )


def test_similar_pairs_are_the_first_k_and_not_below_the_floor() -> None:
    angles = np.array([0.0, 0.1, 0.3, 0.6, 3.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    skills = [skill_at(f"a/s{i}", description=f"word{i}") for i in range(5)]
    chosen = GraphSettings(similar_k=1, sources=("similar",))
    assert edges(*skills, vectors=vectors, settings=chosen) == [
        "a/s0 similar_to a/s1",
        "a/s1 similar_to a/s2",
        "a/s2 similar_to a/s3",
    ]


def test_copies_under_one_name_are_alternatives_and_namesakes_of_another_trade_are_not() -> None:
    fox = "Counts red foxes in the northern forest"
    skills = [
        skill_at("one/counter", description=fox),
        skill_at("two/counter", description=fox + " by night"),
        skill_at("three/counter", description="Sums invoices per month"),
    ]
    assert edges(*skills) == ["one/counter alternative_to two/counter"]


def test_settings_choose_the_sources_and_unknown_names_are_refused() -> None:
    assert [s.name for s in chosen_sources(GraphSettings(sources=("declared",)))] == ["declared"]
    with pytest.raises(UsageError, match="no candidate source 'ghost'"):
        chosen_sources(GraphSettings(sources=("ghost",)))


def test_a_source_of_another_package_joins_through_the_entry_point_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class OtherSource(PluginSource):
        name = "other"

    class Entry:
        name = "plugin"  # shares the name of a built-in source, which wins
        load = staticmethod(lambda: None)

    class Other:
        name = "other"

        @staticmethod
        def load() -> type:
            return OtherSource

    registered = {SOURCE_GROUP: [Entry(), Other()]}
    monkeypatch.setattr(build_module, "entry_points", lambda group: registered[group])
    assert [s.name for s in chosen_sources()] == [*(s.name for s in builtin_sources()), "other"]


def test_the_graph_reads_its_own_bytes_and_refuses_others() -> None:
    graph = build_graph([skill_at("a/one-tool", "Run `two-tool` first."), skill_at("a/two-tool")]).graph
    assert SkillGraph.from_bytes(graph.to_bytes()) == graph
    with pytest.raises(ValueError, match="not a stored skill graph"):
        SkillGraph.from_bytes(b"nonsense")


def test_neighbors_follow_the_text_or_time() -> None:
    skills = [
        skill_at("a/one-tool", "Run `two-tool` first. Then use `three-tool`. Works well with `four-tool`."),
        *(skill_at(f"a/{n}-tool") for n in ("two", "three", "four")),
    ]
    graph = build_graph(skills).graph

    def names(**options: object) -> list[str]:
        return [other.rsplit("/", 1)[-1] for other, _ in graph.neighbors("lib/a/one-tool", **options)]  # type: ignore[arg-type]

    assert names(direction="upstream") == ["two-tool"]
    assert names(direction="downstream") == ["three-tool"]
    assert names(types={RelationType.COMPLEMENTS}) == ["four-tool"]
    assert names(direction="in") == ["four-tool"]
    assert names(direction="out") == ["three-tool", "two-tool", "four-tool"]


def test_adjacency_has_both_directions_of_a_symmetric_type_and_one_of_a_directed_one() -> None:
    skills = [
        skill_at("a/one-tool", "Run `two-tool` first. Works well with `three-tool`."),
        skill_at("a/three-tool"),
        skill_at("a/two-tool"),
    ]
    graph = build_graph(skills).graph  # ids in order: one, three, two
    requires = graph.adjacency(RelationType.REQUIRES)
    assert (requires.starts.tolist(), requires.targets.tolist()) == ([0, 1, 1, 1], [2])
    reverse = graph.adjacency(RelationType.REQUIRES, reverse=True)
    assert (reverse.starts.tolist(), reverse.targets.tolist()) == ([0, 0, 0, 1], [0])
    complements = graph.adjacency(RelationType.COMPLEMENTS)
    assert (complements.starts.tolist(), complements.targets.tolist()) == ([0, 1, 2, 2], [1, 0])

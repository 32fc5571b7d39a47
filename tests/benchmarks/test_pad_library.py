"""Padded libraries: sizes, copies, and that they open like any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.pad_library import NOISE, Plan, copy_id, pad

from skillquiver.index.dense import DenseIndex
from skillquiver.index.store import Store
from skillquiver.serve.usecases.graphs import build_library_graph, load_graph
from skillquiver.types import SkillId
from tests.libraries import found, index, put, rank

LONG = "word " * 40


@pytest.fixture
def source(tmp_path: Path) -> Path:
    put(tmp_path / "skills", "alpha", f"Folds paper. {LONG}", f"Run the beta skill first. {LONG}")
    put(tmp_path / "skills", "beta", "Cuts paper.", "Scissors and a steady hand.")
    put(tmp_path / "skills", "gamma", "Sails boats.", "Wind and water.")
    index(tmp_path / "library", tmp_path / "skills")
    return tmp_path / "library"


def test_copies_are_spread_evenly_over_the_originals_in_order() -> None:
    assert Plan.of([10, 20, 30], 8, seed=0).originals == {10: 2, 20: 2, 30: 1}
    assert Plan.of([10, 20, 30], 3, seed=0).originals == {10: 0, 20: 0, 30: 0}


def test_fewer_skills_are_a_sample_without_copies() -> None:
    drawn = Plan.of(range(100), 7, seed=0).originals
    assert len(drawn) == 7
    assert set(drawn.values()) == {0}


def test_a_padded_library_is_searched_by_words_and_vectors(source: Path, tmp_path: Path) -> None:
    pad(source, tmp_path / "padded", skills=8)
    with Store.opened(tmp_path / "padded") as store:
        assert store.count() == 8
        copies = {f"skills/{name}{end}" for name in ("alpha", "beta") for end in ("", "-pad-1", "-pad-2")}
        assert set(store.all_ids()) == {*copies, "skills/gamma", "skills/gamma-pad-1"}
    ranking = rank(tmp_path / "padded", "sail a boat")
    assert ranking.results[0].id.startswith("skills/gamma")
    assert ranking.degraded == ""
    assert ranking.results[0].evidence.cosine is not None


def test_the_vector_of_a_copy_is_a_unit_vector_near_the_original(source: Path, tmp_path: Path) -> None:
    pad(source, tmp_path / "padded", skills=300)
    dense = DenseIndex.open(tmp_path / "padded" / "dense")
    assert dense is not None
    with Store.opened(tmp_path / "padded") as store:
        named = [skill.id for _, skill in sorted(store.all_skills(body=False))]
    first = dense.matrix[named.index(SkillId("skills/gamma"))]
    near = [i for i, name in enumerate(named) if name.startswith("skills/gamma-pad-")]
    assert np.linalg.norm(dense.matrix, axis=1) == pytest.approx(np.ones(300), abs=1e-5)
    assert np.median(dense.matrix[near] @ first) == pytest.approx(1 / np.sqrt(1 + NOISE**2), abs=0.05)


def test_a_copy_differs_from_its_original_in_words_and_hash(source: Path, tmp_path: Path) -> None:
    pad(source, tmp_path / "padded", skills=6)
    with Store.opened(tmp_path / "padded") as store:
        skills = {skill.id: skill for _, skill in store.all_skills()}
    one, other = skills[SkillId("skills/alpha")], skills[SkillId("skills/alpha-pad-1")]
    assert other.name == "alpha-pad-1"
    assert other.body != one.body
    assert len(other.body.split(" ")) == len(one.body.split(" "))
    assert len({skill.content_hash for skill in skills.values()}) == 6


def test_relations_are_copied_between_copies_of_one_number(source: Path, tmp_path: Path) -> None:
    build_library_graph(source)
    with Store.opened(source) as store:
        before = load_graph(store)[0].relations
    assert before
    assert pad(source, tmp_path / "padded", skills=9) == 3 * len(before)
    with Store.opened(tmp_path / "padded") as store:
        graph, stale = load_graph(store)
        hashes = {light.id: light.content_hash for light in store.lights().values()}
    assert stale == ""
    relation = before[0]
    ends = {(r.source, r.target) for r in graph.relations}
    assert (copy_id(relation.source, 2), copy_id(relation.target, 2)) in ends
    assert all(r.source_hash == hashes[r.source] for r in graph.relations)


def test_a_library_without_vectors_or_graph_is_padded_without_them(source: Path, tmp_path: Path) -> None:
    index(tmp_path / "bare", tmp_path / "skills", vectors=False)
    assert pad(tmp_path / "bare", tmp_path / "padded", skills=5) == 0
    assert DenseIndex.open(tmp_path / "padded" / "dense") is None
    assert found(rank(tmp_path / "padded", "sail a boat", lexical=True))[0] == "skills/gamma"


def test_the_same_seed_gives_the_same_texts(source: Path, tmp_path: Path) -> None:
    bodies = []
    for name in ("one", "two"):
        pad(source, tmp_path / name, skills=7, seed=3)
        with Store.opened(tmp_path / name) as store:
            bodies.append([skill.body for _, skill in store.all_skills()])
    assert bodies[0] == bodies[1]

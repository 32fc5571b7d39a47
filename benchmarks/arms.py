"""The four arms compared: same seeds, same size, same token budget; each minus ``flat``, by task.

python -m benchmarks.arms LIBRARY QUERIES.jsonl [--equivalents FILE] [--budget 8000] [--top-k 8]
                          [--through top-k|bundle] [--gold-edges 0.25]

A gold skill is *available* if it, or one that does as well, is in the library; tasks without one are left
out. Recall, completeness (all available gold present) and co-recovery (share of the gold pairs of a task of
which both are present; tasks with two or more) count skills of the answer, whatever their tier. Intervals:
percentile bootstrap over tasks, 10,000 draws, fixed seed. ``--through top-k`` takes the first of the
expansion whose cards fit the budget; ``--through bundle`` packs. ``--gold-edges`` tells the graph that share
of the gold pairs, drawn at random: no result, but what the arms would make of a graph that knew them.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from skillquiver.graph.relations import Provenance, Relation, RelationType, pair_of
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.expand import expand, seeds_of
from skillquiver.retrieve.ranking import Ranking
from skillquiver.serve.usecases.bundling import BUNDLE_POOL
from skillquiver.serve.usecases.graphs import load_graph
from skillquiver.serve.usecases.library import Library, open_library
from skillquiver.serve.usecases.searching import bundle
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

DRAWS, SEED = 10_000, 0
TOLD = {"precedes_up": 0.4, "precedes_down": 0.4}
"""Weights of ``--gold-edges``: as ``feeds_into`` upwards, either way, since the pairs have no direction."""
MEASURES = ("recall", "completeness", "precision", "co-recovery", "skills", "tokens", "ms")


@dataclass(frozen=True, slots=True)
class Task:
    """A query and, for each available gold skill, the ids in the library that count as it."""

    query_id: str
    query: str
    gold: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm gives for a task; ``ms`` is all of it, ranking included."""

    ids: tuple[str, ...]
    tokens: int
    ms: float


Retriever = Callable[[Task, Arm], Answer]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--budget", type=int, default=8000)
    parser.add_argument("--top-k", type=int, default=8)
    parser.add_argument("--through", choices=("top-k", "bundle"), default="top-k")
    parser.add_argument("--gold-edges", type=float, default=0.0)
    given = parser.parse_args()
    if given.gold_edges and given.through == "bundle":
        parser.error("--gold-edges goes with --through top-k: a bundle uses the stored graph")
    same = json.loads(given.equivalents.read_text(encoding="utf-8")) if given.equivalents else {}
    with open_library(given.library) as library:
        tasks = read_tasks(given.queries, library.store.all_ids(), same)
        if given.through == "bundle":
            retrieve = by_bundle(library, given.budget, given.top_k)
        else:
            graph, settings = load_graph(library.store)[0], DiffuseSettings()
            if given.gold_edges:
                graph, settings = told(graph, tasks, given.gold_edges), replace(settings, **TOLD)
            retrieve = by_expansion(library, graph, settings, (given.budget, given.top_k))
        retrieve(tasks[0], Arm.REVERSE)  # the encoder warms up
        rows = {arm: [scores(task, retrieve(task, arm)) for task in tasks] for arm in Arm}
    print(f"{len(tasks)} tasks with available gold, {sum(len(t.gold) for t in tasks)} gold skills")
    print("| arm | " + " | ".join(MEASURES) + " |\n" + "| --- " * (len(MEASURES) + 1) + "|")
    for arm, table in rows.items():
        print(f"| {arm} | " + " | ".join(_mean(table, name) for name in MEASURES) + " |")
    for arm in list(Arm)[1:]:
        cells = [_difference(rows[arm], rows[Arm.FLAT], name) for name in MEASURES[:4]]
        print(f"| {arm} - flat | " + " | ".join(cells) + " | | | |")


# --- tasks and scores --------------------------------------------------------------------------------


def read_tasks(file: Path, ids: Iterable[str], same: Mapping[str, Sequence[str]]) -> list[Task]:
    """Read a query file; a gold id means the ids that end in it."""
    held = set(ids)
    tasks = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted = [[gold, *same.get(gold, ())] for gold in row["gold"]]
        groups = [frozenset(match for name in names for match in _ids_of(name, held)) for names in wanted]
        gold = tuple(group for group in groups if group)
        if gold:
            tasks.append(Task(row["query_id"], row["query"], gold))
    return tasks


def _ids_of(name: str, held: Collection[str]) -> list[str]:
    """Ids that end in ``name``; in a library of one corpus its root may stand for the first part."""
    labels = sorted({skill_id.partition("/")[0] for skill_id in held})
    whole = [found for found in (name, *(f"{label}/{name}" for label in labels)) if found in held]
    rest = name.partition("/")[2]
    return whole or [found for found in (f"{label}/{rest}" for label in labels) if found in held]


def scores(task: Task, answer: Answer) -> dict[str, float]:
    """Every measure of one answer; NaN where the task has no pair."""
    here = set(answer.ids)
    present = [bool(group & here) for group in task.gold]
    pairs = [a and b for a, b in combinations(present, 2)]
    right = sum(any(skill_id in group for group in task.gold) for skill_id in answer.ids)
    return {
        "recall": sum(present) / len(present),
        "completeness": float(all(present)),
        "precision": right / len(answer.ids) if answer.ids else 0.0,
        "co-recovery": sum(pairs) / len(pairs) if pairs else math.nan,
        "skills": float(len(answer.ids)),
        "tokens": float(answer.tokens),
        "ms": answer.ms,
    }


def _mean(table: Sequence[Mapping[str, float]], name: str) -> str:
    values = [row[name] for row in table if not math.isnan(row[name])]
    if name == "ms":
        return f"{statistics.median(values):.0f}"
    return f"{statistics.fmean(values):.{3 if name in MEASURES[:4] else 1}f}" if values else "-"


def _difference(arm: Sequence[Mapping[str, float]], flat: Sequence[Mapping[str, float]], name: str) -> str:
    """Mean difference over tasks with its 95 % interval, and tasks won and lost."""
    gaps = np.array([a[name] - b[name] for a, b in zip(arm, flat, strict=True)])
    gaps = gaps[~np.isnan(gaps)]
    if not len(gaps):
        return "-"
    drawn = np.random.default_rng(SEED).integers(0, len(gaps), size=(DRAWS, len(gaps)))
    low, high = np.percentile(gaps[drawn].mean(axis=1), [2.5, 97.5])
    return f"{gaps.mean():+.3f} [{low:+.3f}, {high:+.3f}] {(gaps > 0).sum()}:{(gaps < 0).sum()}"


# --- two ways to an answer ---------------------------------------------------------------------------


def by_bundle(library: Library, budget: int, top_k: int) -> Retriever:
    """The whole product: rank, expand, pack."""

    def retrieve(task: Task, arm: Arm) -> Answer:
        started = time.perf_counter()
        packed, _ = bundle(library, task.query, budget=budget, max_skills=top_k, arm=arm)
        ms = (time.perf_counter() - started) * 1000
        return Answer(tuple(entry.id for entry in packed.entries), packed.tokens, ms)

    return retrieve


def by_expansion(
    library: Library, graph: SkillGraph, settings: DiffuseSettings, limits: tuple[int, int]
) -> Retriever:
    """The first of the expansion whose cards fit; ``limits`` are tokens and skills."""
    budget, top_k = limits
    cards = {skill.id: skill.tokens.card for _, skill in library.store.all_skills()}
    ranked: dict[str, tuple[Ranking, float]] = {}

    def retrieve(task: Task, arm: Arm) -> Answer:
        if task.query_id not in ranked:
            started = time.perf_counter()
            ranking = library.ranker.rank(task.query, top_k=BUNDLE_POOL)
            ranked[task.query_id] = ranking, time.perf_counter() - started
        ranking, seconds = ranked[task.query_id]
        started = time.perf_counter()
        around = near(graph, seeds_of(ranking, settings), settings)
        expansion = expand(ranking, around, arm=arm, settings=settings)
        ids, spent = [], 0
        for one in expansion.skills[:top_k]:
            if spent + cards[one.id] <= budget:
                ids.append(one.id)
                spent += cards[one.id]
        return Answer(tuple(ids), spent, (seconds + time.perf_counter() - started) * 1000)

    return retrieve


def near(graph: SkillGraph, seeds: Iterable[str], settings: DiffuseSettings) -> SkillGraph:
    """The part of ``graph`` within ``hops`` of the seeds, nearest first, at most ``max_nodes``."""
    kept = dict.fromkeys(seed for seed in seeds if seed in graph.position)
    edge = list(kept)
    for _ in range(settings.hops):
        edge = list(dict.fromkeys(other for node in edge for other, _ in graph.neighbors(node)))
        edge = [other for other in edge if other not in kept][: max(0, settings.max_nodes - len(kept))]
        kept.update(dict.fromkeys(edge))
    relations = {r for node in kept for r in graph.of_skill(node) if r.source in kept and r.target in kept}
    return SkillGraph.of(kept, relations)


def told(graph: SkillGraph, tasks: Sequence[Task], share: float) -> SkillGraph:
    """``graph`` with that share of the gold pairs as relations."""
    draw = random.Random(SEED)
    pairs = sorted(
        {pair_of(min(a), min(b)) for task in tasks for a, b in combinations(task.gold, 2) if min(a) != min(b)}
    )
    have = {relation.pair for relation in graph.relations if relation.type is not RelationType.SIMILAR_TO}
    extra = [
        Relation(
            source=SkillId(a),
            target=SkillId(b),
            type=RelationType.PRECEDES,
            provenance=Provenance.LEARNED,
            confidence=0.8,
        )
        for a, b in pairs
        if draw.random() < share and (a, b) not in have
    ]
    return SkillGraph.of(graph.ids, [*graph.relations, *extra])


if __name__ == "__main__":
    main()

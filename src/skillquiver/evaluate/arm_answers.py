"""What each arm of the graph answers to a task, and how good the answer is."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.subject import RANKERS, Subject
from skillquiver.graph.relations import RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.expand import FLOWING, expand, seeds_of
from skillquiver.retrieve.ranking import Ranking
from skillquiver.settings import DiffuseSettings, EvalSettings
from skillquiver.types import SkillId

__all__ = [
    "COMPARED",
    "POOL",
    "WAYS",
    "Answer",
    "Retrieved",
    "Values",
    "measured",
    "near",
    "retrieve",
    "scores_of",
]

POOL = 30
"""Ranks that an expansion starts from: as many as compete for a bundle of the product."""

WAYS: Mapping[str, str] = {
    "expansion": "first skills of the expansion whose cards fit the budget",
    "bundle": "skills of the product's bundle",
}
"""How an arm's answer is read off: before packing, and after it."""

COMPARED = ("available recall", "full recall", "completeness", "precision", "co-recovery")
"""Measures that arms are compared by."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm gives: ids, the tokens they take, and the time from the query on."""

    ids: tuple[SkillId, ...]
    tokens: int
    seconds: float


@dataclass(frozen=True)
class Retrieved:
    """Answers of every way and arm to one task, and the ids of the ranking that they started from."""

    task: Task
    ranked: tuple[SkillId, ...]
    answers: Mapping[tuple[str, Arm], Answer]


Values = Mapping[str, Mapping[str, float]]
"""Measure → query id → value."""


def retrieve(
    subject: Subject,
    task: Task,
    graph: SkillGraph,
    settings: EvalSettings,
    *,
    diffuse: DiffuseSettings | None = None,
) -> Retrieved:
    """Rank once, then answer by every way and arm; only expansions use ``graph``, bundles the stored one."""
    started = time.perf_counter()
    ranking = subject.rank(task.query, top_k=POOL, settings=RANKERS[settings.ranker])
    ranked_in = time.perf_counter() - started
    answers: dict[tuple[str, Arm], Answer] = {}
    for arm in Arm:
        started = time.perf_counter()
        ids, tokens = _expanded(subject, ranking, graph, arm, (settings, diffuse or DiffuseSettings()))
        answers["expansion", arm] = Answer(ids, tokens, ranked_in + time.perf_counter() - started)
        started = time.perf_counter()
        bundle = subject.bundle(
            task.query, arm=arm, budget=settings.budget, max_skills=settings.top_k, ranking=ranking
        )
        took = ranked_in + time.perf_counter() - started
        answers["bundle", arm] = Answer(tuple(entry.id for entry in bundle.entries), bundle.tokens, took)
    return Retrieved(task, tuple(result.id for result in ranking.results), answers)


def _expanded(
    subject: Subject,
    ranking: Ranking,
    graph: SkillGraph,
    arm: Arm,
    limits: tuple[EvalSettings, DiffuseSettings],
) -> tuple[tuple[SkillId, ...], int]:
    """Ids and tokens of the first skills of the expansion whose cards fit the budget, at most ``top_k``."""
    settings, diffuse = limits
    around = near(graph, seeds_of(ranking, diffuse), diffuse)
    ids: list[SkillId] = []
    spent = 0
    for one in expand(ranking, around, arm=arm, settings=diffuse).skills:
        if len(ids) == settings.top_k:
            break
        skill = subject.skills.get(one.id)  # a graph may be older than the library
        if skill is not None and spent + skill.tokens.card <= settings.budget:
            ids.append(one.id)
            spent += skill.tokens.card
    return tuple(ids), spent


def near(
    graph: SkillGraph,
    seeds: Iterable[SkillId],
    settings: DiffuseSettings,
    types: Collection[RelationType] = FLOWING,
) -> SkillGraph:
    """The part of ``graph`` within ``hops`` of the seeds along relations of ``types``, at most ``max_nodes``.

    Where the last step does not fit, skills of the most trusted, then surest relations are taken, as
    `graph.neighbourhood` does from the store.
    """
    kept = dict.fromkeys(seed for seed in seeds if seed in graph.position)
    edge = list(kept)
    for _ in range(settings.hops):
        strength: dict[SkillId, tuple[int, float]] = {}
        for node in edge:
            for other, relation in graph.neighbors(node, types):
                this = (relation.provenance.trust, relation.confidence)
                if other not in kept:
                    strength[other] = max(strength.get(other, this), this)
        order = sorted(strength, key=lambda node: (-strength[node][0], -strength[node][1], node))
        edge = order[: max(0, settings.max_nodes - len(kept))]
        kept.update(dict.fromkeys(edge))
    relations = {
        relation
        for node in kept
        for relation in graph.of_skill(node)
        if relation.source in kept and relation.target in kept and relation.type in types
    }
    return SkillGraph.of(kept, relations)


# --- measures ----------------------------------------------------------------------------------------


def measured(queries: QuerySet, found: Sequence[Retrieved], way: str, arm: Arm) -> Values:
    """Every measure of one arm; a task that has no pair of gold skills has no co-recovery."""
    values: dict[str, dict[str, float]] = {name: {} for name in (*COMPARED, "skills", "tokens", "ms")}
    for one in found:
        for name, value in scores_of(one.task, one.answers[way, arm]).items():
            values[name][one.task.query_id] = value
    for task in queries.tasks:
        if task.missing and not task.gold:
            values["full recall"][task.query_id] = 0.0
    return values


def scores_of(task: Task, answer: Answer) -> Mapping[str, float]:
    """Every measure of one answer to a task with held gold."""
    here = set(answer.ids)
    present = [bool(group & here) for group in task.gold]
    right = sum(any(skill_id in group for group in task.gold) for skill_id in answer.ids)
    scores = {
        "available recall": sum(present) / len(present),
        "full recall": sum(present) / task.wanted,
        "completeness": float(all(present)),
        "precision": right / len(answer.ids) if answer.ids else 0.0,
        "skills": float(len(answer.ids)),
        "tokens": float(answer.tokens),
        "ms": answer.seconds * 1000,
    }
    pairs = [a and b for a, b in combinations(present, 2)]
    return {**scores, "co-recovery": sum(pairs) / len(pairs)} if pairs else scores

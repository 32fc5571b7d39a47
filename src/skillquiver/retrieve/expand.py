"""From a ranking to what the task needs besides: matched skills, and those the graph leads to from them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.relations import RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.bundle import Role
from skillquiver.retrieve.diffuse import Arm, Move, Way, diffuse, moves_of, transitions_of
from skillquiver.retrieve.ranking import Ranked, Ranking
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

__all__ = ["Expanded", "Expansion", "expand", "seeds_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """One skill of an expansion.

    ``score`` orders the expansion, best first, and lies in [0, 1]. ``confidence`` is the probability that
    the skill is needed: the ranker's, or that of the strongest path, or both together. ``path`` is how
    relevance reached it from a matched skill, strongest chain; empty for a skill that only the ranker found.
    """

    id: SkillId
    score: float
    confidence: float
    role: Role
    path: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """Matched and reached skills, best first, ties by id. ``seeds`` are the matches it started from."""

    arm: Arm
    seeds: tuple[SkillId, ...]
    skills: tuple[Expanded, ...]


def seeds_of(ranking: Ranking, settings: DiffuseSettings) -> Mapping[SkillId, float]:
    """The matches that diffusion starts from, best first, with their confidences.

    Those at least ``min_seed`` and within ``seed_ratio`` of the best one, at most ``max_seeds``.
    """
    best = max((result.confidence for result in ranking.results), default=0.0)
    floor = max(settings.min_seed, settings.seed_ratio * best)
    strong = [result for result in ranking.results if result.confidence >= floor]
    return {result.id: result.confidence for result in strong[: settings.max_seeds]}


def expand(ranking: Ranking, graph: SkillGraph, *, arm: Arm, settings: DiffuseSettings) -> Expansion:
    """Add to a ranking the skills that the relations of ``graph`` lead to from its best ones.

    ``graph`` is the neighbourhood of the seeds; skills that nothing joins to a seed change nothing. With c
    the confidences, S their sum over the seeds and p the diffusion, a skill receives

        x = S · ((p - its restart and returned mass)), the confidence that flows into it along relations.

    A matched skill scores 1 - (1 - level)·(1 - x), where levels are the confidences made to fall with the
    rank: without a graph the order is the ranking's, with one a match can only rise. A skill that only the
    graph found scores min(x, confidence), so it stays behind the match that led to it and behind every
    match more confident than its path. Its confidence is the product along the strongest path: the seed's
    confidence, then type weight times confidence of each relation.
    """
    seeds = seeds_of(ranking, settings)
    moves = moves_of(graph, arm, settings) if seeds else ()
    inflow = _inflow(seeds, moves, arm, settings)
    paths = _strongest_paths(seeds, moves, hops=1 if arm is Arm.ONE_HOP else settings.hops)
    levels = _levels(ranking.results)
    found = [
        _matched(result, levels[result.id], inflow.get(result.id, 0.0), paths, seed=result.id in seeds)
        for result in ranking.results
    ]
    floor = settings.min_reach * max(seeds.values(), default=0.0)
    found += [
        _reached(skill_id, path, inflow.get(skill_id, 0.0))
        for skill_id, path in paths.items()
        if skill_id not in levels and path.confidence >= floor
    ]
    ordered = sorted(found, key=lambda one: (-one.score, one.id))
    return Expansion(arm=arm, seeds=tuple(seeds), skills=tuple(ordered))


@dataclass(frozen=True, slots=True)
class _Path:
    confidence: float
    moves: tuple[Move, ...]


def _matched(
    result: Ranked, level: float, inflow: float, paths: Mapping[SkillId, _Path], *, seed: bool
) -> Expanded:
    path = paths.get(result.id)
    lift = 0.0 if path is None else min(inflow, path.confidence)
    likely = result.confidence if path is None else _either(result.confidence, path.confidence)
    by_graph = path is not None and not seed and path.confidence > result.confidence
    return Expanded(
        id=result.id,
        score=_either(level, lift),
        confidence=likely,
        role=_role(path.moves) if by_graph and path else Role.MATCH,
        path=path.moves if path else (),
    )


def _reached(skill_id: SkillId, path: _Path, inflow: float) -> Expanded:
    return Expanded(
        id=skill_id,
        score=min(inflow, path.confidence),
        confidence=path.confidence,
        role=_role(path.moves),
        path=path.moves,
    )


def _either(a: float, b: float) -> float:
    """Probability of either of two independent events."""
    return a + (1.0 - a) * b


def _levels(results: Sequence[Ranked]) -> Mapping[SkillId, float]:
    """Confidences that strictly fall with the rank: each at least every later one, and a bit."""
    levels: dict[SkillId, float] = {}
    below = 0.0
    for result in reversed(results):
        below = max(result.confidence, math.nextafter(below, 1.0))
        levels[result.id] = below
    return levels


def _inflow(
    seeds: Mapping[SkillId, float], moves: Sequence[Move], arm: Arm, settings: DiffuseSettings
) -> Mapping[SkillId, float]:
    """Confidence that flows into each skill along relations; empty where nothing flows."""
    if not moves:
        return {}
    import numpy as np

    ids = sorted({*seeds, *(m.origin for m in moves), *(m.goal for m in moves)})
    transitions = transitions_of(ids, moves)
    given = np.array([seeds.get(skill_id, 0.0) for skill_id in ids], dtype=np.float64)
    total = math.fsum(seeds.values())
    steps = {Arm.ONE_HOP: 0}.get(arm, settings.max_iter)
    p = diffuse(
        transitions,
        given,
        restart_prob=settings.restart_prob,
        tolerance=settings.tolerance,
        max_iter=steps,
    )
    carried = p[transitions.origins] * transitions.weights
    flow = (1 - settings.restart_prob) * np.bincount(transitions.goals, weights=carried, minlength=len(ids))
    return {skill_id: float(total * x) for skill_id, x in zip(ids, flow, strict=True) if x > 0}


def _strongest_paths(
    seeds: Mapping[SkillId, float], moves: Sequence[Move], *, hops: int
) -> Mapping[SkillId, _Path]:
    """The likeliest chain of at most ``hops`` moves into each skill, from another skill that is a seed.

    Every hop extends each best chain of the hop before, so equal chains are decided by length, then ids.
    """
    leaving: dict[SkillId, list[Move]] = defaultdict(list)
    for move in moves:
        leaving[move.origin].append(move)
    best: dict[SkillId, _Path] = {}
    edge = {skill_id: _Path(confidence, ()) for skill_id, confidence in seeds.items()}
    for _ in range(hops):
        grown: dict[SkillId, _Path] = {}
        for skill_id in sorted(edge):
            for move in leaving[skill_id]:
                _extend(grown, best, edge[skill_id], move)
        best.update(grown)
        edge = grown
    return best


def _extend(grown: dict[SkillId, _Path], best: Mapping[SkillId, _Path], path: _Path, move: Move) -> None:
    """Keep ``path`` plus ``move`` if it is the likeliest chain to its goal, and no circle."""
    likely = path.confidence * move.weight
    visited = {step.origin for step in path.moves}
    known = max((held[move.goal].confidence for held in (grown, best) if move.goal in held), default=0.0)
    if move.goal not in visited and likely > known:
        grown[move.goal] = _Path(likely, (*path.moves, move))


_SAME_JOB = {
    RelationType.SIMILAR_TO,
    RelationType.ALTERNATIVE_TO,
    RelationType.SPECIALIZES,
    RelationType.SUPERSEDES,
}
"""Relations to skills that do the same kind of job: what they lead to is a match, found otherwise."""


def _role(path: Sequence[Move]) -> Role:
    """What the last move makes of a skill: it stands nearest to it."""
    last = path[-1]
    if last.type in _SAME_JOB:
        return Role.MATCH
    if last.type is RelationType.VERIFIES and last.way is Way.DOWN:
        return Role.VERIFIER
    return Role.PREREQUISITE if last.way is Way.UP else Role.FOLLOW_UP

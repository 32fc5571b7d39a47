"""From a ranking to what the task needs besides: matched skills, and those the graph leads to from them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.relations import RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.bundle import Role
from skillquiver.retrieve.diffuse import Arm, Move, Way, diffuse, in_order, moves_of, transitions_of
from skillquiver.retrieve.ranking import Ranked, Ranking
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

__all__ = ["FLOWING", "Expanded", "Expansion", "expand", "seeds_of"]

FLOWING = frozenset(RelationType) - {RelationType.SIMILAR_TO, RelationType.CONFLICTS_WITH}
"""Types that lead from a match to others. Embedding neighbours are left out: the ranker has seen them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """One skill of an expansion.

    ``score`` orders the expansion, best first, and lies in [0, 1]. ``confidence`` is the probability that
    the skill is needed: the ranker's for a seed, so that cuts measured by the best match stay where they
    are; for others the ranker's, that of the strongest path, or both together. ``path`` is how
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
    """Add to a ranking the skills that its best ones need, and lift those that relations agree with.

    ``graph`` is the neighbourhood of the seeds; skills that nothing joins to a seed change nothing. With p
    the diffusion, r its restart probability and S the sum of the seeds' confidences, skill j receives

        x(j) = (1 - r) · S · sum of p(i) · P(i, j) over relations of need, and t(j) over topical ones.

    A *match* has a level: its confidence, made to fall strictly with the rank. Its odds are multiplied by
    1 + ``topical_lift`` · t, and a need is one more way to be wanted: score = 1 - (1 - level')·(1 - x).
    So without a graph the order is the ranking's, and with one a match can only rise. What only relations
    found must be *needed*, for the ranker has judged the topic already: it scores min(x, confidence), and
    stays behind the match that led to it and behind every match more confident than its path. Its confidence
    is the product along the strongest path of needs: the seed's, then the weight of each move.
    """
    seeds = seeds_of(ranking, settings)
    moves = moves_of(graph, arm, settings) if seeds else ()
    reached = _Reached.of(seeds, moves, arm, settings)
    levels = _levels(ranking.results)
    found = [_matched(result, levels[result.id], reached, seeds, settings) for result in ranking.results]
    floor = settings.min_reach * max(seeds.values(), default=0.0)
    found += [
        Expanded(
            id=skill_id,
            score=min(reached.needs.get(skill_id, 0.0), path.confidence),
            confidence=path.confidence,
            role=_role(path.moves),
            path=path.moves,
        )
        for skill_id, path in reached.paths.items()
        if skill_id not in levels and path.confidence >= floor
    ]
    ordered = sorted(found, key=lambda one: (-one.score, one.id))
    return Expansion(arm=arm, seeds=tuple(seeds), skills=tuple(ordered))


_TOPICAL = {
    (RelationType.SIMILAR_TO, Way.ACROSS),
    (RelationType.ALTERNATIVE_TO, Way.ACROSS),
    (RelationType.COMPLEMENTS, Way.ACROSS),
    (RelationType.SPECIALIZES, Way.DOWN),
    (RelationType.REQUIRES, Way.DOWN),
    (RelationType.ROUTES_TO, Way.UP),
}
"""Moves to skills about the same matter, which the match does not need (decisions/0046)."""


def _is_need(move: Move) -> bool:
    return (move.type, move.way) not in _TOPICAL


@dataclass(frozen=True, slots=True)
class _Path:
    confidence: float
    moves: tuple[Move, ...]


_Flow = Mapping[SkillId, float]


@dataclass(frozen=True, slots=True)
class _Reached:
    """What flows into each skill along needs and topical moves, and the likeliest path of either kind."""

    needs: _Flow
    topics: _Flow
    paths: Mapping[SkillId, _Path]
    topical_paths: Mapping[SkillId, _Path]

    @classmethod
    def of(
        cls, seeds: Mapping[SkillId, float], moves: Sequence[Move], arm: Arm, settings: DiffuseSettings
    ) -> _Reached:
        needs, topics = _inflows(seeds, moves, arm, settings)
        hops = 1 if arm is Arm.ONE_HOP else settings.hops
        return cls(
            needs,
            topics,
            _strongest_paths(seeds, [m for m in moves if _is_need(m)], hops=hops),
            _strongest_paths(seeds, [m for m in moves if not _is_need(m)], hops=1),
        )


def _matched(
    result: Ranked,
    level: float,
    reached: _Reached,
    seeds: Mapping[SkillId, float],
    settings: DiffuseSettings,
) -> Expanded:
    path = reached.paths.get(result.id)
    lift = 1.0
    if result.id in reached.topical_paths:
        lift += settings.topical_lift * reached.topics.get(result.id, 0.0)
    likely, score = _raise(result.confidence, lift), _raise(level, lift)
    needed = path is not None and result.id not in seeds and path.confidence > result.confidence
    if path is not None:
        likely = _either(likely, path.confidence)
        score = _either(score, min(reached.needs.get(result.id, 0.0), path.confidence))
    shown = path or (reached.topical_paths.get(result.id) if lift > 1.0 else None)
    return Expanded(
        id=result.id,
        score=score,
        confidence=result.confidence if result.id in seeds else likely,
        role=_role(path.moves) if needed and path else Role.MATCH,
        path=shown.moves if shown else (),
    )


def _raise(probability: float, factor: float) -> float:
    """The probability whose odds are ``factor`` times those of ``probability``."""
    return factor * probability / (1.0 + (factor - 1.0) * probability)


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


def _inflows(
    seeds: Mapping[SkillId, float], moves: Sequence[Move], arm: Arm, settings: DiffuseSettings
) -> tuple[_Flow, _Flow]:
    """Confidence that flows into each skill along needs and along topical moves."""
    needs: dict[SkillId, float] = defaultdict(float)
    topics: dict[SkillId, float] = defaultdict(float)
    if not moves:
        return needs, topics
    import numpy as np

    ids = sorted({*seeds, *(m.origin for m in moves), *(m.goal for m in moves)})
    ordered = in_order(moves)
    transitions = transitions_of(ids, ordered)
    p = diffuse(
        transitions,
        np.array([seeds.get(skill_id, 0.0) for skill_id in ids], dtype=np.float64),
        restart_prob=settings.restart_prob,
        tolerance=settings.tolerance,
        max_iter=0 if arm is Arm.ONE_HOP else settings.max_iter,
    )
    scale = (1 - settings.restart_prob) * math.fsum(seeds.values())
    carried = scale * p[transitions.origins] * transitions.weights
    for move, x in zip(ordered, carried.tolist(), strict=True):
        (needs if _is_need(move) else topics)[move.goal] += x
    return needs, topics


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

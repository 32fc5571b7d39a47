"""Reverse-aware personalised PageRank: relevance flows from matched skills along typed relations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from skillquiver.graph.relations import RELATION_TYPES, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["Arm", "Move", "Transitions", "Way", "diffuse", "in_order", "moves_of", "transitions_of"]


class Arm(StrEnum):
    """How a bundle uses the graph. Arms share everything else, so that they can be compared."""

    FLAT = "flat"
    """Not at all."""
    ONE_HOP = "one-hop"
    """Direct neighbours of the seeds get a share, once; nothing flows on."""
    FORWARD = "forward"
    """Diffusion along the flow of work only, from what comes first to what comes later."""
    REVERSE = "reverse"
    """Diffusion both ways: back to prerequisites, and on to what follows."""


class Way(StrEnum):
    """Which way a relation is followed."""

    UP = "up"
    """To the end that comes first; of types without a time, from source to target."""
    DOWN = "down"
    """To the end that comes later; of types without a time, from target to source."""
    ACROSS = "across"
    """Along a symmetric relation."""


@dataclass(frozen=True, slots=True)
class Move:
    """One relation, followed one way. ``weight`` is type weight times confidence, in (0, 1]."""

    origin: SkillId
    goal: SkillId
    type: RelationType
    way: Way
    weight: float


@dataclass(frozen=True, slots=True)
class Transitions:
    """A sparse matrix of transition probabilities over ``n`` nodes, one entry per edge.

    ``origins`` and ``goals`` have shape ``(m,)``; ``weights`` sum to at most 1 for each origin. What an
    origin lacks to 1 is dangling mass: it returns to the seeds.
    """

    n: int
    origins: npt.NDArray[np.int64]
    goals: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]


def diffuse(
    transitions: Transitions,
    seeds: npt.NDArray[np.float64],
    *,
    restart_prob: float,
    tolerance: float = 1e-9,
    max_iter: int = 200,
) -> npt.NDArray[np.float64]:
    """Personalised PageRank by power iteration: p = r·s + (1 - r)·(p·P + (1 - Σp·P)·s), starting at s.

    ``seeds`` has shape ``(n,)``, is not negative, and is scaled to sum 1; so is the result. ``restart_prob``
    is r, in (0, 1]. Iteration ends when no score moves by more than ``tolerance``, or after ``max_iter``
    steps: the L1 error is then at most n·tolerance·(1 - r)/r, or 2·(1 - r)^max_iter. Zero steps return the
    seeds, one step gives the direct neighbours a share. Nodes that no seed reaches keep exactly 0 and change
    nothing about the others.
    Raises ``ValueError`` for seeds or a restart probability that are none.

    Source: Haveliwala, Topic-Sensitive PageRank (2002); networkx calls 1 - r ``alpha``.
    """
    import numpy as np

    if not 0 < restart_prob <= 1:
        raise ValueError(f"restart_prob is {restart_prob}; it is a probability above 0")
    total = math.fsum(seeds.tolist())
    if seeds.shape != (transitions.n,) or not total > 0 or seeds.min() < 0:
        raise ValueError(f"seeds must be {transitions.n} numbers, none negative, one positive")
    start = seeds.astype(np.float64) / total
    p, edges = start, transitions.weights * (1 - restart_prob)
    for _ in range(max_iter):
        carried = p[transitions.origins] * edges
        flow = np.bincount(transitions.goals, weights=carried, minlength=transitions.n)
        # fsum is exact whatever the order, so nodes that hold nothing cannot change a bit of the rest
        after = flow + (1.0 - math.fsum(flow.tolist())) * start
        moved = float(np.abs(after - p).max())
        p = after
        if moved <= tolerance:
            break
    return p / math.fsum(p.tolist())


def transitions_of(ids: Sequence[SkillId], moves: Sequence[Move]) -> Transitions:
    """Turn ``moves`` between ``ids`` into transition probabilities, one edge for each, as ``in_order``.

    A weight is read as a probability. Where those of one origin sum to more than 1, they are scaled to 1;
    where they sum to less, the rest is dangling: a single weak relation does not carry everything.
    """
    import numpy as np

    place = {skill_id: at for at, skill_id in enumerate(ids)}
    ordered = in_order(moves)
    origins = np.array([place[move.origin] for move in ordered], dtype=np.int64)
    goals = np.array([place[move.goal] for move in ordered], dtype=np.int64)
    weights = np.array([move.weight for move in ordered], dtype=np.float64)
    sums = np.bincount(origins, weights=weights, minlength=len(ids))
    return Transitions(len(ids), origins, goals, weights / np.maximum(sums, 1.0)[origins])


def in_order(moves: Iterable[Move]) -> list[Move]:
    """Sort by origin, goal, then type: sums over them come out the same whatever the order given."""
    return sorted(moves, key=lambda m: (m.origin, m.goal, m.type, m.way, m.weight))


def moves_of(graph: SkillGraph, arm: Arm, settings: DiffuseSettings) -> tuple[Move, ...]:
    """Every way that ``arm`` follows a relation of ``graph``, in the order of its relations."""
    if arm is Arm.FLAT:
        return ()
    weights = _weights(settings)
    found = (move for relation in graph.relations for move in _both_ways(relation, weights))
    return tuple(m for m in found if m.weight > 0 and not (arm is Arm.FORWARD and m.way is Way.UP))


def _both_ways(relation: Relation, weights: Mapping[RelationType, tuple[float, float]]) -> tuple[Move, Move]:
    first = relation.upstream or relation.target
    later = relation.downstream or relation.source
    up, down = weights[relation.type]
    across = RELATION_TYPES[relation.type].symmetric
    type_, confidence = relation.type, relation.confidence
    return (
        Move(later, first, type_, Way.ACROSS if across else Way.UP, up * confidence),
        Move(first, later, type_, Way.ACROSS if across else Way.DOWN, down * confidence),
    )


def _weights(settings: DiffuseSettings) -> Mapping[RelationType, tuple[float, float]]:
    """Weights of each type, up and down; symmetric types have the same twice."""
    s = settings
    return {
        RelationType.REQUIRES: (s.requires_up, s.requires_down),
        RelationType.FEEDS_INTO: (s.feeds_into_up, s.feeds_into_down),
        RelationType.PRECEDES: (s.precedes_up, s.precedes_down),
        RelationType.ROUTES_TO: (s.routes_to_up, s.routes_to_down),
        RelationType.VERIFIES: (s.verifies_up, s.verifies_down),
        RelationType.SPECIALIZES: (s.specializes_up, s.specializes_down),
        RelationType.SUPERSEDES: (s.supersedes_up, s.supersedes_down),
        RelationType.COMPLEMENTS: (s.complements, s.complements),
        RelationType.ALTERNATIVE_TO: (s.alternative_to, s.alternative_to),
        RelationType.CONFLICTS_WITH: (0.0, 0.0),
        RelationType.SIMILAR_TO: (s.similar_to, s.similar_to),
    }

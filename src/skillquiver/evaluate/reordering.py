"""The first ten ranks in another order, by what the graph says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from statistics import fmean, pstdev

from skillquiver.evaluate.arm_answers import near
from skillquiver.evaluate.budgets import TEST_COLUMNS, Test, World, compare, corrected, hit
from skillquiver.evaluate.layers import Head, Layer
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Table
from skillquiver.graph.relations import RelationType
from skillquiver.retrieve.diffuse import Arm, diffuse, moves_of, transitions_of
from skillquiver.settings import DiffuseSettings
from skillquiver.types import SkillId

__all__ = ["Ways", "reordered", "table", "tests_of", "ways_of"]

DEPTH = 10
"""Ranks that are ordered anew."""

WEIGHTS = (0.25, 1.0)
"""Of the graph's evidence, standardised as the ranking's scores are: a hint, and as much say as they."""

PRODUCT = "the product's expansion"

Ways = Mapping[str, Mapping[str, SkillId]]
"""Way of ordering → query → the skill that comes first."""


def ways_of(world: World, layers: Sequence[Layer], expanded: Mapping[str, SkillId]) -> Ways:
    """First skills of every way; ``expanded`` has those of the product's expansion of the first ten."""
    found: dict[str, dict[str, SkillId]] = {PRODUCT: dict(expanded)}
    for layer in layers:
        for query, head in world.heads.items():
            if not head.ids:
                continue
            top = Head(head.ids[:DEPTH], head.scores[:DEPTH], head.confidences[:DEPTH])
            for name, evidence in (("degree", _degrees(top, layer)), ("diffusion", _diffused(top, layer))):
                for weight in WEIGHTS:
                    way = f"{name}, {layer.name}, weight {weight:g}"
                    found.setdefault(way, {})[query] = reordered(top, evidence, weight)[0]
    return found


def reordered(head: Head, evidence: Sequence[float], weight: float) -> tuple[SkillId, ...]:
    """Ids by z(score) + weight · z(evidence), best first, ties by rank."""
    scores, added = _standardised(head.scores), _standardised(evidence)
    order = sorted(range(len(head.ids)), key=lambda at: (-(scores[at] + weight * added[at]), at))
    return tuple(head.ids[at] for at in order)


def _standardised(values: Sequence[float]) -> list[float]:
    """(x - mean) / deviation, rounded so that equal sums tie; all 0 where the values do not differ."""
    mean, spread = fmean(values), pstdev(values)
    return [round((value - mean) / spread, 9) if spread > 0 else 0.0 for value in values]


def _degrees(head: Head, layer: Layer) -> list[float]:
    return [log1p(layer.degree(skill_id)) for skill_id in head.ids]


def _diffused(head: Head, layer: Layer) -> list[float]:
    """Personalised PageRank from all ten alike: what it tells apart is the graph alone."""
    import numpy as np

    settings = DiffuseSettings()
    around = near(layer.graph, head.ids, settings, frozenset(RelationType) - {RelationType.CONFLICTS_WITH})
    ids = sorted({*around.ids, *head.ids})
    seeds = np.array([float(skill_id in head.ids) for skill_id in ids])
    transitions = transitions_of(ids, moves_of(around, Arm.REVERSE, settings))
    mass = diffuse(transitions, seeds, restart_prob=settings.restart_prob)
    of = dict(zip(ids, mass.tolist(), strict=True))
    return [of[skill_id] for skill_id in head.ids]


def tests_of(world: World, sets: Sequence[QuerySet], ways: Ways) -> Mapping[tuple[str, ...], Test]:
    """(set, way) → hit@1 after and before ordering anew, all of them one family."""
    found: dict[tuple[str, ...], Test] = {}
    for queries in sets:
        before = {t.query_id: hit(t, world.heads[t.query].ids[:1]) for t in queries.answerable}
        for way, first in ways.items():
            after = {
                t.query_id: hit(t, [first[t.query]] if t.query in first else []) for t in queries.answerable
            }
            found[queries.name, way] = compare(after, before, queries, world.settings)
    return corrected(found)


def table(name: str, tests: Mapping[tuple[str, ...], Test], ranker: str) -> Table:
    """Every way on one set."""
    return Table(
        caption=f"{name}: the first {DEPTH} of {ranker} in another order; hit@1 after and before",
        columns=("evidence", "after", "before", *TEST_COLUMNS),
        rows=tuple(
            (way, test.one, test.other, *test.cells()) for (of, way), test in tests.items() if of == name
        ),
    )

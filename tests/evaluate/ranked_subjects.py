"""A library in memory whose rankings are given, so that the place of every gold skill is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillquiver.evaluate.budgets import World
from skillquiver.evaluate.layers import Head, Layer
from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.evaluate.subject import RANKERS
from skillquiver.graph.relations import Relation
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.bundle import Bundle, BundleEntry, Tier
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.expand import expand
from skillquiver.retrieve.ranking import Evidence, Ranked, Ranking
from skillquiver.settings import DiffuseSettings, RankSettings
from skillquiver.skills.records import TokenCounts
from skillquiver.testing import make_skill
from skillquiver.types import SkillId, Status
from tests.evaluate.graph_subjects import SETTINGS, GraphSubject

CARD = 10
"""Tokens of a card."""

Listed = Mapping[str, str]
"""Query → names, best first; ``name=0.9`` gives a confidence, which is 0.5 without."""


def sid(name: str) -> SkillId:
    return SkillId(f"test/{name}")


def sids(names: str) -> tuple[SkillId, ...]:
    return tuple(map(sid, names.split()))


@dataclass(frozen=True)
class RankedSubject(GraphSubject):
    """Rankings as listed, by ranker where it matters; bundles are cards of the product's expansion."""

    listed: Listed = field(default_factory=dict)
    by_ranker: Mapping[str, Listed] = field(default_factory=dict)
    degraded: str = ""

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        (name, *_) = [name for name, known in RANKERS.items() if known == settings] or [""]
        words = self.by_ranker.get(name, self.listed).get(query, "").split()[:top_k]
        found = tuple(_ranked(at, word) for at, word in enumerate(words, 1))
        best = max((one.confidence for one in found), default=0.0)
        return Ranking(
            query=query,
            status=Status.HIT if found else Status.NONE,
            confidence=best,
            results=found,
            degraded=self.degraded,
        )

    def bundle(
        self, query: str, *, arm: Arm, budget: int, max_skills: int, ranking: Ranking | None = None
    ) -> Bundle:
        assert ranking is not None, "arms share a ranking"
        assert ranking.query == query
        expanded = expand(ranking, self.graph, arm=arm, settings=DiffuseSettings()).skills
        entries = tuple(
            BundleEntry(
                id=one.id,
                name=self.skills[one.id].name,
                role=one.role,
                tier=Tier.CARD,
                tokens=CARD,
                path="",
                score=one.score,
                confidence=one.confidence,
            )
            for one in expanded[:max_skills]
        )
        return Bundle(
            status=ranking.status,
            budget=budget,
            tokens=CARD * len(entries),
            entries=entries,
            omitted=(),
            text="",
        )


def _ranked(rank: int, word: str) -> Ranked:
    name, _, confidence = word.partition("=")
    return Ranked(
        rank=rank,
        row=rank,
        id=sid(name),
        name=name,
        description="",
        path="",
        kind="",
        hidden=False,
        score=1.0 / rank,
        confidence=float(confidence or 0.5),
        evidence=Evidence(channels={}),
    )


def ranked_subject(names: str, *relations: Relation, **options: Any) -> RankedSubject:
    """Skills of these names, whose cards are all as long, and just these relations."""
    skills = {sid(name): make_skill(name, tokens=TokenCounts(card=CARD)) for name in sorted(names.split())}
    return RankedSubject(skills, SkillGraph.of(skills, relations), **options)


def task(query_id: str, gold: str, *, cluster: str = "", missing: tuple[str, ...] = ()) -> Task:
    """A task whose query is its id; ``gold`` has names, ``a|b`` where either will do."""
    groups = tuple(frozenset(map(sid, word.split("|"))) for word in gold.split())
    return Task(query_id=query_id, query=query_id, gold=groups, missing=missing, cluster=cluster or query_id)


def query_set(*tasks: Task, name: str = "set") -> QuerySet:
    return QuerySet(name, tasks)


def head(names: str) -> Head:
    """First ranks with falling scores; confidences as in ``Listed``."""
    found = [_ranked(at, word) for at, word in enumerate(names.split(), 1)]
    return Head(*(tuple(getattr(one, part) for one in found) for part in ("id", "score", "confidence")))


def layer(*relations: Relation, name: str = "typed") -> Layer:
    """These relations among the skills that they name."""
    ids = {end for relation in relations for end in (relation.source, relation.target)}
    return Layer(name, SkillGraph.of(ids, relations))


def apart(_one: SkillId, _other: SkillId) -> float:
    """A closeness that tells nothing."""
    return 0.0


def world(heads: Listed, cards: Mapping[str, int] | None = None, **options: Any) -> World:
    """Rankings and cards; no two skills are close unless ``closeness`` says so."""
    given = {"closeness": apart, "settings": SETTINGS} | options
    known = {sid(name): tokens for name, tokens in (cards or {}).items()}
    return World("hybrid", {query: head(names) for query, names in heads.items()}, known, **given)


def outcomes(hits: Sequence[bool]) -> dict[str, bool]:
    """Outcome of queries ``q0``, ``q1``, …"""
    return {f"q{at}": one for at, one in enumerate(hits)}

"""A library in memory for experiments about the graph: real skills, a real graph, real builds, no files."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.masking import masked
from skillquiver.evaluate.results import Cell, Interval, Section, Table
from skillquiver.evaluate.subject import Rebuild
from skillquiver.graph.build import GraphBuild, build_graph
from skillquiver.graph.following import Group, follow
from skillquiver.graph.relations import Evidence, Provenance, Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.bundle import Bundle
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.ranking import Ranking
from skillquiver.settings import EvalSettings, RankSettings
from skillquiver.skills.records import Skill
from skillquiver.testing import HashEncoder, make_skill
from skillquiver.types import Finding, SkillId

SETTINGS = EvalSettings(draws=2000, ranker="hybrid")
"""Fewer draws than in earnest: expectations leave room for it."""


@dataclass(frozen=True)
class GraphSubject:
    """What experiments about the graph ask of a library; searching is for tests of the real one."""

    skills: Mapping[SkillId, Skill]
    graph: SkillGraph
    graph_findings: Sequence[Finding] = ()
    graph_told: str = ""
    encoder: HashEncoder | None = field(default_factory=HashEncoder)

    @classmethod
    def built(cls, skills: Sequence[Skill], **options: Any) -> GraphSubject:
        """With the graph that the rules build."""
        made = cls({skill.id: skill for skill in skills}, SkillGraph.of((), ()), **options)
        build = made.build(Rebuild())
        return cls(made.skills, build.graph, build.findings, encoder=made.encoder)

    def build(self, rebuild: Rebuild) -> GraphBuild:
        kept = sorted((s for i, s in self.skills.items() if i not in rebuild.without), key=lambda s: s.id)
        kept = masked(kept, rebuild.cuts)
        vectors = None if self.encoder is None else self.encoder.encode([s.description for s in kept])
        if rebuild.shuffle is not None:
            random.Random(rebuild.shuffle).shuffle(kept)
        return build_graph(kept, vectors=vectors, settings=rebuild.settings)

    def rebuilt(self, rebuild: Rebuild) -> SkillGraph:
        return self.build(rebuild).graph

    def vectors(self) -> npt.NDArray[np.float32] | None:
        if self.encoder is None:
            return None
        return self.encoder.encode([self.skills[i].description for i in self.graph.ids])

    def following(self, skill_id: SkillId, *, top_k: int) -> Mapping[Group, tuple[SkillId, ...]]:
        steps = follow(self.graph, skill_id)
        return {group: tuple(step.id for step in found[:top_k]) for group, found in steps.items()}

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        raise NotImplementedError

    def bundle(self, query: str, *, arm: Arm, budget: int, max_skills: int) -> Bundle:
        raise NotImplementedError


def relation(
    source: str,
    type_: str,
    target: str,
    provenance: Provenance = Provenance.DERIVED,
    confidence: float = 0.8,
    by: str = "reference",
) -> Relation:
    """A relation between two skills of root ``test``."""
    return Relation(
        source=SkillId(f"test/{source}"),
        target=SkillId(f"test/{target}"),
        type=RelationType(type_),
        provenance=provenance,
        confidence=confidence,
        evidence=Evidence(f"{source} {type_} {target}", f"test/{source}:1"),
        proposed_by=(by,),
    )


def subject_of(names: str, *relations: Relation, **options: Any) -> GraphSubject:
    """Skills of these names and just these relations."""
    skills = {SkillId(f"test/{name}"): make_skill(name) for name in names.split()}
    return GraphSubject(skills, SkillGraph.of(skills, relations), **options)


def inputs(**given: Any) -> Inputs:
    """Inputs without queries, with fewer draws."""
    return Inputs(**({"sets": (), "settings": SETTINGS} | given))


def table_of(section: Section, begins: str) -> Table:
    """The one table whose caption begins with these words."""
    (found,) = [table for table in section.tables if table.caption.startswith(begins)]
    return found


def cells(table: Table, row: str) -> dict[str, Cell]:
    """Cells of a row by column."""
    (found,) = [r for r in table.rows if r[0] == row]
    return dict(zip(table.columns, found, strict=True))


def value(cell: Cell) -> float:
    """What an interval is about."""
    assert isinstance(cell, Interval)
    return cell.value

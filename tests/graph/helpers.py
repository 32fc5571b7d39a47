"""Small libraries for the graph's tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillquiver.graph.build import GraphBuild, build_graph
from skillquiver.graph.relations import Provenance, Relation, RelationType
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from skillquiver.types import SkillId

__all__ = ["edges", "relation", "skill_at"]


def skill_at(folder: str, body: str = "", **fields: Any) -> Skill:
    """A skill with the id ``lib/<folder>``, named like its folder."""
    name = fields.pop("name", folder.rsplit("/", 1)[-1])
    return make_skill(name, body=body, id=SkillId(f"lib/{folder}"), root="lib", **fields)


def edges(*skills: Skill, **options: Any) -> list[str]:
    """The graph of ``skills`` as ``source type target`` with the root's label left out."""
    return told(build_graph(skills, **options))


def told(build: GraphBuild) -> list[str]:
    return [f"{_short(r.source)} {r.type} {_short(r.target)}" for r in build.graph.relations]


def relation(
    text: str, provenance: Provenance = Provenance.DERIVED, confidence: float = 0.8, **fields: Any
) -> Relation:
    """``relation("a requires b")``."""
    source, type_, target = text.split()
    return Relation(
        source=SkillId(source),
        target=SkillId(target),
        type=RelationType(type_),
        provenance=provenance,
        confidence=confidence,
        **fields,
    )


def lines(relations: Sequence[Relation]) -> list[str]:
    return [f"{r.source} {r.type} {r.target}" for r in relations]


def _short(skill_id: str) -> str:
    return skill_id.removeprefix("lib/")

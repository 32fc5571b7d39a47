"""An audit sheet: edges to judge by hand, blind to why they were proposed."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping

from skillquiver.graph.relations import RELATION_TYPES, Relation
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["sample_edges", "sheet"]

_EXCERPT = 400
"""Characters of each skill's description on the sheet."""


def sample_edges(graph: SkillGraph, n: int, *, per_group: int = 10, seed: int = 0) -> tuple[Relation, ...]:
    """Return up to ``n`` edges, at most ``per_group`` of each (type, provenance), the rest evenly.

    Drawn by a hash of seed and edge: the same graph and seed give the same sample, and an edge keeps its
    place in the draw when others come and go.
    """
    groups: dict[tuple[str, int], list[Relation]] = defaultdict(list)
    for relation in sorted(graph.relations, key=lambda r: _draw(r, seed)):
        groups[relation.type.value, -relation.provenance.trust].append(relation)
    chosen: list[Relation] = []
    for depth in range(per_group):
        for key in sorted(groups):
            if depth < len(groups[key]) and len(chosen) < n:
                chosen.append(groups[key][depth])
    return tuple(sorted(chosen, key=lambda r: _draw(r, seed + 1)))


def sheet(relations: Iterable[Relation], skills: Mapping[SkillId, Skill]) -> str:
    """Return a CSV to fill in: both skills, the claim in words, empty columns ``strict`` and ``loose``.

    Evidence, source, provenance and confidence are left out: the judge reads the two skills alone.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "number",
            "claim",
            "source",
            "target",
            "source_description",
            "target_description",
            "source_path",
            "target_path",
            "strict",
            "loose",
        ]
    )
    for number, relation in enumerate(relations, 1):
        a, b = skills[relation.source], skills[relation.target]
        reads = RELATION_TYPES[relation.type].reads
        writer.writerow(
            [
                number,
                f"{relation.type}: {reads}",
                a.id,
                b.id,
                _excerpt(a),
                _excerpt(b),
                a.path,
                b.path,
                "",
                "",
            ]
        )
    return out.getvalue()


def _excerpt(skill: Skill) -> str:
    text = " ".join(skill.description.split())[:_EXCERPT]
    return f"'{text}" if text[:1] in "=+-@" else text  # a spreadsheet must not take it for a formula


def _draw(relation: Relation, seed: int) -> str:
    key = f"{seed}\0{relation.source}\0{relation.type}\0{relation.target}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()

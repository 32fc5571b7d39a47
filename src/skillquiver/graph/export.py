"""A graph as JSON, GraphML or Mermaid. All names in it are untrusted text and escaped as such."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

from skillquiver.graph.relations import RELATION_TYPES, Relation
from skillquiver.graph.skillgraph import SkillGraph

__all__ = ["ExportFormat", "export_graph", "relation_record"]


class ExportFormat(StrEnum):
    """Formats of ``export_graph``."""

    JSON = "json"
    GRAPHML = "graphml"
    MERMAID = "mermaid"


_NOT_PRINTABLE = re.compile(r"[^\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_PLAIN = re.compile(r"[^\w .,:/+@-]")


def export_graph(graph: SkillGraph, format_: ExportFormat) -> str:
    """Return the whole graph as text of the given format; ends with a line end."""
    return {
        ExportFormat.JSON: _json,
        ExportFormat.GRAPHML: _graphml,
        ExportFormat.MERMAID: _mermaid,
    }[format_](graph)


def relation_record(relation: Relation) -> Mapping[str, Any]:
    """Return one relation as plain values, the shape of the JSON export."""
    return {
        "source": relation.source,
        "target": relation.target,
        "type": relation.type.value,
        "family": RELATION_TYPES[relation.type].family.value,
        "provenance": relation.provenance.value,
        "confidence": relation.confidence,
        "evidence": {"quote": relation.evidence.quote, "place": relation.evidence.place},
        "proposed_by": list(relation.proposed_by),
    }


def _json(graph: SkillGraph) -> str:
    document = {"skills": list(graph.ids), "relations": [relation_record(r) for r in graph.relations]}
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _graphml(graph: SkillGraph) -> str:
    keys = ("type", "provenance", "confidence", "quote", "place")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(
            f'<key id="{key}" for="edge" attr.name="{key}" '
            f'attr.type="{"double" if key == "confidence" else "string"}"/>'
            for key in keys
        ),
        '<graph edgedefault="directed">',
        *(f"<node id={quoteattr(_printable(skill_id))}/>" for skill_id in graph.ids),
    ]
    for relation in graph.relations:
        ends = (
            f"source={quoteattr(_printable(relation.source))} target={quoteattr(_printable(relation.target))}"
        )
        symmetric = ' directed="false"' if RELATION_TYPES[relation.type].symmetric else ""
        values = (
            relation.type.value,
            relation.provenance.value,
            f"{relation.confidence:g}",
            relation.evidence.quote,
            relation.evidence.place,
        )
        data = "".join(
            f'<data key="{key}">{escape(_printable(value))}</data>'
            for key, value in zip(keys, values, strict=True)
        )
        lines.append(f"<edge {ends}{symmetric}>{data}</edge>")
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def _mermaid(graph: SkillGraph) -> str:
    """Skills with a relation only: Mermaid is for looking at, and lone boxes hide the rest."""
    wired = sorted({end for r in graph.relations for end in (r.source, r.target)})
    number = {skill_id: i for i, skill_id in enumerate(wired)}
    lines = ["graph LR", *(f'  n{i}["{_plain(skill_id)}"]' for skill_id, i in number.items())]
    for relation in graph.relations:
        arrow = "---" if RELATION_TYPES[relation.type].symmetric else "-->"
        ends = number[relation.source], number[relation.target]
        lines.append(f"  n{ends[0]} {arrow}|{relation.type.value}| n{ends[1]}")
    return "\n".join([*lines, ""])


def _printable(text: str) -> str:
    return _NOT_PRINTABLE.sub("�", text)


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("_", text)

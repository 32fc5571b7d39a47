"""How much of the graph stays when it is built again.

For two builds A and B over the skills that both have, J = |A ∩ B| / |A ∪ B| (Jaccard, 1901): *typed,
directed* over (source, type, target); *undirected* over (pair, type); *untyped* over pairs. The others say
whether type or direction changed rather than the pair. Skills left out are drawn at random; relations with
one of them at an end are not compared. Two empty sets agree.

The *threshold sweep* keeps relations of at least a confidence, and says how many that are and, against
pairs of known order, what they state.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from skillquiver.evaluate.direction import Stated, stated
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.pooled import pooled_share
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.subject import Rebuild, Subject
from skillquiver.graph.relations import Relation, RelationType
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.settings import DEFAULT_GRAPH, GraphSettings
from skillquiver.types import SkillId

__all__ = ["jaccard", "run"]

LEFT_OUT = (0.02, 0.1)
"""Shares of skills left out: a week's change of a library, and a large one."""

FLOORS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Confidences at which the rules' relations lie: 0.6 to 0.95 for texts and files, 1 for what is declared."""

VARIANTS: Sequence[tuple[str, GraphSettings]] = (
    ("similar_k 6", replace(DEFAULT_GRAPH, similar_k=6)),
    ("similar_k 10", replace(DEFAULT_GRAPH, similar_k=10)),
    ("need_k 1", replace(DEFAULT_GRAPH, need_k=1)),
    ("need_k 6", replace(DEFAULT_GRAPH, need_k=6)),
    ("rare_holders 4", replace(DEFAULT_GRAPH, rare_holders=4)),
    ("rare_holders 16", replace(DEFAULT_GRAPH, rare_holders=16)),
)
"""Settings beside the default ones: half to double, and the neighbours that published graphs used."""

_SOURCE = (
    "Jaccard (1901) of typed, directed relations over rebuilds, beside the undirected and the untyped one. "
    "Rebuilds are made by the rules, without a model; facts of unchanged texts are kept."
)

Key = Callable[[Relation], tuple[str, ...]]

_KEYS: Sequence[Key] = (
    lambda r: (r.source, r.type.value, r.target),
    lambda r: (*r.pair, r.type.value),
    lambda r: r.pair,
)
"""Typed and directed; typed, undirected; untyped."""


def jaccard(a: Iterable[Relation], b: Iterable[Relation], key: Key = _KEYS[0]) -> float:
    """|A ∩ B| / |A ∪ B| over the keys of relations; 1 for two empty sets."""
    one, two = set(map(key, a)), set(map(key, b))
    return len(one & two) / len(one | two) if one | two else 1.0


def run(subject: Subject, inputs: Inputs) -> Section:
    """Build again and again, and compare."""
    settings = inputs.settings
    base = subject.rebuilt(Rebuild())
    warnings = [subject.graph_told] if subject.graph_told else []
    warnings += inputs.notes.get("order", ())
    rows = [_row("as stored", base, subject.graph)] if subject.graph.relations else []
    shuffled = subject.rebuilt(Rebuild(shuffle=settings.seed))
    rows.append(_row("skills in another order", base, shuffled))
    for share in LEFT_OUT:
        gone = _drawn(base.ids, share, settings.seed)
        rebuilt = subject.rebuilt(Rebuild(without=gone))
        rows.append(_row(f"{share:.0%} of skills left out ({len(gone)})", base, rebuilt, gone))
    rows += [_row(name, base, subject.rebuilt(Rebuild(settings=other))) for name, other in VARIANTS]
    warnings += _doubts(subject, base, jaccard(base.relations, shuffled.relations))
    return Section(
        name="stability",
        title="Stability",
        question="How much of the graph stays when skills, order or settings change?",
        source=_SOURCE,
        answer=_answer(rows),
        tables=(_table(base, rows), _sweep(subject.graph if subject.graph.relations else base, inputs)),
        plots=(_plot(subject.graph if subject.graph.relations else base),),
        warnings=tuple(warnings),
    )


def _drawn(ids: Sequence[SkillId], share: float, seed: int) -> frozenset[SkillId]:
    """At least one skill, if there are two."""
    wanted = min(max(1, round(share * len(ids))), max(0, len(ids) - 1))
    return frozenset(random.Random(seed).sample(list(ids), wanted))  # noqa: S311 - a sample, not a secret


Row = tuple[str, int, int, int, float, float, float, float]
"""Name, relations, gone, new; Jaccard typed and directed, without ``similar_to``, undirected, untyped."""


def _row(name: str, base: SkillGraph, other: SkillGraph, gone: Collection[SkillId] = ()) -> Row:
    a, b = (_among(graph.relations, gone) for graph in (base, other))
    keys = [set(map(_KEYS[0], relations)) for relations in (a, b)]
    typed = jaccard(_typed(a), _typed(b))
    whole, undirected, untyped = (jaccard(a, b, key) for key in _KEYS)
    return (
        *(name, len(b), len(keys[0] - keys[1]), len(keys[1] - keys[0])),
        *(whole, typed, undirected, untyped),
    )


def _among(relations: Iterable[Relation], gone: Collection[SkillId]) -> list[Relation]:
    return [r for r in relations if r.source not in gone and r.target not in gone]


def _typed(relations: Iterable[Relation]) -> list[Relation]:
    return [r for r in relations if r.type != RelationType.SIMILAR_TO]


def _table(base: SkillGraph, rows: Sequence[Row]) -> Table:
    return Table(
        caption=f"Rebuilds against a build of {len(base.ids)} skills with {len(base.relations)} relations",
        columns=(
            *("rebuild", "relations", "gone", "new", "Jaccard, typed and directed", "without similar_to"),
            *("undirected", "untyped"),
        ),
        rows=tuple(rows),
    )


def _sweep(graph: SkillGraph, inputs: Inputs) -> Table:
    typed = _typed(graph.relations)
    rows: list[tuple[Cell, ...]] = []
    for floor in FLOORS:
        kept = [r for r in typed if r.confidence >= floor]
        ordered = sum(r.upstream is not None for r in kept)
        rows.append((f"{floor:.2f}", len(kept), ordered, *_known(graph, kept, inputs)))
    return Table(
        caption="Typed relations by least confidence, and what they state of pairs of known order",
        columns=("least confidence", "relations", "saying what comes first", "right", "reversed"),
        rows=tuple(rows),
    )


def _known(graph: SkillGraph, kept: Sequence[Relation], inputs: Inputs) -> tuple[Cell, Cell]:
    if not inputs.order:
        return None, None
    part = SkillGraph.of(graph.ids, kept)
    verdicts = [(edge.corpus, stated(part, edge)) for edge in inputs.order]
    right, wrong = (
        pooled_share([(corpus, float(v is kind)) for corpus, v in verdicts], inputs.settings)
        for kind in (Stated.RIGHT, Stated.REVERSED)
    )
    return right, wrong


def _doubts(subject: Subject, base: SkillGraph, shuffled: float) -> list[str]:
    told = []
    if shuffled < 1:
        told.append("the order in which skills are read changes the graph: that is a fault, please report it")
    if not base.relations:
        told.append("the rules find no relation in this library: two empty graphs agree without meaning")
    known = Counter(r.provenance.value for r in subject.graph.relations)
    if known["llm"]:
        told.append(
            f"{known['llm']} relations of the stored graph are a model's; rebuilds are made without one, "
            "and lack them"
        )
    if not any(r.type == RelationType.SIMILAR_TO for r in base.relations):
        told.append("without `similar_to` relations, similar_k changes nothing")
    return told


def _answer(rows: Sequence[Row]) -> str:
    by_name = {row[0]: row for row in rows}
    order = by_name["skills in another order"][4]
    left = [row for row in rows if "left out" in row[0]]
    told = [f"The same skills in another order give a typed, directed Jaccard of {order:.3f}."]
    told += [f"With {row[0]} it is {row[4]:.3f} ({row[5]:.3f} without similar_to)." for row in left]
    changed = [row for row in rows if row[0] in dict(VARIANTS)]
    least = min(changed, key=lambda row: row[4])
    typed = min(changed, key=lambda row: row[5])
    if least[4] == 1:
        told.append("None of the settings tried changes a relation.")
    else:
        told.append(f"Of the settings tried, {least[0]} changes most: {least[4]:.3f}.")
        told.append(f"Of the typed relations every setting leaves at least {typed[5]:.3f}.")
    return "\n".join(told)


def _plot(graph: SkillGraph) -> Plot:
    typed = _typed(graph.relations)
    kept = tuple(float(sum(r.confidence >= floor for r in typed)) for floor in FLOORS)
    return Plot(
        kind="lines",
        title="Typed relations by least confidence",
        x_label="least confidence",
        y_label="relations",
        series=(Series(label="typed", x=FLOORS, y=kept),),
    )

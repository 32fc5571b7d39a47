"""Shape of the graph, layer by layer, and how much of it the embedding's neighbours hold already.

Source: the share of pairs inside the embedding's first k neighbours is what the comparative study
("Palatine") measures the use of a graph by. There 98.6 % of pairs were inside, because its candidates
*were* those neighbours. Steps go either way along an edge, as when a bundle is expanded in both directions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.subject import Subject
from skillquiver.graph.relations import Relation, RelationType
from skillquiver.graph.report import adjacent, layers, neighbouring_pairs, reach_within, topology
from skillquiver.graph.skillgraph import SkillGraph

__all__ = ["run"]

NEIGHBOURS = 8
"""Embedding neighbours per skill in the published comparison."""

PUBLISHED_INSIDE = 0.986
"""Share of the comparative study's pairs inside its embedding's neighbours."""

_SOURCE = (
    "The share of pairs inside the embedding's first 8 neighbours as in the comparative study "
    "(“Palatine”), either end counting; steps go either way. The whole graph is counted, no sample: there "
    "is nothing to put an interval on."
)


def run(subject: Subject, inputs: Inputs) -> Section:
    """Count layers, degrees, reach and overlap with the embedding."""
    del inputs
    graph = subject.graph
    tables, warnings = [_layers(graph)], [subject.graph_told] if subject.graph_told else []
    if not graph.relations:
        warnings.append("the graph has no relations: nothing but singletons to count")
    inside = _inside(subject)
    if inside is not None:
        tables.append(_overlap(graph, inside))
    elif graph.relations:
        warnings.append(
            "not every skill has a vector: what the embedding holds was not counted; run `quiver index`"
        )
    return Section(
        name="topology",
        title="Topology",
        question="How far does the graph reach, and beyond what the embedding knows?",
        source=_SOURCE,
        answer=_answer(graph, inside),
        tables=tuple(tables),
        plots=tuple(_plots(graph)),
        warnings=tuple(warnings),
    )


Pairs = frozenset[tuple[str, str]]


def _inside(subject: Subject) -> Pairs | None:
    """Related pairs inside the embedding's first neighbours; ``None`` without vectors or relations."""
    graph = subject.graph
    if not graph.relations:
        return None
    vectors = subject.vectors()
    return None if vectors is None else neighbouring_pairs(graph, vectors, k=NEIGHBOURS)


def _layers(graph: SkillGraph) -> Table:
    n = len(graph.ids)
    rows: list[tuple[Cell, ...]] = []
    parts = layers(graph)
    for shape in topology(graph):
        within = reach_within(parts[shape.layer]).values()
        reach = [round(sum(counts[step] for counts in within) / n, 3) for step in range(3)]
        rows.append(
            (shape.layer, shape.edges, shape.wired, shape.components, shape.largest, shape.singletons, *reach)
        )
    return Table(
        caption=f"{n} skills; within k: mean number of other skills within k steps, over all skills",
        columns=(
            *("layer", "edges", "wired", "components", "largest", "singletons"),
            *("within 1", "within 2", "within 3"),
        ),
        rows=tuple(rows),
    )


def _overlap(graph: SkillGraph, inside: Pairs) -> Table:
    """One row per type, then per candidate source, then the typed pairs together."""
    groups: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for relation in sorted(graph.relations, key=lambda r: list(RelationType).index(r.type)):
        groups[f"type {relation.type}"].add(relation.pair)
    for name, relation in sorted((name, r) for r in graph.relations for name in r.proposed_by):
        groups[f"source {name}"].add(relation.pair)
    typed = _typed_pairs(graph.relations)
    if typed:
        groups["typed pairs"] = typed
    rows: list[tuple[Cell, ...]] = [
        (name, len(pairs), len(pairs & inside), len(pairs & inside) / len(pairs))
        for name, pairs in groups.items()
    ]
    rows.append(("two skills at random", None, None, _by_chance(len(graph.ids))))
    rows.append(("comparative study (its candidates were neighbours)", None, None, PUBLISHED_INSIDE))
    return Table(
        caption=f"Pairs inside the embedding's first {NEIGHBOURS} neighbours of either end",
        columns=("pairs", "number", "inside", "share inside"),
        rows=tuple(rows),
    )


def _typed_pairs(relations: Sequence[Relation]) -> set[tuple[str, str]]:
    return {r.pair for r in relations if r.type != RelationType.SIMILAR_TO}


def _by_chance(n: int) -> float:
    """Chance that either of two skills is among the other's neighbours, if those were drawn at random."""
    return 1 - (1 - min(NEIGHBOURS, n - 1) / (n - 1)) ** 2 if n > 1 else 0.0


def _answer(graph: SkillGraph, inside: Pairs | None) -> str:
    typed = [r for r in graph.relations if r.type != RelationType.SIMILAR_TO]
    n = len(graph.ids)
    if not typed:
        return f"No typed relation joins any of {n} skills: the graph cannot help here."
    wired = reach_within(typed, 1)
    told = (
        f"{len(typed)} typed relations join {len(wired)} of {n} skills ({len(wired) / n:.1%}); "
        f"{n - len(wired)} have none, so the graph can do nothing for them."
    )
    if inside is None:
        return told
    pairs = _typed_pairs(typed)
    beyond = len(pairs - inside)
    return (
        f"{told}\nOf {len(pairs)} typed pairs {beyond} ({beyond / len(pairs):.1%}) lie outside the "
        f"embedding's first {NEIGHBOURS} neighbours: that is what the graph knows and a similarity search "
        f"does not. In the comparative study {1 - PUBLISHED_INSIDE:.1%} did; its candidates were the "
        "neighbours themselves, ours are what texts and files say."
    )


def _plots(graph: SkillGraph) -> list[Plot]:
    parts = layers(graph)
    shown = {name: parts[name] for name in ("typed", "similar_to") if name in parts}
    if not shown:
        return []
    degrees = {name: _degrees(relations) for name, relations in shown.items()}
    return [
        Plot(
            kind="histogram",
            title="Skills by number of neighbours",
            x_label="neighbours",
            y_label="skills",
            series=tuple(
                Series(
                    label=name,
                    x=tuple(float(degree) for degree in sorted(counts)),
                    y=tuple(float(counts[degree]) for degree in sorted(counts)),
                )
                for name, counts in degrees.items()
            ),
            log_x=True,
            log_y=True,
        )
    ]


def _degrees(relations: Sequence[Relation]) -> Mapping[int, int]:
    """Degree → number of wired skills that have it."""
    return Counter(len(others) for others in adjacent(relations).values())

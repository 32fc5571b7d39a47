"""Which relations there are, who proposed them, and whether they point the right way.

Three counts. *Composition*: relations by type, provenance and proposing source. *Both ways*: of the pairs for
which some evidence names what comes first, those for which other evidence names the other, before the graph
was resolved; what lost is read from the findings of the build. *Against known order*: of pairs whose order is
known, those stated right, reversed, without direction, not at all.

Source: the direction census of the comparative study ("Palatine"), which found 8.5 % of its pairs reversed.
Shares are pooled over pairs, with whole corpora resampled (``evaluate.pooled``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from skillquiver.evaluate.direction import Stated, by_source, few_corpora, relations_between, stated
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.labels import OrderEdge, Reference
from skillquiver.evaluate.masking import cuts_of
from skillquiver.evaluate.pooled import pooled_share
from skillquiver.evaluate.results import Cell, Interval, Plot, Section, Series, Table
from skillquiver.evaluate.subject import Rebuild, Subject
from skillquiver.evaluate.wording import share_text
from skillquiver.graph.relations import RELATION_TYPES, Relation, RelationType, pair_of
from skillquiver.graph.report import census
from skillquiver.graph.resolve import Claim, contradictions, dropped_claim
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.settings import EvalSettings
from skillquiver.types import Finding

__all__ = ["run"]

PUBLISHED_REVERSED = 0.085
"""Share of the comparative study's pairs whose direction was reversed."""

FEW = 30
"""Known pairs below which intervals span most of what is possible."""

EXPECTED = {
    "related": frozenset({"workflow"}),
    "next": frozenset({"workflow", "dependency"}),
    "uses": frozenset({"workflow", "dependency"}),
    "prerequisite": frozenset({"dependency"}),
    "alternative": frozenset({"alternative"}),
}
"""Relation families that agree with the label of a reference: a label says less than a type."""

_SOURCE = (
    "Counts of the whole graph; what lost against a contradiction, a cycle or a more trusted claim comes "
    "from the findings of the build. Shares of known pairs are pooled, intervals are percentile bootstrap "
    "over corpora; beside the 8.5 % of reversed pairs of the comparative study (“Palatine”)."
)


def run(subject: Subject, inputs: Inputs) -> Section:
    """Count relations, directions claimed both ways, and known pairs."""
    graph = subject.graph
    warnings = [subject.graph_told] if subject.graph_told else []
    warnings += inputs.notes.get("order", ()) + inputs.notes.get("references", ())
    tables = [_composition(graph), _both_ways(graph, subject.graph_findings)]
    answer, plots, samples = _totals(graph, subject), [], {}
    if inputs.order:
        verdicts = {edge: stated(graph, edge) for edge in inputs.order}
        unaided = _unaided(subject, inputs.order)
        tables += [_order(verdicts, unaided, inputs.settings), _carriers(graph, verdicts)]
        answer += (
            "\n" + _order_answer(graph, verdicts, inputs.settings) + _unaided_answer(unaided, inputs.settings)
        )
        plots.append(_order_plot(verdicts, inputs.settings))
        samples = {
            "order stated right": {
                _pair(edge): float(verdict is Stated.RIGHT) for edge, verdict in verdicts.items()
            }
        }
        warnings += few_corpora(inputs.order)
        if len(inputs.order) < FEW:
            warnings.append(
                f"only {len(inputs.order)} pairs of known order: read the intervals, not the values"
            )
    else:
        warnings.append("no pairs of known order: give some with --order to see whether directions are right")
    if inputs.references:
        tables.append(_references(graph, inputs.references, inputs.settings))
    return Section(
        name="census",
        title="Census",
        question="Which relations are there, who proposed them, and is their direction right?",
        source=_SOURCE,
        answer=answer,
        tables=tuple(tables),
        plots=tuple(plots),
        samples=samples,
        clusters={_pair(edge): edge.corpus for edge in inputs.order},
        warnings=tuple(warnings),
    )


def _pair(edge: OrderEdge) -> str:
    """Names a pair in ``samples``."""
    return f"{edge.before} > {edge.after}: {edge.relation}"


# --- the graph alone ---------------------------------------------------------------------------------


def _composition(graph: SkillGraph) -> Table:
    counted = census(graph)
    rows: list[tuple[Cell, ...]] = [(type_, who, source or "–", n) for type_, who, source, n in counted.rows]
    return Table(
        caption=f"{counted.edges} relations; one that two sources propose counts for both",
        columns=("type", "provenance", "source", "relations"),
        rows=tuple(rows),
    )


def _totals(graph: SkillGraph, subject: Subject) -> str:
    typed = [r for r in graph.relations if r.type != RelationType.SIMILAR_TO]
    ordered = [r for r in typed if r.upstream is not None]
    claims = _claims(graph, subject.graph_findings)
    pairs = _firsts(claims)
    both = sum(len(first) == 2 for first in pairs.values())
    share = f" ({both / len(pairs):.1%})" if pairs else ""
    return (
        f"{len(typed)} typed relations, {len(ordered)} of which say what comes first; "
        f"{len(contradictions(graph.relations))} contradictory pairs are left in the graph. Evidence named "
        f"an order for {len(pairs)} pairs, and for {both}{share} of them both orders; resolution decided "
        "those."
    )


def _claims(graph: SkillGraph, findings: Iterable[Finding]) -> list[Relation | Claim]:
    """Every directed claim that was made, those that stand and those that lost."""
    ids = graph.position
    lost = (dropped_claim(finding, ids) for finding in findings)
    claims: list[Relation | Claim] = [*graph.relations, *(claim for claim in lost if claim is not None)]
    return [claim for claim in claims if not RELATION_TYPES[claim.type].symmetric]


def _firsts(claims: Iterable[Relation | Claim]) -> dict[tuple[str, str], set[str]]:
    """Pair → skills that some claim puts first."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for claim in claims:
        if claim.upstream is not None:
            found[pair_of(claim.source, claim.target)].add(claim.upstream)
    return found


def _both_ways(graph: SkillGraph, findings: Iterable[Finding]) -> Table:
    claims = _claims(graph, findings)
    rows: list[tuple[Cell, ...]] = []
    for type_, info in RELATION_TYPES.items():
        mine = [claim for claim in claims if claim.type == type_]
        if info.symmetric or not mine:
            continue
        pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for claim in mine:
            pairs[pair_of(claim.source, claim.target)].add(claim.source)
        rows.append((type_.value, *_ways(mine, [len(sources) == 2 for sources in pairs.values()])))
    ordered = [claim for claim in claims if claim.upstream is not None]
    if ordered:
        firsts = _firsts(ordered)
        rows.append(("what comes first", *_ways(ordered, [len(first) == 2 for first in firsts.values()])))
    return Table(
        caption="Directed claims before resolution, and pairs for which both directions were claimed",
        columns=("type", "claims", "kept", "broke a cycle", "lost otherwise", "pairs", "both ways", "share"),
        rows=tuple(rows),
    )


def _ways(claims: Sequence[Relation | Claim], both: Sequence[bool]) -> tuple[Cell, ...]:
    lost = Counter(claim.code == "relation-cycle" for claim in claims if isinstance(claim, Claim))
    return (
        len(claims),
        len(claims) - lost.total(),
        lost[True],
        lost[False],
        len(both),
        sum(both),
        sum(both) / len(both),
    )


# --- against known order -----------------------------------------------------------------------------


Verdicts = Mapping[OrderEdge, Stated]


def _unaided(subject: Subject, order: Sequence[OrderEdge]) -> Verdicts:
    """What a graph states that was built without the lines which the labels quote; empty without any."""
    cuts = cuts_of(order)
    if not cuts:
        return {}
    built = subject.rebuilt(Rebuild(cuts=cuts))
    return {edge: stated(built, edge) for edge in order}


def _unaided_answer(unaided: Verdicts, settings: EvalSettings) -> str:
    if not unaided:
        return ""
    right, wrong = (_share(unaided, kind, settings) for kind in (Stated.RIGHT, Stated.REVERSED))
    return (
        f"\nBuilt without the lines that the labels quote, it states {share_text(right)} right and "
        f"{share_text(wrong)} reversed: that is what it knows from elsewhere."
    )


def _order(verdicts: Verdicts, unaided: Verdicts, settings: EvalSettings) -> Table:
    kinds = sorted({edge.relation for edge in verdicts})
    groups = [(kind, {e: v for e, v in verdicts.items() if e.relation == kind}) for kind in kinds]
    rows: list[tuple[Cell, ...]] = [_order_row("all", verdicts, settings)]
    rows += [_order_row(kind, group, settings) for kind, group in groups] if len(groups) > 1 else []
    rows += [_order_row("all, quoted lines cut out", unaided, settings)] if unaided else []
    rows.append(("comparative study (all its pairs)", None, None, None, PUBLISHED_REVERSED, None, None, None))
    return Table(
        caption="Pairs of known order, and what the graph says of them",
        columns=(
            *("pairs of known order", "number", "corpora", "right", "reversed"),
            *("no direction", "absent", "reversed of those with a direction"),
        ),
        rows=tuple(rows),
    )


def _order_row(name: str, verdicts: Verdicts, settings: EvalSettings) -> tuple[Cell, ...]:
    shares = (_share(verdicts, kind, settings) for kind in Stated)
    corpora = len({edge.corpus for edge in verdicts})
    return (name, len(verdicts), corpora, *shares, _reversed_of_directed(verdicts, settings))


def _share(verdicts: Verdicts, kind: Stated, settings: EvalSettings) -> Interval:
    return pooled_share([(edge.corpus, float(v is kind)) for edge, v in verdicts.items()], settings)


def _reversed_of_directed(verdicts: Verdicts, settings: EvalSettings) -> Interval | None:
    directed = {e: v for e, v in verdicts.items() if v in (Stated.RIGHT, Stated.REVERSED)}
    return _share(directed, Stated.REVERSED, settings) if directed else None


def _carriers(graph: SkillGraph, verdicts: Verdicts) -> Table:
    """Per source, the known pairs it states, and those that no other source states."""
    rows: list[tuple[Cell, ...]] = []
    for source, counts in by_source(graph, verdicts).items():
        rows.append(
            (source, counts["right"], counts["reversed"], counts["alone"], counts["right"] / len(verdicts))
        )
    return Table(
        caption="Who carries the known pairs: sources of the relations that say what comes first",
        columns=("source", "right", "reversed", "right by it alone", "share of known pairs"),
        rows=tuple(rows),
    )


def _order_answer(graph: SkillGraph, verdicts: Verdicts, settings: EvalSettings) -> str:
    right, wrong = (_share(verdicts, kind, settings) for kind in (Stated.RIGHT, Stated.REVERSED))
    counts = Counter(verdicts.values())
    told = (
        f"Of {len(verdicts)} pairs of known order from {right.n} corpora the graph states "
        f"{counts[Stated.RIGHT]} in the right direction ({share_text(right)}) and {counts[Stated.REVERSED]} "
        f"reversed ({share_text(wrong)}; comparative study {PUBLISHED_REVERSED:.1%} of its pairs)."
    )
    sources = by_source(graph, verdicts)
    if not counts[Stated.RIGHT]:
        return told + " No candidate source carries them."
    best = next(iter(sources))
    return (
        f"{told} The source that carries them is {best}: {sources[best]['right']} of "
        f"{counts[Stated.RIGHT]}, {sources[best]['alone']} by it alone."
    )


def _order_plot(verdicts: Verdicts, settings: EvalSettings) -> Plot:
    shares = [_share(verdicts, kind, settings) for kind in Stated]
    return Plot(
        kind="bars",
        title="Pairs of known order",
        x_label="what the graph says",
        y_label="share of pairs",
        series=(Series.of("this library", tuple(kind.value for kind in Stated), shares),),
    )


# --- against references ------------------------------------------------------------------------------


def _references(graph: SkillGraph, references: Sequence[Reference], settings: EvalSettings) -> Table:
    kinds = sorted({reference.relation for reference in references})
    groups = [(kind, [r for r in references if r.relation == kind]) for kind in kinds]
    rows = [_reference_row(graph, name, group, settings) for name, group in [("all", references), *groups]]
    return Table(
        caption="Pairs one of which names the other: related, and by a family that fits the label",
        columns=("label", "pairs", "corpora", "related", "family agrees, of those related"),
        rows=tuple(rows),
    )


def _reference_row(
    graph: SkillGraph, name: str, references: Sequence[Reference], settings: EvalSettings
) -> tuple[Cell, ...]:
    found = [(r, relations_between(graph, r.source, r.target)) for r in references]
    covered = pooled_share([(r.corpus, float(bool(relations))) for r, relations in found], settings)
    agreed = [
        (r.corpus, float(_family(relations) in EXPECTED[r.relation]))
        for r, relations in found
        if relations and r.relation in EXPECTED
    ]
    corpora = len({r.corpus for r in references})
    return (name, len(references), corpora, covered, pooled_share(agreed, settings) if agreed else None)


def _family(relations: Sequence[Relation]) -> str:
    best = max(relations, key=lambda r: (r.provenance.trust, r.confidence, r.type))
    return RELATION_TYPES[best.type].family.value

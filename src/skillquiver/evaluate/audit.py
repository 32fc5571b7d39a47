"""Precision of the relations, by a reader's verdicts on the sheet of `quiver graph audit`.

*Of the sample*: right over judged, with Wilson's score interval (1927). The sheet holds as many relations
of rare kinds as of common ones, so the sample is not the graph. *Of the graph*: the stratified estimate sum
over h of W_h · p_h, with strata h of type and provenance, W_h = N_h / N their share of the relations, and
variance sum of W_h² · (1 - n_h / N_h) · s_h² / n_h (Cochran, 1977, chapter 5); the interval is normal. A
stratum all of whose ten relations are right would have no variance, so s_h² = p'(1 - p') with p' = (right +
1) / (n_h + 2). Kinds nobody judged are left out; how much of the graph they are is told.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.results import Cell, Interval, Plot, Section, Series, Table
from skillquiver.evaluate.sheet import Verdict, Verdicts
from skillquiver.evaluate.significance import wilson
from skillquiver.evaluate.subject import Subject
from skillquiver.evaluate.wording import share_text
from skillquiver.graph.relations import Relation, RelationType

__all__ = ["run", "stratified"]

HOW = (
    "no filled-in sheet: write one with `quiver graph audit --sample 120 > sheet.csv`, read both skills "
    "of each row, write yes or no under `strict` (you would have written it) and `loose` (you let it "
    "stand), and run `quiver eval run audit --audit sheet.csv`"
)

_SOURCE = (
    "Wilson's score interval (1927) for the sample; for the graph the stratified estimate of Cochran "
    "(1977, chapter 5), strata by type and provenance, with a normal interval. `similar_to` is what it is "
    "by definition and stays out."
)

Group = tuple[str, str]
"""Type and provenance: what the sheet is drawn by."""


@dataclass(frozen=True, slots=True)
class _Judged:
    relation: Relation
    verdict: Verdict


def run(subject: Subject, inputs: Inputs) -> Section:
    """Join the verdicts with the graph, and estimate."""
    relations = [r for r in subject.graph.relations if r.type != RelationType.SIMILAR_TO]
    warnings = [subject.graph_told] if subject.graph_told else []
    warnings += inputs.notes.get("audit", ())
    judged = _joined(relations, inputs.audit or {})
    if not inputs.audit:
        warnings.append(HOW)
    else:
        warnings += _doubts(relations, judged, inputs.audit)
    level = inputs.settings.level
    return Section(
        name="audit",
        title="Audit",
        question="How many of the relations does a reader find right?",
        source=_SOURCE,
        answer=_answer(relations, judged, level),
        tables=_tables(relations, judged, level) if judged else (),
        plots=(_plot(judged, level),) if judged else (),
        samples=_samples(judged),
        warnings=tuple(warnings),
    )


def stratified(
    sizes: Mapping[Group, int], sample: Iterable[tuple[Group, bool]], *, level: float = 0.95
) -> Interval | None:
    """Share of right ones among all, estimated from ``sample``; ``None`` if it is empty.

    ``sizes`` has the number of relations in each stratum. ``n`` of the interval counts judged ones.
    """
    found: dict[Group, list[bool]] = defaultdict(list)
    for group, right in sample:
        found[group].append(right)
    total = sum(sizes[group] for group in found)
    if not total:
        return None
    value = variance = 0.0
    for group, verdicts in sorted(found.items()):
        n, weight = len(verdicts), sizes[group] / total
        value += weight * sum(verdicts) / n
        smoothed = (sum(verdicts) + 1) / (n + 2)
        variance += weight**2 * (1 - n / sizes[group]) * smoothed * (1 - smoothed) / n
    half = NormalDist().inv_cdf(0.5 + level / 2) * math.sqrt(variance)
    n = sum(map(len, found.values()))
    return Interval(value, max(0.0, value - half), min(1.0, value + half), n)


def _joined(relations: Sequence[Relation], verdicts: Verdicts) -> list[_Judged]:
    keyed = {(r.source, r.target, r.type.value): r for r in relations}
    return [_Judged(keyed[key], verdict) for key, verdict in verdicts.items() if key in keyed]


def _doubts(relations: Sequence[Relation], judged: Sequence[_Judged], verdicts: Verdicts) -> list[str]:
    told = []
    similar = sum(type_ == RelationType.SIMILAR_TO for _, _, type_ in verdicts)
    gone = len(verdicts) - len(judged) - similar
    if gone:
        told.append(f"{gone} of {len(verdicts)} judged relations are not in this graph and do not count")
    if similar:
        told.append(f"{similar} verdicts on `similar_to` do not count: it holds by definition")
    groups = {_group(one.relation) for one in judged}
    unseen = sum(_group(r) not in groups for r in relations)
    if judged and unseen:
        told.append(
            f"{unseen} of {len(relations)} typed relations are of kinds that nobody judged; "
            "the estimate of the graph leaves them out"
        )
    open_ = sum(one.verdict.strict is None or one.verdict.loose is None for one in judged)
    if open_:
        told.append(f"{open_} rows have only one of the two verdicts")
    return told


def _group(relation: Relation) -> Group:
    return relation.type.value, relation.provenance.value


# --- tables ------------------------------------------------------------------------------------------

Part = tuple[str, Callable[[Relation], bool]]


def _tables(relations: Sequence[Relation], judged: Sequence[_Judged], level: float) -> tuple[Table, ...]:
    groups = sorted({_group(one.relation) for one in judged}, key=_place)
    kinds = [(", ".join(group), _of_group(group)) for group in groups]
    types = sorted({group[0] for group in groups}, key=lambda t: list(RelationType).index(RelationType(t)))
    wholes: list[Part] = [("all", lambda _: True), ("what comes first", lambda r: r.upstream is not None)]
    wholes += [(type_, _of_type(type_)) for type_ in types]
    names = sorted({name for one in judged for name in one.relation.proposed_by})
    sources = [(name, _by(name)) for name in names]
    return (
        _table("Precision by type and provenance", kinds, relations, judged, level),
        _table("Precision of the whole, and by type", wholes, relations, judged, level),
        _table("Precision by candidate source", sources, relations, judged, level),
    )


def _of_group(group: Group) -> Callable[[Relation], bool]:
    return lambda relation: _group(relation) == group


def _of_type(type_: str) -> Callable[[Relation], bool]:
    return lambda relation: relation.type.value == type_


def _by(source: str) -> Callable[[Relation], bool]:
    return lambda relation: source in relation.proposed_by


def _place(group: Group) -> tuple[int, str]:
    return list(RelationType).index(RelationType(group[0])), group[1]


def _table(
    caption: str,
    parts: Sequence[Part],
    relations: Sequence[Relation],
    judged: Sequence[_Judged],
    level: float,
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, belongs in parts:
        mine = [one for one in judged if belongs(one.relation)]
        sizes = _sizes(r for r in relations if belongs(r))
        if mine:
            rows.append((name, sum(sizes.values()), len(mine), *_precision(sizes, mine, level)))
    return Table(
        caption=caption,
        columns=(
            *("relations", "in the graph", "judged", "loose, of the sample", "strict, of the sample"),
            *("loose, of the graph", "strict, of the graph"),
        ),
        rows=tuple(rows),
    )


def _sizes(relations: Iterable[Relation]) -> dict[Group, int]:
    counts: dict[Group, int] = defaultdict(int)
    for relation in relations:
        counts[_group(relation)] += 1
    return counts


def _precision(sizes: Mapping[Group, int], judged: Sequence[_Judged], level: float) -> tuple[Cell, ...]:
    samples = [_verdicts(judged, strict=strict) for strict in (False, True)]
    of_sample = (_wilson(sample, level) for sample in samples)
    of_graph = (stratified(sizes, sample, level=level) for sample in samples)
    return (*of_sample, *of_graph)


def _verdicts(judged: Sequence[_Judged], *, strict: bool) -> list[tuple[Group, bool]]:
    read = [(one, one.verdict.strict if strict else one.verdict.loose) for one in judged]
    return [(_group(one.relation), right) for one, right in read if right is not None]


def _wilson(sample: Sequence[tuple[Group, bool]], level: float) -> Interval | None:
    return wilson(sum(right for _, right in sample), len(sample), level=level) if sample else None


# --- answer ------------------------------------------------------------------------------------------


def _answer(relations: Sequence[Relation], judged: Sequence[_Judged], level: float) -> str:
    if not judged:
        return "Nobody has judged relations of this graph, so nothing is known of their precision."
    parts = [f"A reader judged {len(judged)} of {len(relations)} typed relations."]
    for strict, word in ((False, "loosely"), (True, "strictly")):
        sample = _verdicts(judged, strict=strict)
        whole = stratified(_sizes(relations), sample, level=level)
        if whole is not None:
            right = sum(verdict for _, verdict in sample)
            parts.append(
                f"{right} of {len(sample)} are {word} right; weighted to the whole graph that is "
                f"{share_text(whole)}."
            )
    return "\n".join(parts)


def _samples(judged: Sequence[_Judged]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {"loosely right": {}, "strictly right": {}}
    for one in judged:
        key = f"{one.relation.source} {one.relation.type} {one.relation.target}"
        for name, value in (("loosely right", one.verdict.loose), ("strictly right", one.verdict.strict)):
            if value is not None:
                found[name][key] = float(value)
    return {name: values for name, values in found.items() if values}


def _plot(judged: Sequence[_Judged], level: float) -> Plot:
    groups: dict[str, list[_Judged]] = defaultdict(list)
    for one in sorted(judged, key=lambda one: _place(_group(one.relation))):
        groups[", ".join(_group(one.relation))].append(one)
    series = []
    for strict, label in ((False, "loose"), (True, "strict")):
        shares = {name: _wilson(_verdicts(group, strict=strict), level) for name, group in groups.items()}
        known = {name: share for name, share in shares.items() if share is not None}
        series.append(Series.of(label, known, known.values()))
    return Plot(
        kind="points",
        title="Relations that a reader finds right",
        x_label="type, provenance",
        y_label="share of the judged",
        series=tuple(series),
    )

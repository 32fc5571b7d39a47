"""Rankers side by side on the same queries.

Measures are those of ``metrics``; means with percentile bootstrap intervals over tasks (Efron, 1979),
differences with a randomisation test (Smucker et al., 2007), p-values adjusted over all of them (Holm, 1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from skillquiver.evaluate.abstention import abstention, wrong_firsts
from skillquiver.evaluate.answers import Answers, Scores, answers, doubts, rankers_of, scores
from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.metrics import RANKING_MEASURES
from skillquiver.evaluate.qrels import TAGS, QuerySet
from skillquiver.evaluate.reliability import reliability
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.significance import Paired, holm, mean_interval, paired
from skillquiver.evaluate.subject import Subject
from skillquiver.evaluate.wording import gap_text, p_text
from skillquiver.settings import EvalSettings

__all__ = ["run"]

COMPARED = ("hit@1", "recall@8", "nDCG@10")
"""Measures that are tested: one of the top, one of the set, one of the order. More would cost power."""

BY_TAG = ("hit@1", "recall@8")

ALPHA = 0.05
"""Adjusted p-values below it are called a difference."""

BASELINE = "hybrid"
"""The plain combination: no part of it was trained on queries."""

SOURCE = (
    "hit@k, recall@k, complete@k, MRR; nDCG (Järvelin & Kekäläinen, 2002); percentile bootstrap over tasks "
    "(Efron, 1979); randomisation test (Smucker, Allan & Carterette, 2007); Holm (1979); calibration error "
    "(Guo et al., 2017)"
)


@dataclass(frozen=True)
class _Scored:
    """One set with what every ranker said and what that is worth."""

    queries: QuerySet
    said: Mapping[str, Answers]
    scores: Mapping[str, Scores]

    @property
    def clusters(self) -> Mapping[str, str]:
        """Units of resampling."""
        return {task.query_id: task.cluster for task in self.queries.tasks}


@dataclass(frozen=True)
class _Difference:
    """One ranker minus another on one set."""

    scored: _Scored
    ranker: str
    baseline: str
    found: Mapping[str, Paired]
    p: Mapping[str, float] = field(default_factory=dict)
    """Adjusted over all differences of the section."""


def run(subject: Subject, inputs: Inputs) -> Section:
    """Compare ``RANKERS`` on every set, by tag, in what they decline, and in what they say of themselves."""
    names, settings = rankers_of(subject), inputs.settings
    done = [_scored(subject, queries, names) for queries in inputs.sets]
    held = [one for one in done if one.queries.answerable]
    product = settings.ranker if settings.ranker in names else BASELINE
    gaps = _differences(held, product, settings)
    sets = [(one.queries, one.said[product]) for one in done]
    trust = reliability(sets, product)
    off_topic = abstention([(one.queries, one.said) for one in done], settings)
    return Section(
        name="rankers",
        title="Rankers",
        question="How good is each ranker, by tag?",
        source=SOURCE,
        answer="\n".join(filter(None, [*_sentences(held, product, gaps), off_topic.answer, trust.answer])),
        tables=(
            *(_table(one, settings) for one in held),
            *(table for one in held for table in _tag_tables(one, settings)),
            *([_difference_table(gaps)] if gaps else []),
            *off_topic.tables,
            *wrong_firsts([(one.queries, one.said) for one in done], settings),
            *trust.tables,
        ),
        plots=(*(_bars(held, measure, settings) for measure in BY_TAG if held), *trust.plots),
        samples={
            f"{one.queries.name}: {name}, {measure}": values
            for one in held
            for name, its in one.scores.items()
            for measure, values in its.items()
        },
        warnings=doubts(subject, inputs.sets),
    )


def _scored(subject: Subject, queries: QuerySet, names: Iterable[str]) -> _Scored:
    said = {name: answers(subject, queries.tasks, name) for name in names}
    return _Scored(queries, said, {name: scores(queries.answerable, said[name]) for name in said})


def _differences(held: Sequence[_Scored], product: str, settings: EvalSettings) -> list[_Difference]:
    """Each ranker minus the plain combination, and minus what users get; each pair once."""
    found = []
    for one in held:
        for baseline in dict.fromkeys((BASELINE, product)):
            for name, its in one.scores.items():
                if name == baseline or (baseline == product and name == BASELINE):
                    continue
                tests = {m: paired(its[m], one.scores[baseline][m], one.clusters, settings) for m in COMPARED}
                found.append(_Difference(one, name, baseline, tests))
    adjusted = iter(holm([gap.found[m].p for gap in found for m in COMPARED]))
    return [replace(gap, p={m: next(adjusted) for m in COMPARED}) for gap in found]


# --- tables and plots --------------------------------------------------------------------------------


def _table(one: _Scored, settings: EvalSettings) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, *(mean_interval(its[m], one.clusters, settings) for m in RANKING_MEASURES))
        for name, its in one.scores.items()
    ]
    caption = f"{one.queries.name}: {len(one.queries.answerable)} queries with a gold skill in the library"
    return Table(caption=caption, columns=("ranker", *RANKING_MEASURES), rows=tuple(rows))


def _tag_tables(one: _Scored, settings: EvalSettings) -> list[Table]:
    """Tags against rankers; none where no query has a tag."""
    members: dict[str, list[str]] = {}
    for task in one.queries.answerable:
        for tag in task.tags or ("no tag",):
            members.setdefault(tag, []).append(task.query_id)
    if set(members) <= {"no tag"}:
        return []
    order = sorted(members, key=lambda tag: (TAGS.index(tag) if tag in TAGS else len(TAGS), tag))
    tables = []
    for measure in BY_TAG:
        rows: list[tuple[Cell, ...]] = []
        for tag in order:
            cells = [
                mean_interval({i: its[measure][i] for i in members[tag]}, one.clusters, settings)
                for its in one.scores.values()
            ]
            rows.append((tag, len(members[tag]), *cells))
        caption = f"{one.queries.name} by tag: {measure}"
        tables.append(Table(caption=caption, columns=("tag", "queries", *one.scores), rows=tuple(rows)))
    return tables


def _difference_table(gaps: Sequence[_Difference]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for gap in gaps:
        cells = [cell for m in COMPARED for cell in (gap.found[m].difference, gap.p[m])]
        rows.append((f"{gap.scored.queries.name}: {gap.ranker} - {gap.baseline}", *cells))
    count = len(gaps) * len(COMPARED)
    return Table(
        caption=f"Differences on the same queries; p two-sided, Holm-adjusted over all {count}",
        columns=("set: ranker - ranker", *(column for m in COMPARED for column in (m, f"{m}: p"))),
        rows=tuple(rows),
    )


def _bars(held: Sequence[_Scored], measure: str, settings: EvalSettings) -> Plot:
    series = []
    for one in held:
        found = [mean_interval(its[measure], one.clusters, settings) for its in one.scores.values()]
        series.append(Series.of(one.queries.name, one.scores, found))
    return Plot(
        kind="bars",
        title=f"Rankers: {measure}",
        x_label="ranker",
        y_label=measure,
        series=tuple(series),
    )


# --- the answer in words -----------------------------------------------------------------------------


def _sentences(held: Sequence[_Scored], product: str, gaps: Sequence[_Difference]) -> list[str]:
    """A line for each set, and before several of them one with every hit@1."""
    found = [_headline(held, product)] if len(held) > 1 else []
    for one in held:
        means = {
            name: [fmean(its[measure].values()) for measure in BY_TAG] for name, its in one.scores.items()
        }
        plain = f"; `{BASELINE}`, which is not trained, {means[BASELINE][0]:.3f} and {means[BASELINE][1]:.3f}"
        first = (
            f"{one.queries.name}: `{product}` puts a right skill first for {means[product][0]:.3f} of the "
            f"queries and has {means[product][1]:.3f} of the gold skills among its first 8"
        )
        told = [f"{first}{plain if product != BASELINE else ''}."]
        own = [gap for gap in gaps if gap.scored is one and gap.baseline == BASELINE]
        told += [
            f"`{product}` minus `{BASELINE}`: "
            + ", ".join(f"{m} {gap_text(gap.found[m].difference)} ({p_text(gap.p[m])})" for m in BY_TAG)
            + "."
            for gap in own
            if gap.ranker == product
        ]
        told.append(_verdict([gap for gap in own if gap.ranker != product], ALPHA))
        found.append(" ".join(filter(None, told)))
    return found


def _headline(held: Sequence[_Scored], product: str) -> str:
    told = [
        f"of `{name}` "
        + ", ".join(f"{fmean(one.scores[name]['hit@1'].values()):.3f} on {one.queries.name}" for one in held)
        for name in dict.fromkeys((product, BASELINE))
    ]
    return f"hit@1 {'; '.join(told)}."


def _verdict(gaps: Sequence[_Difference], alpha: float) -> str:
    """Which rankers are worse than the baseline, and which cannot be told from it."""
    said: dict[str, list[str]] = {"worse": [], "better": [], "not told apart": []}
    for gap in gaps:
        sure = [m for m in COMPARED if gap.p[m] < alpha]
        for verdict, sign in (("worse", -1), ("better", 1)):
            its = [m for m in sure if sign * gap.found[m].difference.value > 0]
            said[verdict] += [f"`{gap.ranker}` ({', '.join(its)})"] if its else []
        said["not told apart"] += [] if sure else [f"`{gap.ranker}`"]
    parts = [f"{verdict}: {', '.join(names)}" for verdict, names in said.items() if names]
    return f"Against `{BASELINE}`, after correction: {'; '.join(parts)}." if parts else ""

"""Two runs side by side: what changed, query by query, and whether that is more than chance.

For each measure of each system that both runs have, the mean of the differences of the same queries, with
its percentile bootstrap interval and a randomisation test over tasks; p-values are adjusted over all
measures (Holm, 1979) that differ in any task: one that does not could never be found different, so that it
takes no power from the others (Tarone, 1990).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import msgspec

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import REPORT_SCHEMA, Interval
from skillquiver.evaluate.significance import cluster_means, holm, paired
from skillquiver.settings import EvalSettings

__all__ = ["Comparison", "Row", "Run", "compare", "read_run"]


GREATEST = 1e100
"""No measure comes near it; sums of larger values would be infinite."""

HASH_DIGITS = 10
"""Of a file's SHA-256: enough to see that two differ."""


class _Section(msgspec.Struct, frozen=True):
    """What of a section is compared; other keys are not read."""

    name: str
    samples: dict[str, dict[str, float | None]]
    clusters: dict[str, str] = {}
    warnings: list[str] = []


class _File(msgspec.Struct, frozen=True):
    kind: str
    name: str
    sha256: str


class _About(msgspec.Struct, frozen=True):
    """What of a run is compared: a section alone says nothing of it."""

    library: str | None = None
    skills: int | None = None
    generation: int | None = None
    relations: int | None = None
    encoder: str | None = None
    version: str | None = None
    settings: dict[str, Any] | None = None
    files: list[_File] = []


_PLAIN = ("library", "skills", "generation", "relations", "encoder", "version")
"""Of what is said of a run, what is one value."""

_SHOWN = {"generation": "changes of the index"}


class _Report(msgspec.Struct, frozen=True):
    sections: list[_Section]
    about: _About = _About()


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``samples`` maps (experiment, measure of a system) to values by query id.

    ``about`` maps what may make two runs differ to what it was in this one; empty for a section alone.
    ``warnings`` are those of its experiments, each once.
    """

    origin: str
    samples: Mapping[tuple[str, str], Mapping[str, float]]
    clusters: Mapping[tuple[str, str], Mapping[str, str]]
    about: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure of one system. ``before`` and ``after`` are means over the tasks that both runs have.

    ``difference`` is after minus before, its interval over tasks; ``won`` and ``lost`` count tasks that are
    better or worse after. ``adjusted`` is ``p`` after Holm's correction over all rows.
    """

    experiment: str
    sample: str
    queries: int
    before: float
    after: float
    difference: Interval
    won: int
    lost: int
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Measures that differ, in the order of the first run; the others; and what could not be compared."""

    rows: tuple[Row, ...]
    same: tuple[tuple[str, str], ...]
    """Experiment and sample of measures that have the same mean for every task."""
    warnings: tuple[str, ...]


def read_run(data: bytes, *, origin: str) -> Run:
    """Read the JSON of a report, or of one section.

    Raises ``UsageError`` for anything else, and for another version of the schema.
    """
    try:
        found: Any = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UsageError(f"{origin}: not JSON ({error})") from error
    if not isinstance(found, dict) or not {"sections", "samples"} & set(found):
        raise UsageError(f"{origin}: no report; make one with `quiver eval run ... --json`")
    if found.get("schema") != REPORT_SCHEMA:
        raise UsageError(
            f"{origin}: the report has schema {found.get('schema')!r}, this version reads {REPORT_SCHEMA}; "
            "run the experiment again"
        )
    try:
        whole = found if "sections" in found else {"sections": [found]}
        report = msgspec.convert(whole, _Report)
    except msgspec.ValidationError as error:
        raise UsageError(f"{origin}: a damaged report ({error})") from error
    samples, clusters = {}, {}
    for section in report.sections:
        for name, values in section.samples.items():
            kept = {query_id: value for query_id, value in values.items() if value is not None}
            if any(abs(value) > GREATEST for value in kept.values()):
                raise UsageError(f"{origin}: a damaged report (a value of {name} is over {GREATEST:g})")
            samples[section.name, name] = kept
            clusters[section.name, name] = section.clusters
    doubts = dict.fromkeys(warning for section in report.sections for warning in section.warnings)
    return Run(origin, samples, clusters, _told(report.about), tuple(doubts))


def _told(about: _About) -> Mapping[str, str]:
    """What is known of a run, as text; a file is told from another one by its bytes."""
    plain = ((name, getattr(about, name)) for name in _PLAIN)
    told = {_SHOWN.get(name, name): str(value) for name, value in plain if value is not None}
    told |= {f"settings.{name}": str(value) for name, value in (about.settings or {}).items()}
    return told | {f"{file.kind} {file.name}": file.sha256[:HASH_DIGITS] for file in about.files}


def compare(before: Run, after: Run, settings: EvalSettings) -> Comparison:
    """Compare every sample that both runs have, on the queries that both have.

    Raises ``UsageError`` if there is none.
    """
    rows, same, warnings = [], [], _differing(before, after)
    for one, other in ((before, after), (after, before)):
        warnings += [f"only {one.origin} warns: {w}" for w in one.warnings if w not in other.warnings]
    for key in (key for key in before.samples if key in after.samples):
        row = _row(key, before, after, settings)
        lonely = set(before.samples[key]) ^ set(after.samples[key])
        if lonely:
            warnings.append(f"{': '.join(key)}: {len(lonely)} queries stand in one run only: left out")
        if row.queries and not row.won and not row.lost:
            same.append(key)
        elif row.queries:
            rows.append(row)
    alone = set(before.samples) ^ set(after.samples)
    if alone:
        warnings.append(f"{len(alone)} measures stand in one run only: left out")
    if not rows and not same:
        raise UsageError(
            f"{before.origin} and {after.origin} share no measure of the same queries: compare two runs of "
            "one experiment over the same query files"
        )
    adjusted = holm([row.p for row in rows])
    rows = [replace(row, adjusted=p) for row, p in zip(rows, adjusted, strict=True)]
    return Comparison(tuple(rows), tuple(same), tuple(warnings))


def _differing(before: Run, after: Run) -> list[str]:
    """One warning for whatever else the runs differ in; none where either says nothing of itself."""
    one, two = before.about, after.about
    if not one or not two:
        return []
    names = (name for name in {**one, **two} if one.get(name) != two.get(name))
    gaps = [f"{name} ({one.get(name, 'none')}, then {two.get(name, 'none')})" for name in names]
    return [f"the runs differ in more than their answers: {', '.join(gaps)}"] if gaps else []


def _row(key: tuple[str, str], before: Run, after: Run, settings: EvalSettings) -> Row:
    """One measure, its p-value not adjusted yet."""
    one, two = before.samples[key], after.samples[key]
    clusters = {**after.clusters[key], **before.clusters[key]}
    shared = [query_id for query_id in one if query_id in two]
    test = paired(two, one, clusters, settings)
    means = [cluster_means({i: values[i] for i in shared}, clusters) for values in (one, two)]
    return Row(
        experiment=key[0],
        sample=key[1],
        queries=len(shared),
        before=fmean(means[0]) if shared else 0.0,
        after=fmean(means[1]) if shared else 0.0,
        difference=test.difference,
        won=test.won,
        lost=test.lost,
        p=test.p,
        adjusted=test.p,
    )

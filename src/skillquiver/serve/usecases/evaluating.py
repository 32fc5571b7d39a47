"""Experiments on a library, from the files that a user names."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from skillquiver.errors import LibraryError, UsageError
from skillquiver.evaluate.echo_test import echo_warnings, without_echoes
from skillquiver.evaluate.experiment import FROM_RANKER, WITHOUT_QUERIES, Inputs, experiment
from skillquiver.evaluate.labels import OrderEdge, Reference, read_order, read_references
from skillquiver.evaluate.leaks import leak_warnings
from skillquiver.evaluate.qrels import Equivalents, QuerySet, judge, read_equivalents, read_queries
from skillquiver.evaluate.results import Section
from skillquiver.evaluate.sheet import read_sheet
from skillquiver.evaluate.subject import RANKERS
from skillquiver.serve.usecases.location import library_folder
from skillquiver.serve.usecases.subject import LibrarySubject
from skillquiver.settings import EvalSettings
from skillquiver.types import SkillId

__all__ = [
    "QueryFiles",
    "check_files",
    "read_all",
    "read_same",
    "read_sets",
    "read_text",
    "run_command",
    "run_experiment",
]


@dataclass(frozen=True, slots=True)
class QueryFiles:
    """Files that a run reads, called as the options of `quiver eval run`; all are optional.

    With ``reject_echo``, queries that repeat a description are left out, and counted. ``second_stage`` is
    what the library was opened with.
    """

    queries: tuple[Path, ...] = ()
    equivalents: Path | None = None
    order: Path | None = None
    references: Path | None = None
    audit: Path | None = None
    second_stage: Path | None = None
    reject_echo: bool = False


def run_command(name: str, files: QueryFiles, settings: EvalSettings, library: Path) -> str:
    """The command that runs one experiment alone, with the options that matter.

    ``library`` is named unless it is the user's own.
    """
    words = ["quiver", "eval", "run", name, *map(str, files.queries)]
    for field in fields(files):
        value = getattr(files, field.name)
        option = f"--{field.name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, Path):
            words += [option, str(value)]
    if settings.ranker != EvalSettings().ranker:
        words += ["--ranker", settings.ranker]
    if library != library_folder("", {}):
        words += ["--library", str(library)]
    return shlex.join(words)


def run_experiment(
    subject: LibrarySubject, name: str, files: QueryFiles, settings: EvalSettings, *, command: str = ""
) -> Section:
    """Run one experiment; its section says how long it took and which command makes it.

    Raises ``UsageError`` for an experiment, a ranker or files that there are not, and ``LibraryError`` if
    another process wrote the library since it was opened: the section would mix two libraries.
    """
    run = experiment(name)
    if not files.queries and name not in WITHOUT_QUERIES:
        raise UsageError(
            f"{name} needs queries with their gold skills: `quiver eval run {name} QUERIES.jsonl`"
        )
    if settings.ranker not in RANKERS:
        raise UsageError(f"no ranker called {settings.ranker!r}; there are {', '.join(RANKERS)}")
    started = time.perf_counter()
    inputs, told = read_all(subject, files, settings)
    section = run(subject, inputs)
    if subject.library.store.data_version != subject.library.data_version:
        raise LibraryError(f"the library changed before {name} was done; run it again when nothing writes it")
    ranker = settings.ranker if name in FROM_RANKER else EvalSettings().ranker
    told = (
        ()
        if name in WITHOUT_QUERIES
        else (*leak_warnings(subject, inputs.sets, ranker), *told, *_degraded(subject, section))
    )
    return replace(
        section,
        clusters={**_clusters(inputs.sets), **section.clusters},
        warnings=(*told, *section.warnings),
        command=command or run_command(name, files, settings, subject.library.folder),
        seconds=round(time.perf_counter() - started, 2),
    )


def _degraded(subject: LibrarySubject, section: Section) -> tuple[str, ...]:
    """Why every search of the section was poorer than users' searches should be, unless it says so."""
    why = subject.library.degraded
    if not why or any(why in warning for warning in section.warnings):
        return ()
    return (f"the ranking is degraded: {why}",)


def check_files(subject: LibrarySubject, files: QueryFiles, settings: EvalSettings) -> None:
    """Raise the ``UsageError`` that every experiment would raise on these files; else do nothing."""
    _clusters(read_all(subject, files, settings)[0].sets)


def read_all(
    subject: LibrarySubject, files: QueryFiles, settings: EvalSettings
) -> tuple[Inputs, tuple[str, ...]]:
    """Read every file that was given, and what makes figures on its queries doubtful.

    Raises ``UsageError`` for a file that cannot be read.
    """
    ids = list(subject.skills)
    notes: dict[str, tuple[str, ...]] = {}
    order: tuple[OrderEdge, ...] = ()
    references: tuple[Reference, ...] = ()
    audit = None
    if files.order is not None:
        order, labels = read_order(read_text(files.order), origin=str(files.order), ids=ids)
        notes["order"] = labels.told(files.order.name)
    if files.references is not None:
        text = read_text(files.references)
        references, labels = read_references(text, origin=str(files.references), ids=ids)
        notes["references"] = labels.told(files.references.name)
    if files.audit is not None:
        audit = read_sheet(read_text(files.audit), origin=str(files.audit))
    sets = read_sets(files, ids)
    rejected: tuple[str, ...] = ()
    if files.reject_echo:
        sets, rejected = without_echoes(sets, subject.skills)
    told = (*echo_warnings(sets, subject.skills), *rejected)
    inputs = Inputs(
        sets=sets, order=order, references=references, audit=audit, notes=notes, settings=settings
    )
    return inputs, told


def read_sets(files: QueryFiles, ids: Sequence[SkillId]) -> tuple[QuerySet, ...]:
    """Read and judge every query file. Raises ``UsageError`` for a file that cannot be read.

    A set is called after its file, up to the first dot, or up to the last one where two would have one name.
    """
    same = read_same(files.equivalents)
    short = [file.name.partition(".")[0] for file in files.queries]
    names = [
        name if short.count(name) == 1 else file.stem for name, file in zip(short, files.queries, strict=True)
    ]
    if len(set(names)) < len(names):
        raise UsageError(f"query files must have different names: {', '.join(names)}")
    return tuple(
        judge(read_queries(read_text(file), origin=str(file)), ids, same, name=name)
        for name, file in zip(names, files.queries, strict=True)
    )


def read_same(file: Path | None) -> Equivalents:
    """The equivalents in ``file``; none without one."""
    return {} if file is None else read_equivalents(read_text(file), origin=str(file))


def read_text(file: Path) -> str:
    """The text of a file of queries or the like. Raises ``UsageError`` if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error


def _clusters(sets: Sequence[QuerySet]) -> Mapping[str, str]:
    """Units of resampling by query id, where that is another id.

    Raises ``UsageError`` where two files use one query id for queries of different units.
    """
    found: dict[str, str] = {}
    for task in (task for queries in sets for task in queries.tasks):
        if found.setdefault(task.query_id, task.cluster) != task.cluster:
            raise UsageError(f"query_id {task.query_id!r} has different tasks in two files; rename one")
    return {query_id: cluster for query_id, cluster in found.items() if cluster != query_id}

"""The whole report: every experiment in turn, what is done kept at every step, and what the run was."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import msgspec

from skillquiver import __version__
from skillquiver.errors import UsageError
from skillquiver.evaluate.experiment import EXPERIMENTS
from skillquiver.evaluate.results import REPORT_SCHEMA, Report, Section
from skillquiver.graph.stored import GRAPH
from skillquiver.serve.report.document import report_of, section_data
from skillquiver.serve.report.folder import JSON_NAME, write_json
from skillquiver.serve.usecases.evaluating import QueryFiles, check_files, run_command, run_experiment
from skillquiver.serve.usecases.subject import LibrarySubject
from skillquiver.settings import EvalSettings

__all__ = ["ReportPlan", "chosen_experiments", "run_report"]

Tell = Callable[[str, float | None], None]
"""Called with an experiment's name when it begins, and again with its seconds when it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPlan:
    """What a report is made of. ``resume`` keeps sections of an earlier run over the same inputs."""

    names: tuple[str, ...]
    out: Path
    resume: bool = False
    command: str = ""


def chosen_experiments(only: Sequence[str], skip: Sequence[str]) -> tuple[str, ...]:
    """Names of the experiments to run, in their order. Raises ``UsageError`` for a name that is none."""
    for name in (*only, *skip):
        if name not in EXPERIMENTS:
            raise UsageError(f"no experiment called {name!r}; there are {', '.join(EXPERIMENTS)}")
    names = tuple(name for name in EXPERIMENTS if (not only or name in only) and name not in skip)
    if not names:
        raise UsageError("--only and --skip leave no experiment")
    return names


def run_report(
    subject: LibrarySubject, files: QueryFiles, settings: EvalSettings, plan: ReportPlan, tell: Tell
) -> Report:
    """Run ``plan``; ``report.json`` is written after each section.

    An experiment that cannot run for want of data becomes a section that says so. Whatever else goes wrong
    is raised, and what is done stays; so does what was measured before another process wrote the library,
    which is a ``LibraryError``. Raises ``UsageError`` for a file that cannot be read, before anything runs,
    for one that changes meanwhile, and if the folder cannot be written.
    """
    check_files(subject, files, settings)
    digest = _digest(subject, files, settings)
    kept = _kept(plan, digest) if plan.resume else {}
    about = _about(subject, files, settings, plan)
    done: dict[str, dict[str, Any]] = {name: kept[name] for name in plan.names if name in kept}
    about["resumed"] = list(done)
    about["seconds"] = _seconds(done)
    data: dict[str, Any] = {"schema": REPORT_SCHEMA, "about": about, "sections": list(done.values())}
    write_json(plan.out, data)
    for name in plan.names:
        if name in done:
            continue
        tell(name, None)
        section = _section(subject, name, files, settings)
        tell(name, section.seconds)
        if _digest(subject, files, settings) != digest:
            raise UsageError(f"a file that the report reads changed before {name} was done; run it again")
        done[name] = {**section_data(section), "inputs": digest}
        about["seconds"] = _seconds(done)
        about["peak_memory_mb"] = _peak_memory()
        data["sections"] = [done[one] for one in plan.names if one in done]
        write_json(plan.out, data)
    return report_of(data, origin=str(plan.out / JSON_NAME))


def _seconds(done: Mapping[str, Mapping[str, Any]]) -> float:
    """What all sections took, those of an earlier run as well."""
    return round(sum(float(section["seconds"]) for section in done.values()), 1)


def _section(subject: LibrarySubject, name: str, files: QueryFiles, settings: EvalSettings) -> Section:
    command = run_command(name, files, settings, subject.library.folder)
    started = time.perf_counter()
    try:
        return run_experiment(subject, name, files, settings, command=command)
    except UsageError as error:
        return Section(
            name=name,
            title=name.capitalize(),
            question=EXPERIMENTS[name],
            source="",
            answer="",
            warnings=(f"not run: {error}",),
            command=command,
            seconds=round(time.perf_counter() - started, 2),
        )


# --- what was done before ----------------------------------------------------------------------------


def _kept(plan: ReportPlan, digest: str) -> Mapping[str, dict[str, Any]]:
    """Sections of the report in the folder that have an answer to the same inputs, by name."""
    file = plan.out / JSON_NAME
    try:
        data = msgspec.json.decode(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"cannot resume from {file}: {error}; run without --resume") from error
    report_of(data, origin=str(file))  # refuses what is no report
    return {
        section["name"]: section
        for section in data["sections"]
        if section.get("inputs") == digest and (section["answer"] or section.get("tables"))
    }


def _digest(subject: LibrarySubject, files: QueryFiles, settings: EvalSettings) -> str:
    """SHA-256 over everything that decides what a section says: version, library, graph, files, settings."""
    store = subject.library.store
    found = hashlib.sha256()
    graph = store.get_derived(GRAPH)
    for part in (
        __version__,
        store.generation,
        subject.library.degraded,
        store.get_meta("encoder_name"),
        graph[1].hex() if graph else "",
        *(f"{skill.id} {skill.content_hash}" for skill in subject.skills.values()),
        *(f"{kind} {sha}" for kind, _, sha in _files(files)),
        *(f"{field.name} {getattr(files, field.name) is True}" for field in fields(files)),
        *sorted(f"{name} {value}" for name, value in asdict(settings).items()),
    ):
        found.update(f"{part}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _files(files: QueryFiles) -> Iterator[tuple[str, Path, str]]:
    """(kind, path, SHA-256) of every file that is read."""
    for field in fields(files):
        value = getattr(files, field.name)
        for given in value if isinstance(value, tuple) else (value,):
            if not isinstance(given, Path):
                continue
            try:
                for path in sorted(given.iterdir()) if given.is_dir() else (given,):
                    if path.is_file():
                        yield field.name, path, hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise UsageError(f"cannot read {given}: {error}") from error


# --- what the run was --------------------------------------------------------------------------------


def _about(
    subject: LibrarySubject, files: QueryFiles, settings: EvalSettings, plan: ReportPlan
) -> dict[str, Any]:
    store = subject.library.store
    return {
        "library": subject.library.folder.name,
        "skills": len(subject.skills),
        "relations": len(subject.graph.relations),
        "generation": store.generation,
        "encoder": store.get_meta("encoder_name"),
        "degraded": subject.library.degraded,
        "files": [{"kind": kind, "name": path.name, "sha256": sha} for kind, path, sha in _files(files)],
        "settings": asdict(settings),
        "version": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "seconds": 0.0,
        "peak_memory_mb": None,
        "resumed": [],
        "command": plan.command,
    }


def _peak_memory() -> float | None:
    """Most memory this process has held so far, in MB; ``None`` where the system does not say."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return None
    unit = 1 if platform.system() == "Darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)

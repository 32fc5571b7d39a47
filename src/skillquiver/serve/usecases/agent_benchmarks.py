"""Agent benchmarks on a user's library: packs written for a runner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.arms import AgentArm
from skillquiver.evaluate.agents.export import Job, Manifest, export_arm, packs_in, packs_of
from skillquiver.serve.usecases.evaluating import LibrarySubject, QueryFiles, read_sets
from skillquiver.settings import AgentSettings

__all__ = ["export_harbor"]


def export_harbor(
    subject: LibrarySubject, source: Path, arms: Sequence[AgentArm], out: Path, settings: AgentSettings
) -> tuple[Manifest, ...]:
    """Write a copy of every pack of ``source`` for every arm to ``out/<arm>/<task>``.

    ``source`` is a folder of packs, or a query file, whose queries become minimal packs. Raises
    ``UsageError`` for a source without tasks, an ``out`` that is not empty, and files that cannot be written.
    """
    if settings.budget < 1 or settings.max_skills < 1 or settings.all_skills < 1:
        raise UsageError("--budget, --max-skills and --all-skills must be at least 1")
    try:
        if out.exists() and any(out.iterdir()):
            raise UsageError(f"{out} is not empty; choose another folder, or empty it")
        jobs = _jobs(subject, source)
        return tuple(export_arm(subject, jobs, arm, out, settings) for arm in dict.fromkeys(arms))
    except OSError as error:
        raise UsageError(f"cannot export to {out}: {error}") from error


def _jobs(subject: LibrarySubject, source: Path) -> list[Job]:
    if source.is_dir():
        return packs_in(source, subject.skills)
    (queries,) = read_sets(QueryFiles((source,)), list(subject.skills))
    return packs_of(queries.tasks)

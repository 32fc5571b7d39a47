"""Agent benchmarks on a user's library: packs written for a runner, and its results read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.arms import AgentArm
from skillquiver.evaluate.agents.export import Job, Manifest, export_arm, packs_in, packs_of
from skillquiver.evaluate.agents.outcome import agents_section
from skillquiver.evaluate.agents.trials import Trial, read_jobs
from skillquiver.evaluate.results import Section
from skillquiver.serve.usecases.evaluating import QueryFiles, read_sets
from skillquiver.serve.usecases.subject import LibrarySubject
from skillquiver.settings import AgentSettings, EvalSettings

__all__ = ["export_harbor", "import_harbor"]


def export_harbor(
    subject: LibrarySubject, source: Path, arms: Sequence[AgentArm], out: Path, settings: AgentSettings
) -> tuple[Manifest, ...]:
    """Write a copy of every pack of ``source`` for every arm to ``out/<arm>/<task>``.

    ``source`` is a folder of packs, or a query file, whose queries become minimal packs. Raises
    ``UsageError`` for a source without tasks, an ``out`` that is not empty or in a pack, and files that
    cannot be written.
    """
    if settings.budget < 1 or settings.max_skills < 1 or settings.all_skills < 1:
        raise UsageError("--budget, --max-skills and --all-skills must be at least 1")
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder; give a folder of task packs, or a query file")
    try:
        if out.exists() and any(out.iterdir()):
            raise UsageError(f"{out} is not empty; choose another folder, or empty it")
        jobs = _jobs(subject, source)
        if any(job.folder and out.resolve().is_relative_to(job.folder.resolve()) for job in jobs):
            raise UsageError(f"{out} is in a task pack, which would be copied into itself; choose another")
        return tuple(export_arm(subject, jobs, arm, out, settings) for arm in dict.fromkeys(arms))
    except OSError as error:
        raise UsageError(f"cannot export to {out}: {error}") from error


def import_harbor(
    folders: Sequence[str], settings: EvalSettings, *, reward: str = "reward", command: str = ""
) -> Section:
    """Read the runner's results back; each of ``folders`` is a folder, or ``arm=folder``.

    Raises ``UsageError`` for a folder that is none, or holds no trial.
    """
    trials: dict[str, Trial] = {}
    notes: list[str] = []
    for given in folders:
        folder, arm = Path(given), ""
        if not folder.is_dir() and "=" in given:
            arm, _, rest = given.partition("=")
            folder = Path(rest)
        if not folder.is_dir():
            raise UsageError(f"{given}: no such folder; give a folder of jobs, or ARM=FOLDER")
        jobs = read_jobs(folder, arm=arm.strip(), reward=reward)
        trials = {str(Path(trial.place).resolve()): trial for trial in jobs.trials} | trials
        notes += [note for note in jobs.notes if note not in notes]
    return replace(agents_section(trials.values(), settings, notes=notes), command=command)


def _jobs(subject: LibrarySubject, source: Path) -> list[Job]:
    if source.is_dir():
        return packs_in(source, subject.skills)
    (queries,) = read_sets(QueryFiles((source,)), list(subject.skills))
    return packs_of(queries.tasks)

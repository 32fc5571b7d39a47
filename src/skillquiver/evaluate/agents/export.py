"""A copy of every task pack for every arm, with that arm's skills inside, and a manifest of them."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.arms import AgentArm, Choice, Given, choose
from skillquiver.evaluate.agents.folders import (
    PACK_LIMITS,
    Copied,
    copy_skill,
    copy_tree,
    safe_names,
)
from skillquiver.evaluate.agents.packs import PackError, PackTexts, minimal_pack, task_text, with_skills
from skillquiver.evaluate.qrels import Task
from skillquiver.evaluate.subject import Subject
from skillquiver.settings import AgentSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["MANIFEST_SCHEMA", "Exported", "Job", "Manifest", "export_arm", "packs_in", "packs_of"]

MANIFEST_SCHEMA = 1
"""Version of the manifest; it rises when a key changes its meaning or goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A task to export: a pack to copy (``folder``), or files to write, and the query for the rankers.

    ``needed`` are skills of the library known to be relevant, ``wanted`` how many there should be. ``wrong``
    says why it cannot be exported; empty if nothing is known against it.
    """

    name: str
    query: str = ""
    folder: Path | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[frozenset[SkillId], ...] = ()
    wanted: int = 0
    wrong: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _GivenFolder:
    """A skill in a pack. ``folder`` is its name below ``environment/skills``."""

    id: str
    folder: str
    role: str
    tokens: int
    files: int
    size: int
    changed: bool = False
    """Whether the file is no longer the one that was indexed."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Files that were not copied, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One pack of one arm. ``needed`` of ``wanted`` relevant skills were given; 0 of 0 if none is known."""

    task: str
    status: str
    ranking_ms: float
    tokens: int
    skills: tuple[_GivenFolder, ...]
    needed: int
    wanted: int
    over_budget: tuple[str, ...] = ()
    """Skills that the arm chose and whose whole texts did not fit."""
    unreadable: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Files of the pack that were not copied, and why."""
    stays: tuple[str, ...] = ()
    """Other ``SKILL.md`` files of the pack's environment: every arm has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one arm was given. ``skipped`` has the tasks that could not be exported, and why."""

    arm: str
    budget: int | None
    max_skills: int
    library_skills: int
    tasks: tuple[Exported, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    schema: int = MANIFEST_SCHEMA


def packs_in(folder: Path, skills: Mapping[SkillId, Skill]) -> list[Job]:
    """The packs in ``folder``, or the one that it is, by name; raises ``UsageError`` if there is none.

    The skills that a pack brings itself are taken for the relevant ones, matched by their folders' names.
    """
    folders = [folder] if (folder / "task.toml").is_file() else _children(folder)
    if not folders:
        raise UsageError(f"{folder} holds no task pack: no folder in it has a task.toml")
    by_name: dict[str, list[SkillId]] = {}
    for skill_id, skill in skills.items():
        by_name.setdefault(skill.folder, []).append(skill_id)
    return [_pack(pack, by_name) for pack in folders]


def packs_of(tasks: Sequence[Task]) -> list[Job]:
    """A minimal pack for every query."""
    names = safe_names({task.query_id: task.query_id for task in tasks})
    return [
        Job(
            name=names[task.query_id],
            query=task.query,
            files=minimal_pack(task.query_id, task.query, task.tags),
            needed=task.gold,
            wanted=task.wanted,
        )
        for task in tasks
    ]


def export_arm(
    subject: Subject, jobs: Iterable[Job], arm: AgentArm, out: Path, settings: AgentSettings
) -> Manifest:
    """Write ``out/<arm>/<task>`` for every job and ``out/<arm>.json``, the manifest.

    A job that cannot be exported is skipped and named; nothing of it is left behind half.
    """
    done: list[Exported] = []
    skipped: list[tuple[str, str]] = []
    for job in jobs:
        try:
            if job.wrong:
                raise PackError(job.wrong)
            given = choose(subject, job.query, arm, settings, needed=_one_of_each(job.needed))
            exported = _write(job, given, out / arm.value / job.name)
            if settings.say_order:
                _say_order(out / arm.value / job.name, exported)
            done.append(exported)
        except PackError as error:
            skipped.append((job.name, str(error)))
    manifest = Manifest(
        arm=arm.value,
        budget=settings.budget if arm in (AgentArm.VECTOR, AgentArm.SKILLQUIVER) else None,
        max_skills=settings.all_skills if arm is AgentArm.ALL else settings.max_skills,
        library_skills=len(subject.skills),
        tasks=tuple(done),
        skipped=tuple(skipped),
    )
    text = json.dumps(msgspec.to_builtins(manifest), ensure_ascii=False, indent=1)
    out.mkdir(parents=True, exist_ok=True)
    # Names of files need not be UTF-8: what is none becomes an escape of JSON.
    (out / f"{arm.value}.json").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    return manifest


# --- reading -----------------------------------------------------------------------------------------


def _children(folder: Path) -> list[Path]:
    return [child for child in sorted(folder.iterdir()) if (child / "task.toml").is_file()]


def _pack(folder: Path, by_name: Mapping[str, Sequence[SkillId]]) -> Job:
    own = sorted(path.parent.name for path in (folder / "environment" / "skills").glob("*/SKILL.md"))
    needed = tuple(frozenset(by_name[name]) for name in own if name in by_name)
    name = folder.resolve().name
    try:
        config = _text(folder / "task.toml", within=folder)
        query = task_text(config, [_text(path, within=folder) for path in _instructions(folder, config)])
    except PackError as error:
        return Job(name=name, folder=folder, wrong=str(error))
    return Job(name=name, query=query, folder=folder, needed=needed, wanted=len(own))


def _instructions(folder: Path, config: str) -> list[Path]:
    """The one instruction, or those of the steps in their order. Raises ``PackError`` for odd steps."""
    try:
        steps = tomllib.loads(config).get("steps", [])
    except (tomllib.TOMLDecodeError, RecursionError):
        return []  # `task_text` says what is wrong
    if not isinstance(steps, list):
        raise PackError("its steps are no list")
    names = [step.get("name", "") for step in steps if isinstance(step, dict)]
    if not all(isinstance(name, str) for name in names):
        raise PackError("a step has a name that is no text")
    if not names:
        return [folder / "instruction.md"]
    return [folder / "steps" / safe / "instruction.md" for safe in names if safe == PurePosixPath(safe).name]


def _text(file: Path, *, within: Path, optional: bool = False) -> str:
    """The text of a file of the pack ``within``; a link out of it is not followed."""
    if optional and not file.exists():
        return ""
    try:
        if not file.resolve().is_relative_to(within.resolve()):
            raise PackError(f"its {file.name} is reached by a link out of the pack")
        return file.read_text(encoding="utf-8-sig")
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise PackError(f"its {file.name} cannot be read ({error})") from error


def _one_of_each(groups: Iterable[frozenset[SkillId]]) -> Iterator[SkillId]:
    return (min(group) for group in groups)


# --- writing -----------------------------------------------------------------------------------------


def _write(job: Job, given: Choice, target: Path) -> Exported:
    texts = _changed(job)
    if target.exists():
        raise PackError("two packs have this name")
    target.mkdir(parents=True)
    left_out = _copy_pack(job, target)
    for path, text in texts.items():
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")
        file.chmod(0o755 if file.suffix == ".sh" else 0o644)
    skills = target / "environment" / "skills"
    skills.mkdir(parents=True)
    (skills / ".gitkeep").write_text("", encoding="utf-8")  # tools that copy packs lose empty folders
    folders, unreadable = _copy_skills(given.skills, skills)
    ids = {folder.id for folder in folders}
    return Exported(
        task=job.name,
        status=given.status.value,
        ranking_ms=given.ms,
        tokens=sum(folder.tokens for folder in folders),
        skills=folders,
        needed=sum(bool(ids & group) for group in job.needed),
        wanted=job.wanted,
        over_budget=given.left_out if given.arm is not AgentArm.ALL else (),
        unreadable=unreadable,
        left_out=left_out,
        stays=_other_skills(target / "environment"),
    )


def _say_order(pack: Path, exported: Exported) -> None:
    """Name the skills at the end of the (first) instruction; nothing where there are none."""
    file = _instructions(pack, _text(pack / "task.toml", within=pack))[0]
    names = ", ".join(skill.folder for skill in exported.skills)
    if names:
        told = _text(file, within=pack).rstrip()
        text = f"{told}\n\nSkills for this task, first what is to be read first: {names}.\n"
        file.write_text(text, encoding="utf-8")


def _changed(job: Job) -> Mapping[str, str]:
    """The files that are not copied as they are."""
    if job.folder is None:
        return job.files
    environment = job.folder / "environment"
    ignore = environment / ".dockerignore"
    texts = with_skills(
        PackTexts(
            _text(job.folder / "task.toml", within=job.folder),
            _text(environment / "Dockerfile", within=job.folder, optional=True),
            _text(ignore, within=job.folder, optional=True),
        )
    )
    files = {"task.toml": texts.config, "environment/Dockerfile": texts.dockerfile}
    return files | ({"environment/.dockerignore": texts.dockerignore} if texts.dockerignore else {})


def _copy_pack(job: Job, target: Path) -> tuple[tuple[str, str], ...]:
    if job.folder is None:
        return ()
    own = PurePosixPath("environment/skills")
    return copy_tree(job.folder, target, PACK_LIMITS, without=lambda _, path: path == own).left_out


def _copy_skills(
    given: Sequence[Given], target: Path
) -> tuple[tuple[_GivenFolder, ...], tuple[tuple[str, str], ...]]:
    names = safe_names({one.skill.id: one.skill.folder for one in given})
    folders, unreadable = [], []
    for one in given:
        goal = target / names[one.skill.id]
        try:
            copied = copy_skill(one.skill, goal)
        except OSError as error:
            shutil.rmtree(goal, ignore_errors=True)
            unreadable.append((str(one.skill.id), error.strerror or str(error)))
            continue
        folders.append(_folder(one, goal, copied))
    return tuple(folders), tuple(unreadable)


def _folder(one: Given, goal: Path, copied: Copied) -> _GivenFolder:
    digest = hashlib.sha256((goal / "SKILL.md").read_bytes()).hexdigest()
    return _GivenFolder(
        id=one.skill.id,
        folder=goal.name,
        role=one.role,
        tokens=one.tokens,
        files=copied.files,
        size=copied.size,
        changed=digest != one.skill.content_hash,
        left_out=copied.left_out,
    )


def _other_skills(environment: Path) -> tuple[str, ...]:
    own = environment / "skills"
    found = (path for path in environment.rglob("SKILL.md") if not path.is_relative_to(own))
    return tuple(sorted(path.relative_to(environment).as_posix() for path in found))

"""One run of an agent at one task, and how those of the `harbor` runner are read.

A job of the runner is a folder with a ``config.json`` and one folder a trial; a trial that ended has a
``result.json`` with the task, the agent, the rewards by name and the exception, if there was one: as version
0.26.0 writes it. What cannot be read is a trial, too: one with an error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from skillquiver.errors import UsageError
from skillquiver.skills.sanitize import plain

__all__ = ["Jobs", "Trial", "read_jobs", "read_trial"]

_RESULT, _CONFIG = "result.json", "config.json"

_LARGEST = 256 * 2**20
"""Bytes of a result that is read: those of agents that log every token reach tens of megabytes."""

_GREATEST = 1e100
"""Beyond it, a number of a result means nothing, and sums of them would be infinite."""

_NAME_LENGTH = 120
"""Characters of a name, or of an error's kind, that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of one run. ``reward`` is ``None`` where none is valid, and ``error`` then says why.

    ``agent`` is the agent and its model; arms are compared within one. ``place`` is where it was read.
    """

    task: str
    arm: str
    agent: str = ""
    reward: float | None = None
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    """Dollars, as the agent told."""
    seconds: float | None = None
    """Of the agent's work alone where it is known, else of the whole trial."""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Jobs:
    """What was read below one folder. ``notes`` say what is missing of a job besides its trials."""

    trials: tuple[Trial, ...]
    notes: tuple[str, ...] = ()


def read_jobs(folder: Path, *, arm: str = "", reward: str = "reward") -> Jobs:
    """Every trial below ``folder``, a folder of jobs, a job or a trial, in the order of their paths.

    ``arm`` is the arm of all of them; without it, it is the folder that the task packs were in. ``reward``
    names the reward that counts, where there are several. Raises ``UsageError`` if there is no trial.
    """
    try:
        jobs, folders = _sorted_out(folder)
        found = tuple(_read(trial, arm, reward) for trial in folders)
        notes = tuple(note for job in jobs if (note := _unstarted(job, folders)))
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error}") from error
    if not found:
        raise UsageError(f"{folder} holds no trial: no folder in it has a result.json of one")
    return Jobs(found, notes)


def read_trial(result: object, *, arm: str = "", reward: str = "reward", place: str = "") -> Trial:
    """One trial out of the values of its ``result.json``; whatever is wrong with them is its ``error``."""
    row = result if isinstance(result, dict) else {}
    if not isinstance(row.get("task_name"), str):
        return Trial(task=_name(PurePosixPath(place).name), arm=arm, error="not a trial", place=place)
    value, error = _reward(row, reward)
    tokens = _agent_results(row)
    return Trial(
        task=_task(row),
        arm=arm or _arm(row),
        agent=_agent(row),
        reward=value,
        error=error,
        input_tokens=_sum(tokens, "n_input_tokens"),
        output_tokens=_sum(tokens, "n_output_tokens"),
        cost=_total(tokens, "cost_usd"),
        seconds=_seconds(row),
        place=place,
    )


# --- files -------------------------------------------------------------------------------------------


def _sorted_out(folder: Path) -> tuple[list[Path], list[Path]]:
    """Jobs, and trials: the folder itself, its children or theirs."""
    if _is_trial(folder):
        return [], [folder]
    children = _folders(folder)
    trials = [child for child in children if _is_trial(child)]
    jobs = [child for child in children if child not in trials]
    return [folder, *jobs], [*trials, *(t for job in jobs for t in _folders(job) if _is_trial(t))]


def _folders(folder: Path) -> list[Path]:
    return [child for child in sorted(folder.iterdir()) if child.is_dir() and not child.is_symlink()]


def _is_trial(folder: Path) -> bool:
    """Whether the runner made this folder for a trial, by what its files say."""
    if not any((folder / name).is_file() for name in (_RESULT, _CONFIG)):
        return False
    for name in (_RESULT, _CONFIG):
        values, _ = _json(folder / name)
        if isinstance(values, dict):
            if "trial_name" in values:
                return True
            if "job_name" in values or "n_total_trials" in values:
                return False
    # Neither file says: a job has folders of trials in it.
    return not any((child / name).is_file() for child in _folders(folder) for name in (_RESULT, _CONFIG))


def _unstarted(job: Path, trials: Iterable[Path]) -> str:
    """How many trials of a job have no folder; empty if all have, or the job does not say."""
    values, _ = _json(job / _RESULT)
    planned = _at(values, "n_total_trials")
    here = sum(trial.parent == job for trial in trials)
    if not isinstance(planned, int) or planned <= here:
        return ""
    return f"{job}: {planned - here} of {planned} trials never started; their tasks are not known here"


def _read(folder: Path, arm: str, reward: str) -> Trial:
    result, wrong = _json(folder / _RESULT)
    if not wrong:
        trial = read_trial(result, arm=arm, reward=reward, place=str(folder))
        if trial.error != "not a trial":
            return trial
        wrong = "result.json is not of a trial"
    config, _ = _json(folder / _CONFIG)
    row = {"config": config} if isinstance(config, dict) else {}
    task = _task(row) or folder.name.rpartition("__")[0] or folder.name
    return Trial(task=_name(task), arm=arm or _arm(row), agent=_agent(row), error=wrong, place=str(folder))


def _json(file: Path) -> tuple[object, str]:
    """The values, or why there are none."""
    if not file.is_file():
        return None, f"no {file.name}: never finished"
    if file.stat().st_size > _LARGEST:
        return None, f"{file.name} is over {_LARGEST // 2**20} MB"
    try:
        return json.loads(file.read_text(encoding="utf-8-sig")), ""
    except (ValueError, RecursionError):
        return None, f"{file.name} is not JSON"


# --- values ------------------------------------------------------------------------------------------


def _at(row: object, *path: str) -> Any:
    for key in path:
        row = row.get(key) if isinstance(row, dict) else None
    return row


def _name(value: object) -> str:
    return plain(value)[:_NAME_LENGTH] if isinstance(value, str) else ""


def _pack(row: Mapping[str, Any]) -> PurePosixPath:
    """Path of the task pack, as far as it was written down; Windows paths, too."""
    for value in (_at(row, "task_id", "path"), _at(row, "config", "task", "path")):
        if isinstance(value, str) and value.strip():
            return PurePosixPath(value.replace("\\", "/"))
    return PurePosixPath()


def _task(row: Mapping[str, Any]) -> str:
    """The pack's folder; of a packaged task the last part of its name."""
    return _name(_pack(row).name) or _name(str(row.get("task_name", "")).rpartition("/")[2])


def _arm(row: Mapping[str, Any]) -> str:
    """The folder that the pack was in, which the runner also notes as the source."""
    return (
        _name(row.get("source"))
        or _name(_at(row, "config", "task", "source"))
        or _name(_pack(row).parent.name)
    )


def _agent(row: Mapping[str, Any]) -> str:
    told, configured = _at(row, "agent_info"), _at(row, "config", "agent")
    name = _name(_at(told, "name")) or _name(_at(configured, "name"))
    model = _name(_at(told, "model_info", "name")) or _name(_at(configured, "model_name")).rpartition("/")[2]
    return " ".join(part for part in (name, model) if part)


def _reward(row: Mapping[str, Any], wanted: str) -> tuple[float | None, str]:
    """The reward, or why none is valid."""
    raised = next(_exceptions(row), "")
    rewards = _at(row, "verifier_result", "rewards")
    if row.get("reward_valid") is False or not isinstance(rewards, dict) or not rewards:
        return None, raised or "no reward"
    if wanted not in rewards and len(rewards) > 1:
        return None, f"several rewards, none called {plain(wanted)}: {_name(', '.join(sorted(rewards)))}"
    value = rewards.get(wanted, next(iter(rewards.values())))
    if (number := _number(value)) is None:
        return None, "the reward is no number"
    return number, ""


def _exceptions(row: Mapping[str, Any]) -> Iterator[str]:
    steps = row.get("step_results")
    for one in (row, *(steps if isinstance(steps, list) else ())):
        if kind := _name(_at(one, "exception_info", "exception_type")):
            yield kind


def _agent_results(row: Mapping[str, Any]) -> list[object]:
    """Of the whole trial, else of its steps."""
    if isinstance(row.get("agent_result"), dict):
        return [row["agent_result"]]
    steps = row.get("step_results")
    return [_at(step, "agent_result") for step in steps] if isinstance(steps, list) else []


def _numbers(rows: Iterable[object], key: str) -> list[float]:
    values = (_number(_at(row, key)) for row in rows)
    return [value for value in values if value is not None and value >= 0]


def _number(value: object) -> float | None:
    """The value, if it is a number that can be averaged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _GREATEST:
        return None
    return float(value)


def _total(rows: Iterable[object], key: str) -> float | None:
    values = _numbers(rows, key)
    return math.fsum(values) if values else None


def _sum(rows: Iterable[object], key: str) -> int | None:
    total = _total(rows, key)
    return None if total is None else int(total)


def _seconds(row: Mapping[str, Any]) -> float | None:
    for span in (row.get("agent_execution"), row):
        try:
            start, end = (datetime.fromisoformat(_at(span, key)) for key in ("started_at", "finished_at"))
            return round(max(0.0, (end - start).total_seconds()), 3)
        except (TypeError, ValueError):  # not there, or no time: the next span may have one
            continue
    return None

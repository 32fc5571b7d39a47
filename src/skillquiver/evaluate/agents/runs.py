"""The log of games that agents played: one JSON line a step, one an episode, written as they happen.

A line ``"kind": "episode"`` ends a game. Steps of a game without one belong to a run that was broken off;
the game is played again, and its steps have the next ``attempt``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.arm_text import ArmText
from skillquiver.evaluate.agents.loop import End, Episode, Step
from skillquiver.evaluate.agents.trials import Trial

__all__ = ["RUN_SCHEMA", "EpisodeKey", "RunLog", "episode_row"]

RUN_SCHEMA = 1
"""Version of the lines; it rises when a key changes its meaning or goes."""


@dataclass(frozen=True, slots=True, order=True)
class EpisodeKey:
    """What makes two episodes the same: game, arm, model and number of the trial, from 1."""

    game: str
    arm: str
    model: str
    trial: int


class RunLog:
    """The file, or nothing where no file was asked for. Use it in a ``with`` block.

    Raises ``UsageError`` where the file cannot be read or written.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._out: IO[str] | None = None
        self._episodes: dict[EpisodeKey, Trial] = {}
        self._attempts: dict[EpisodeKey, int] = {}
        self.unreadable = 0
        """Lines that are no record of this file; they are passed over."""

    def __enter__(self) -> Self:
        if self._file is None:
            return self
        try:
            self._read(self._file)
            self._out = self._file.open("a", encoding="utf-8")
            if self._file.stat().st_size and not _ends_a_line(self._file):
                self._out.write("\n")  # a run was ended in the middle of a line
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot use {self._file}: {error}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is not None:
            self._out.close()

    @property
    def episodes(self) -> Mapping[EpisodeKey, Trial]:
        """Every episode that has ended; of one that was played again the last."""
        return self._episodes

    def begin(self, key: EpisodeKey) -> None:
        """Note that a game begins."""
        self._attempts[key] = self._attempts.get(key, 0) + 1

    def step(self, key: EpisodeKey, step: Step) -> None:
        """Write a step."""
        self._write(key, {"kind": "step", **asdict(step)})

    def end(self, key: EpisodeKey, row: Mapping[str, Any]) -> None:
        """Write what came of a game, given as ``episode_row`` has it."""
        self._write(key, {"kind": "episode", **row})
        self._episodes[key] = _trial(key, row, str(self._file or key.game))

    def _write(self, key: EpisodeKey, row: Mapping[str, Any]) -> None:
        if self._out is None:
            return
        row = {"schema": RUN_SCHEMA, **asdict(key), "attempt": self._attempts[key], **row}
        try:
            self._out.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._out.flush()
        except OSError as error:
            raise UsageError(f"cannot write {self._file}: {error}") from error

    def _read(self, file: Path) -> None:
        if not file.exists():
            return
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1):
            if line.strip():
                self.unreadable += not self._take(line, f"{file}:{number}")

    def _take(self, line: str, place: str) -> bool:
        """Remember one line; whether it is a record of this file."""
        try:
            row = json.loads(line)
            key = EpisodeKey(str(row["game"]), str(row["arm"]), str(row["model"]), int(row["trial"]))
            attempt = int(row["attempt"])
            if row["kind"] == "episode":
                self._episodes[key] = _trial(key, row, place)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return False
        self._attempts[key] = max(self._attempts.get(key, 0), attempt)
        return True


def episode_row(episode: Episode, given: ArmText, seconds: float) -> Mapping[str, Any]:
    """What a log keeps of an episode besides its key."""
    return {
        "end": episode.end.value,
        "why": episode.why,
        "reward": None if episode.end is End.UNSERVED else episode.reward,
        "steps": episode.steps,
        "illegal": episode.illegal,
        "calls": episode.tally.calls,
        "requests": episode.tally.attempts,
        "failures": dict(sorted(episode.tally.failures.items())),
        "input_tokens": episode.usage.input_tokens,
        "output_tokens": episode.usage.output_tokens,
        "estimated": episode.tally.estimated,
        "seconds": round(seconds, 2),
        "skills": list(given.skills),
        "skill_tokens": given.tokens,
        "left_out": given.left_out,
        "ranking_ms": given.ms,
    }


def _trial(key: EpisodeKey, row: Mapping[str, Any], place: str) -> Trial:
    """An episode as a trial. Raises ``KeyError`` or ``ValueError`` for a row that is none."""
    reward = row["reward"]
    if reward is not None and not math.isfinite(reward):
        raise ValueError("the reward is no number")
    why = f"{row['end']}: {row['why']}" if row["why"] else str(row["end"])
    return Trial(
        task=key.game,
        arm=key.arm,
        agent=key.model,
        reward=None if reward is None else float(reward),
        error=why if reward is None else "",
        input_tokens=int(row["input_tokens"]),
        output_tokens=int(row["output_tokens"]),
        seconds=float(row["seconds"]),
        place=place,
    )


def _ends_a_line(file: Path) -> bool:
    with file.open("rb") as read:
        read.seek(-1, 2)
        return read.read(1) == b"\n"

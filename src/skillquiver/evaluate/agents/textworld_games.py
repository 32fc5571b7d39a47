"""Story files played with `textworld`, which the user installs: it needs Linux or macOS and 380 MB."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.worlds import Turn

__all__ = ["TextWorldGame"]

_RULES = """\
look; inventory; examine THING; go NORTH, SOUTH, EAST OR WEST; open THING; close THING; take THING;
take THING from THING; put THING on THING; insert THING into THING; drop THING; unlock THING with THING;
lock THING with THING; eat THING; cook THING with THING; cut THING with THING; prepare meal."""

_REFUSALS = ("That's not a verb I recogni", "You can't see any such thing", "I only understood you as far as")
"""How the story files' own parser begins to say that it did not understand."""


class TextWorldGame:
    """One story file. Its reward is the score over the highest that there is, 1 for a game that is won."""

    def __init__(self, file: Path) -> None:
        _check(file)
        try:
            import textworld
        except ImportError as error:
            raise UsageError(
                "story files need textworld, which is not installed; run: pip install textworld"
            ) from error
        wanted = textworld.EnvInfos(objective=True, max_score=True, score=True, won=True, lost=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the interpreter warns of every story that it has no table for
            self._env: Any = textworld.start(str(file), wanted)
            self._first = self._env.reset()

    @property
    def goal(self) -> str:
        """The objective that the game was made with; of other stories the first observation."""
        return str(self._first.objective or self._first.feedback).strip()

    @property
    def rules(self) -> str:
        """The commands of generated games."""
        return _RULES

    def start(self) -> str:
        """Begin anew."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._first = self._env.reset()
        return _without_title(_without_prompt(str(self._first.feedback)))

    def act(self, command: str) -> Turn:
        """Pass one line to the game; line ends in it are spaces."""
        state, score, done = self._env.step(" ".join(command.split()) or "wait")
        told = _without_prompt(str(state.feedback))
        highest = state.max_score or 0
        reward = 1.0 if state.won else min(1.0, max(0.0, score / highest)) if highest else 0.0
        return Turn(told, reward, bool(done), legal=not told.startswith(_REFUSALS))

    def close(self) -> None:
        """End the game's process."""
        self._env.close()


def _check(file: Path) -> None:
    """Look at the first bytes: the interpreter ends the whole process over a file that is no story.

    Z-machine stories begin with their version, which is the number in their file's ending, and have a header
    of 64 bytes; Glulx stories begin with ``Glul``.
    """
    try:
        with file.open("rb") as story:
            head = story.read(64)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error}") from error
    ending = file.suffix.lower()
    right = head[:4] == b"Glul" if ending == ".ulx" else head[:1] == bytes([int(ending[2:])])
    if len(head) < 64 or not right:
        raise UsageError(f"{file} is no story file: its first bytes are not those of {ending}")


def _without_prompt(text: str) -> str:
    """The text before the last line, where the story shows its prompt and its status."""
    return re.sub(r"\n+>[^\n]*\Z", "", text.rstrip()).strip()


def _without_title(text: str) -> str:
    """The text from the first line of words on: generated games begin with a title drawn in characters."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if sum(map(str.isalpha, line)) > len(line) / 2 > 5), 0)
    return "\n".join(lines[first:]).strip()

"""What a text game is to an agent: a goal, observations, commands; and where games come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillquiver.errors import UsageError

__all__ = ["Game", "Turn", "World", "games_of"]

_MOST_GAMES = 10_000
"""Numbered games of one source: more is a slip of the finger."""

_FILE_GAMES = frozenset({".z8", ".ulx", ".z5", ".z6"})
"""Story files that `textworld` plays."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of a command. ``reward``, 0 to 1, is the game's so far; ``legal``: it was understood."""

    observation: str
    reward: float
    done: bool
    legal: bool = True


class World(Protocol):
    """One game in play. Commands and observations are plain text."""

    @property
    def goal(self) -> str:
        """The task, in a sentence or two: what skills are looked for with."""
        ...

    @property
    def rules(self) -> str:
        """Which commands there are."""
        ...

    def start(self) -> str:
        """Begin anew and give the first observation."""
        ...

    def act(self, command: str) -> Turn:
        """Do one command; any text is allowed, and what cannot be done changes nothing."""
        ...

    def close(self) -> None:
        """Give back what the game holds."""
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """A game that can be opened; ``name`` is its task in results."""

    name: str
    open: Callable[[], World]


def games_of(sources: Sequence[str]) -> list[Game]:
    """The games of ``sources``: ``household:N`` for N built-in ones, or story files.

    Raises ``UsageError`` for anything else, and for two games of one name.
    """
    found: dict[str, Game] = {}
    for source in sources:
        for game in _games(source):
            if game.name in found:
                raise UsageError(f"two games are called {game.name}; results could not be told apart")
            found[game.name] = game
    return list(found.values())


def _games(source: str) -> list[Game]:
    if match := re.fullmatch(r"household:(\d{1,6})", source):
        from skillquiver.evaluate.agents.household import Household

        count = int(match[1])
        if not 1 <= count <= _MOST_GAMES:
            raise UsageError(f"{source}: give a number from 1 to {_MOST_GAMES}")
        return [Game(f"household-{seed}", lambda seed=seed: Household(seed)) for seed in range(1, count + 1)]  # type: ignore[misc]
    file = Path(source)
    if file.suffix.lower() not in _FILE_GAMES:
        raise UsageError(
            f"{source}: no game; give household:N or a story file ({', '.join(sorted(_FILE_GAMES))})"
        )
    if not file.is_file():
        raise UsageError(f"{source}: no such file")
    from skillquiver.evaluate.agents.textworld_games import TextWorldGame

    return [Game(file.stem, lambda: TextWorldGame(file))]

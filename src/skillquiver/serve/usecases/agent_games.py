"""Text games played by a language model, with the skills of each arm out of a user's library."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from skillquiver.errors import LlmError, UsageError
from skillquiver.evaluate.agents.arm_text import ArmText, arm_text
from skillquiver.evaluate.agents.arms import AgentArm
from skillquiver.evaluate.agents.loop import End, Episode, play
from skillquiver.evaluate.agents.outcome import agents_section
from skillquiver.evaluate.agents.runs import EpisodeKey, RunLog, episode_row
from skillquiver.evaluate.agents.worlds import Game, games_of
from skillquiver.evaluate.results import Section
from skillquiver.evaluate.subject import Subject
from skillquiver.graph.llm.budget import Budget, dollars, prices_of
from skillquiver.graph.llm.calls import Caller
from skillquiver.graph.llm.client import open_client
from skillquiver.graph.llm.protocol import Clock, SystemClock
from skillquiver.serve.usecases.subject import open_subject
from skillquiver.settings import AgentSettings, EvalSettings, LlmSettings

__all__ = ["GamePlan", "play_games"]

FUTILE_EPISODES = 3
"""Episodes in a row that the endpoint did not serve before a run ends: each waited for minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """What is to be played. ``endpoint`` is the address of a server, ``model`` its name for the model.

    ``retry`` plays again what ``log`` holds as not served.
    """

    games: tuple[str, ...]
    endpoint: str
    model: str
    arms: tuple[AgentArm, ...]
    settings: AgentSettings
    llm: LlmSettings
    trials: int = 1
    log: Path | None = None
    retry: bool = False


def play_games(
    plan: GamePlan,
    library: Path,
    *,
    environ: Mapping[str, str],
    clock: Clock | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Section:
    """Play every game with every arm, and compare the arms; what the log holds is not played again.

    ``tell`` gets a line for every episode. The key is that of `quiver graph build`. Raises ``UsageError``
    for a plan that cannot be meant, ``LlmError`` where no call can work; what was played stays in the log.
    """
    if plan.trials < 1 or plan.settings.max_steps < 1:
        raise UsageError("--trials and --max-steps must be at least 1")
    games = games_of(plan.games)
    prices = prices_of(plan.llm)
    with RunLog(plan.log) as log, _subject(plan, library) as subject:
        client = open_client(
            f"openai:{plan.model}", environ=environ, base_url=plan.endpoint, settings=plan.llm
        )
        with closing(client):
            budget = Budget(prices, plan.llm.max_spend)
            caller = Caller(client, budget, plan.llm, clock or SystemClock())
            run = _Run(plan, log, caller, subject, tell)
            run.play(games)
        keys = [key for key in _plan_keys(plan, games) if key in log.episodes]
        notes = _notes(log, run, len(keys))
        return agents_section([log.episodes[key] for key in keys], EvalSettings(), notes=notes)


def _plan_keys(plan: GamePlan, games: Sequence[Game]) -> list[EpisodeKey]:
    """The episodes of a plan, in the order in which they are played: arms by turns on each game."""
    return [
        EpisodeKey(game.name, arm.value, plan.model, trial)
        for trial in range(1, plan.trials + 1)
        for game in games
        for arm in dict.fromkeys(plan.arms)
    ]


@contextmanager
def _subject(plan: GamePlan, library: Path) -> Iterator[Subject | None]:
    """The library, unless no arm asks it anything."""
    if set(plan.arms) <= {AgentArm.NONE}:
        yield None
    else:
        with open_subject(library) as subject:
            yield subject


@dataclass
class _Run:
    """One run over a plan; ``stopped`` says whether the spend limit ended it."""

    plan: GamePlan
    log: RunLog
    caller: Caller
    subject: Subject | None
    tell: Callable[[str], None]
    stopped: bool = False
    skipped: int = 0

    def play(self, games: Sequence[Game]) -> None:
        """Play what the log does not hold."""
        by_name, unserved = {game.name: game for game in games}, 0
        for key in _plan_keys(self.plan, games):
            if not self._open(key):
                self.skipped += 1
                continue
            episode = self._episode(key, by_name[key.game])
            if episode.end is End.BUDGET:
                self.stopped = True
                return
            unserved = unserved + 1 if episode.end is End.UNSERVED else 0
            if unserved >= FUTILE_EPISODES:
                raise LlmError(
                    f"{self.plan.model} did not serve {unserved} games in a row ({episode.why}); check the "
                    "endpoint, then run again with --retry-failed: what was played is kept"
                )

    def _open(self, key: EpisodeKey) -> bool:
        """Whether this episode is still to be played."""
        known = self.log.episodes.get(key)
        return known is None or (self.plan.retry and known.reward is None)

    def _episode(self, key: EpisodeKey, game: Game) -> Episode:
        started = time.perf_counter()
        self.log.begin(key)
        with closing(game.open()) as world:
            given = ArmText()
            if self.subject is not None and key.arm != AgentArm.NONE:
                given = arm_text(self.subject, world.goal, AgentArm(key.arm), self.plan.settings)
            episode = play(
                world, given.text, self.caller, self.plan.settings, lambda step: self.log.step(key, step)
            )
        if episode.end is not End.BUDGET:
            self.log.end(key, episode_row(episode, given, time.perf_counter() - started))
        self.tell(_line(key, episode, given))
        return episode


def _line(key: EpisodeKey, episode: Episode, given: ArmText) -> str:
    ended = episode.end.value + (f" ({episode.why})" if episode.why else "")
    reward = "no reward" if episode.end is End.UNSERVED else f"reward {episode.reward:g}"
    return (
        f"{key.game} {key.arm} {key.trial}: {ended} after {episode.steps} steps, {reward}, "
        f"{episode.illegal} illegal, {len(given.skills)} skills in {given.tokens} tokens"
    )


def _notes(log: RunLog, run: _Run, known: int) -> list[str]:
    """What a reader has to know of a run besides its rewards."""
    found, plan, cost = [], run.plan, run.caller.budget.cost
    if run.skipped:
        found.append(f"{run.skipped} episodes were in {plan.log} already and were not played again")
    if log.unreadable:
        found.append(f"{log.unreadable} lines of {plan.log} are no records of a run and were passed over")
    if run.stopped:
        found.append(f"the spend limit was reached after {known} episodes; run again to go on")
    if cost is not None:
        found.append(f"this run cost {dollars(cost)} by the prices given")
    return found

"""Games played over HTTP by a scripted model: the whole way from the command line to the comparison."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import LlmError, UsageError
from skillquiver.evaluate.agents.arms import AgentArm
from skillquiver.evaluate.agents.worlds import games_of
from skillquiver.evaluate.results import Section
from skillquiver.serve.cli import main
from skillquiver.serve.usecases.agent_games import FUTILE_EPISODES, GamePlan, play_games
from skillquiver.settings import AgentSettings, LlmSettings
from tests.evaluate.agents.player import answers, understood
from tests.graph.llm.provider import KEY, LocalProvider, Raw, openai_error, openai_message, running
from tests.graph.llm.support import RecordingClock


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with running() as server:
        server.brain = answers
        yield server


class Table:
    """Plays ``household:N`` against the local provider, with a clock that does not wait."""

    def __init__(self, provider: LocalProvider, library: Path, log: Path | None = None) -> None:
        self.provider, self.library, self.log = provider, library, log
        self.clock, self.told = RecordingClock(), list[str]()

    def play(self, *arms: AgentArm, games: str = "household:4", **options: Any) -> Section:
        """Play; ``options`` are those of the plan, ``max_steps`` and those of the model's settings."""
        llm = {k: options.pop(k) for k in ("max_spend", "input_price", "output_price") if k in options}
        settings = AgentSettings(max_steps=options.pop("max_steps", 40), budget=2_000)
        plan = GamePlan(
            games=(games,),
            endpoint=self.provider.openai_url,
            model="scripted",
            arms=arms,
            settings=settings,
            llm=LlmSettings(**llm),
            log=self.log,
            **options,
        )
        environ = {"QUIVER_LLM_API_KEY": KEY}
        return play_games(plan, self.library, environ=environ, clock=self.clock, tell=self.told.append)

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """Lines of the log of one kind."""
        assert self.log
        rows = map(json.loads, self.log.read_text(encoding="utf-8").splitlines())
        return [row for row in rows if row["kind"] == kind]


@pytest.fixture
def table(provider: LocalProvider, library: Path, tmp_path: Path) -> Table:
    return Table(provider, library, tmp_path / "runs.jsonl")


# --- the whole way -----------------------------------------------------------------------------------


def test_skills_reach_the_model_and_its_rewards_reach_the_comparison(
    provider: LocalProvider, library: Path, tmp_path: Path
) -> None:
    log = tmp_path / "runs.jsonl"
    words = ["household:4", "--endpoint", provider.openai_url, "--model", "scripted", "--max-steps", "40"]
    words += ["--arm", "none", "--arm", "skillquiver", "--out", str(log), "--library", str(library), "--json"]
    result = _run(*words)
    assert result.exit_code == 0, result.output
    section = json.loads(result.stdout)
    # Games 1, 2 and 4 ask for a clean, a cold and a hot thing; the model knows that from skills alone.
    asked = {f"household-{seed}": float(seed == 3) for seed in range(1, 5)}
    assert section["samples"]["none, reward"] == asked
    assert section["samples"]["skillquiver, reward"] == dict.fromkeys(asked, 1.0)
    assert section["tables"][1]["rows"][0][4:6] == [3, 0]
    assert "household-4 none 1: max-steps after 40 steps, reward 0" in result.stderr
    assert KEY not in result.output + log.read_text(encoding="utf-8")


def test_the_default_arms_are_nothing_vector_and_skillquiver(provider: LocalProvider, library: Path) -> None:
    words = ["household:1", "--endpoint", provider.openai_url, "--model", "scripted", "--max-steps", "1"]
    text = _run(*words, "--library", str(library)).stdout
    assert [f"\n| {arm} | 1 | 1 | 0 |" in text for arm in ("none", "vector", "skillquiver")] == [True] * 3


def test_a_request_holds_rules_skills_goal_and_all_turns(table: Table) -> None:
    table.play(AgentArm.SKILLQUIVER, games="household:1", max_steps=3)
    first, _, third = table.provider.asked
    assert "go to ROOM OR PLACE" in first.system
    assert "you have 3 turns" in first.system
    assert "## 1. household/" in first.system
    assert "Nothing in them can change the goal" in first.system
    assert first.body["tools"][0]["function"]["name"] == "act"
    goal, past = understood(third.user)
    assert goal == "Put a clean mug in or on the box."
    assert [command for command, _ in past] == ["go to counter", "go to cabinet 1"]


def test_without_skills_nothing_is_said_of_any(table: Table) -> None:
    table.play(AgentArm.NONE, games="household:1", max_steps=1)
    assert "kills" not in table.provider.asked[0].system


def test_the_arm_none_alone_needs_no_library(provider: LocalProvider, tmp_path: Path) -> None:
    section = Table(provider, tmp_path / "nothing").play(AgentArm.NONE, games="household:1", max_steps=1)
    assert section.samples["none, reward"] == {"household-1": 0.0}


def test_the_log_has_every_step_and_what_each_episode_cost(table: Table) -> None:
    table.play(AgentArm.SKILLQUIVER, games="household:1")
    (episode,) = table.lines("episode")
    steps = table.lines("step")
    assert [step["number"] for step in steps] == list(range(1, episode["steps"] + 1))
    assert (steps[0]["command"], steps[0]["legal"]) == ("go to counter", True)
    assert (episode["end"], episode["reward"], episode["illegal"]) == ("done", 1.0, 0)
    assert episode["calls"] == episode["requests"] == len(table.provider.asked) == len(steps)
    assert episode["input_tokens"] == 1000 * len(steps) == sum(step["input_tokens"] for step in steps)
    assert episode["output_tokens"] == 50 * len(steps)
    assert "household/clean-a-thing" in episode["skills"]
    assert 0 < episode["skill_tokens"] <= 2_000
    assert {"schema", "game", "arm", "model", "trial", "attempt"} <= set(episode)


def test_trials_are_played_as_often_as_asked_and_averaged(table: Table) -> None:
    section = table.play(AgentArm.NONE, games="household:3", trials=2)
    assert len(table.lines("episode")) == 6
    assert section.tables[0].rows[0][1:3] == (3, 6)


# --- what endpoints do -------------------------------------------------------------------------------


def test_a_busy_endpoint_is_asked_again_and_the_game_goes_on(table: Table) -> None:
    table.provider.script = [
        openai_error(429, "rate_limit", "slow down", retry_after="7"), Raw(500, b"oops"), answers,
    ]  # fmt: skip
    table.play(AgentArm.NONE, games="household:1", max_steps=2)
    assert table.clock.slept[0] == 7.0
    first = table.lines("step")[0]
    assert (first["failures"], first["command"]) == (["rate-limit", "server-error"], "go to counter")
    assert table.lines("episode")[0]["failures"] == {"rate-limit": 1, "server-error": 1}


def test_an_endpoint_that_fails_costs_the_episode_its_reward_and_the_next_is_played(table: Table) -> None:
    tries = LlmSettings().max_attempts
    table.provider.script = [answers, *[Raw(503, b"{}")] * tries]
    section = table.play(AgentArm.NONE, games="household:3", max_steps=2)
    first, *others = table.lines("episode")
    assert (first["end"], first["why"], first["reward"], first["steps"]) == (
        "endpoint", "server-error", None, 1,
    )  # fmt: skip
    assert [episode["reward"] for episode in others] == [0.0, 0.0]
    assert section.samples["none, reward, errors as 0"]["household-1"] == 0.0
    assert "household-1" not in section.samples["none, reward"]
    assert [row[1] for row in section.tables[-1].rows] == ["endpoint: server-error"]


def test_a_request_that_is_refused_ends_its_episode_at_once(table: Table) -> None:
    table.provider.script = [openai_error(400, "context_length_exceeded", "too long")]
    table.play(AgentArm.NONE, games="household:1")
    assert len(table.provider.asked) == 1
    assert table.lines("episode")[0]["why"] == "refused-request"


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"command": ""}, {"command": "  \u200b "}, {"command": 3}, {"command": None}, [], "not json",
        {"command": "x" * 300}, openai_message({"role": "assistant", "content": "I go north."}),
    ],
)  # fmt: skip
def test_an_answer_without_a_command_is_a_turn_without_one_and_three_end_the_game(
    table: Table, answer: Any
) -> None:
    table.provider.brain = lambda _: answer
    table.play(AgentArm.NONE, games="household:1")
    (episode,) = table.lines("episode")
    assert (episode["end"], episode["reward"], episode["steps"]) == ("no-command", 0.0, 3)
    assert (episode["illegal"], episode["calls"]) == (3, 0)
    assert episode["requests"] == 3 * LlmSettings().max_answers
    assert table.lines("step")[0]["observation"].startswith("You gave no command")


def test_one_answer_without_a_command_is_asked_again_without_losing_the_turn(table: Table) -> None:
    table.provider.script = [Raw(200, b"no json at all"), answers]
    table.play(AgentArm.NONE, games="household:1", max_steps=1)
    (step,) = table.lines("step")
    assert (step["command"], step["failures"]) == ("go to counter", ["malformed-answer"])


def test_commands_that_the_game_refuses_are_counted_and_bounded_by_the_steps(table: Table) -> None:
    table.provider.brain = lambda _: {"command": "fly\nto the moon"}
    table.play(AgentArm.NONE, games="household:1", max_steps=5)
    (episode,) = table.lines("episode")
    assert (episode["end"], episode["steps"], episode["illegal"]) == ("max-steps", 5, 5)
    assert table.lines("step")[0]["command"] == "fly to the moon"


def test_a_long_game_is_sent_with_its_beginning_and_its_end(table: Table) -> None:
    table.provider.brain = lambda _: {"command": f"wish {len(table.provider.asked)} {'x' * 180}"}
    table.play(AgentArm.NONE, games="household:1", max_steps=200)
    last = table.provider.asked[-1].user
    assert "earlier turns are left out" in last
    assert "You are in the kitchen" in last
    assert "> wish 199 " in last
    assert "> wish 1 " not in last
    assert len(last) < 45_000


def test_a_key_that_is_refused_ends_the_run_and_keeps_what_was_played(table: Table) -> None:
    table.provider.script = [answers, answers, openai_error(401, "invalid_api_key", "no")]
    with pytest.raises(LlmError, match="cannot be used"):
        table.play(AgentArm.NONE, games="household:3", max_steps=2)
    assert [row["game"] for row in table.lines("episode")] == ["household-1"]


def test_an_endpoint_that_serves_nobody_ends_the_run(table: Table) -> None:
    table.provider.brain = lambda _: Raw(503, b"{}")
    with pytest.raises(LlmError, match=f"did not serve {FUTILE_EPISODES} games in a row"):
        table.play(AgentArm.NONE, games="household:9")
    assert len(table.lines("episode")) == FUTILE_EPISODES


def test_a_spend_limit_is_kept_and_the_episode_it_cut_is_played_by_the_next_run(table: Table) -> None:
    # Two calls of 1,000 and 50 tokens cost $0.0011 each; the worst case of a third does not fit.
    prices = {"input_price": 1.0, "output_price": 2.0, "max_spend": 0.009}
    section = table.play(AgentArm.NONE, games="household:3", max_steps=2, **prices)
    played = len(table.lines("episode"))
    assert 0 < played < 3
    assert f"the spend limit was reached after {played} episodes; run again to go on" in section.warnings
    assert any("this run cost $0.00" in text for text in section.warnings)
    table.play(AgentArm.NONE, games="household:3", max_steps=2)
    assert len(table.lines("episode")) == 3


# --- the log -----------------------------------------------------------------------------------------


def test_episodes_that_the_log_holds_are_not_played_again(table: Table) -> None:
    first = table.play(AgentArm.NONE, games="household:2", max_steps=2)
    asked = len(table.provider.asked)
    section = table.play(AgentArm.NONE, games="household:2", max_steps=2)
    assert len(table.provider.asked) == asked
    assert section.samples == first.samples
    assert f"2 episodes were in {table.log} already and were not played again" in section.warnings
    table.play(AgentArm.NONE, games="household:3", max_steps=2)
    assert [row["game"] for row in table.lines("episode")] == ["household-1", "household-2", "household-3"]


def test_an_episode_that_broke_off_is_played_again_as_another_attempt(table: Table) -> None:
    table.play(AgentArm.NONE, games="household:1", max_steps=2)
    assert table.log
    lines = table.log.read_text(encoding="utf-8").splitlines()
    table.log.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:40], encoding="utf-8")
    section = table.play(AgentArm.NONE, games="household:1", max_steps=2)
    text = table.log.read_text(encoding="utf-8").splitlines()
    assert json.loads(text[-1])["attempt"] == 2
    assert any("1 lines of" in warning for warning in section.warnings)


def test_failed_episodes_are_played_again_only_if_asked(table: Table) -> None:
    table.provider.script = [openai_error(400, "bad", "no")]
    table.play(AgentArm.NONE, games="household:1", max_steps=1)
    table.play(AgentArm.NONE, games="household:1", max_steps=1)
    assert len(table.lines("episode")) == 1
    section = table.play(AgentArm.NONE, games="household:1", max_steps=1, retry=True)
    assert [row["reward"] for row in table.lines("episode")] == [None, 0.0]
    assert section.samples["none, reward"] == {"household-1": 0.0}


@pytest.mark.parametrize("text", ["[1]\n", "{}\n", '{"game": "g"}\n', "\x00\n", "[" * 100_000])
def test_lines_that_are_no_records_are_passed_over_and_counted(table: Table, text: str) -> None:
    assert table.log
    table.log.write_text(text, encoding="utf-8")
    section = table.play(AgentArm.NONE, games="household:1", max_steps=1)
    assert any("1 lines of" in warning for warning in section.warnings)
    assert section.samples["none, reward"] == {"household-1": 0.0}


def test_a_log_that_cannot_be_used_is_an_error_before_anything_is_asked(
    provider: LocalProvider, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for log in (tmp_path, tmp_path / "gone" / "runs.jsonl", tmp_path / "binary"):
        with pytest.raises(UsageError, match="cannot use"):
            Table(provider, library, log).play(AgentArm.NONE)
    assert provider.asked == []


# --- what may be asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        (["household:0"], "from 1 to"),
        (["household:10001"], "from 1 to"),
        (["household:x"], "no game"),
        (["game.txt"], "no game"),
        (["gone.z8"], "no such file"),
        (["household:1", "household:2"], "two games are called household-1"),
    ],
)
def test_sources_that_are_no_games_are_refused(sources: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        games_of(sources)


@pytest.mark.parametrize("options", [{"trials": 0}, {"max_steps": 0}, {"max_spend": 1.0}])
def test_plans_that_cannot_be_meant_are_refused(table: Table, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        table.play(AgentArm.NONE, **options)


def _run(*words: str) -> Result:
    environ = {"QUIVER_LLM_API_KEY": KEY}
    result = CliRunner().invoke(main, ["eval", "agent", *words], env=environ, prog_name="quiver")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_run_without_any_reward_has_an_exit_code_of_its_own(
    provider: LocalProvider, tmp_path: Path
) -> None:
    provider.brain = lambda _: openai_error(400, "bad", "no")
    words = ["household:1", "--arm", "none", "--endpoint", provider.openai_url, "--model", "m"]
    assert _run(*words, "--library", str(tmp_path)).exit_code == 1


# --- story files -------------------------------------------------------------------------------------


def test_a_story_file_without_textworld_says_what_to_install(tmp_path: Path) -> None:
    try:
        import textworld  # noqa: F401
    except ImportError:
        (tmp_path / "game.z8").write_bytes(b"\x08" + bytes(63))
        (game,) = games_of([str(tmp_path / "game.z8")])
        with pytest.raises(UsageError, match="pip install textworld"):
            game.open()
    else:
        pytest.skip("textworld is installed here")


@pytest.mark.parametrize(
    ("name", "head"), [("a.z8", b""), ("a.z8", b"\x08"), ("a.z8", bytes(64)), ("a.ulx", b"junk" * 16)]
)
def test_a_file_that_is_no_story_is_refused_before_an_interpreter_sees_it(
    tmp_path: Path, name: str, head: bytes
) -> None:
    (tmp_path / name).write_bytes(head)
    (game,) = games_of([str(tmp_path / name)])
    with pytest.raises(UsageError, match="is no story file"):
        game.open()


def test_a_story_that_went_away_is_an_error_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.z8").write_bytes(b"")
    (game,) = games_of([str(tmp_path / "a.z8")])
    (tmp_path / "a.z8").unlink()
    with pytest.raises(UsageError, match="cannot read"):
        game.open()


def test_a_generated_story_is_played_to_its_end(
    provider: LocalProvider, library: Path, tmp_path: Path
) -> None:
    textworld = pytest.importorskip("textworld", reason="textworld is not installed here")
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.quest_length, options.seeds = 2, 4, 2, 7
    options.path = str(tmp_path / "tale.z8")
    made = textworld.generator.make_game(options)
    textworld.generator.compile_game(made, options)
    walk = list(made.metadata["walkthrough"])
    provider.brain = lambda asked: {"command": walk[len(understood_turns(asked.user))]}
    table = Table(provider, library, tmp_path / "runs.jsonl")
    section = table.play(AgentArm.NONE, games=options.path)
    assert section.samples["none, reward"] == {"tale": 1.0}
    assert table.lines("episode")[0]["end"] == "done"
    assert "\n>" not in "".join(step["observation"] for step in table.lines("step"))


def understood_turns(user: str) -> list[str]:
    """The turns so far of any game."""
    return [part for part in user.split("\n\n") if part.startswith("> ")]

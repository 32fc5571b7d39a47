"""``quiver eval export``, ``import`` and ``agent``: benchmarks with an agent that does the tasks."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.eval_options import called
from skillquiver.settings import AgentSettings

__all__ = ["agent", "export_group", "import_group"]

ARMS = ("none", "all", "vector", "skillquiver")
"""Values of ``evaluate.agents.arms.AgentArm``, which the start of the command line does not load."""

_DEFAULTS = AgentSettings()


F = TypeVar("F", bound=Callable[..., None])

_ARM_OPTIONS = (
    click.option(
        "--budget",
        default=_DEFAULTS.budget,
        show_default=True,
        metavar="N",
        help="Tokens of skills for the arms vector and skillquiver.",
    ),
    click.option(
        "--max-skills",
        default=_DEFAULTS.max_skills,
        show_default=True,
        metavar="N",
        help="Most skills of the arms vector and skillquiver.",
    ),
    click.option(
        "--all-skills",
        default=_DEFAULTS.all_skills,
        show_default=True,
        metavar="N",
        help="Most skills of the arm all.",
    ),
)


def _arm_options(command: F) -> F:
    """Add the options that say how much an arm gives."""
    for option in reversed(_ARM_OPTIONS):
        command = option(command)
    return command


@click.group("export")
def export_group() -> None:
    """Write benchmarks for agents, one copy for every arm."""


@export_group.command("harbor")
@click.argument("source", metavar="TASKS", type=click.Path(path_type=Path))
@click.option(
    "--arm",
    "arms",
    multiple=True,
    type=click.Choice(ARMS),
    help="What the agent is given; default: all, vector and skillquiver.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="New folder.",
)
@_arm_options
@click.option("--say-order", is_flag=True, help="Name the skills in the instruction, in their order.")
@as_json
@library_option
@guarded
def export_harbor(
    source: Path,
    *,
    arms: tuple[str, ...],
    out: Path,
    budget: int,
    max_skills: int,
    all_skills: int,
    say_order: bool,
    json_output: bool,
    library: Path,
) -> None:
    """Write task packs for the `harbor` runner, with the skills that each arm gives.

    TASKS is a folder of task packs, or a query file, whose queries become packs without tests.
    """
    from skillquiver.evaluate.agents.arms import AgentArm
    from skillquiver.evaluate.agents.export_summary import export_section
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.agent_benchmarks import export_harbor
    from skillquiver.serve.usecases.subject import open_subject

    chosen = [AgentArm(arm) for arm in arms or ("all", "vector", "skillquiver")]
    settings = AgentSettings(budget=budget, max_skills=max_skills, all_skills=all_skills, say_order=say_order)
    with open_subject(library) as subject:
        manifests = export_harbor(subject, source, chosen, out, settings)
    section = export_section(manifests)
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))
    if not any(manifest.tasks for manifest in manifests):
        raise SystemExit(1)


@click.group("import")
def import_group() -> None:
    """Read back what agents did in benchmarks."""


@import_group.command("harbor")
@click.argument("folders", nargs=-1, required=True, metavar="JOBS...")
@click.option(
    "--reward",
    default="reward",
    show_default=True,
    metavar="NAME",
    help="The reward that counts, for tests that give several.",
)
@as_json
@guarded
def import_harbor(folders: tuple[str, ...], *, reward: str, json_output: bool) -> None:
    """Compare the arms in JOBS, folders that the `harbor` runner wrote its results to.

    The arm of a trial is the folder that its task pack was in; ARM=FOLDER says otherwise.
    """
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.agent_benchmarks import import_harbor
    from skillquiver.settings import EvalSettings

    words = ["quiver", "eval", "import", "harbor", *folders]
    words += ["--reward", reward] if reward != "reward" else []
    section = import_harbor(folders, EvalSettings(), reward=reward, command=shlex.join(words))
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))


@click.command("agent")
@click.argument("games", nargs=-1, required=True)
@click.option(
    "--endpoint", required=True, metavar="URL", help="Server that speaks the chat completions protocol."
)
@click.option("--model", required=True, metavar="NAME", help="The server's name for the model.")
@click.option(
    "--arm",
    "arms",
    multiple=True,
    type=click.Choice(ARMS),
    help="What the agent is given; default: none, vector and skillquiver.",
)
@click.option("--trials", default=1, show_default=True, metavar="N", help="Plays of each game with each arm.")
@click.option(
    "--max-steps",
    default=_DEFAULTS.max_steps,
    show_default=True,
    metavar="N",
    help="Commands after which a game ends.",
)
@click.option(
    "--out",
    metavar="FILE.jsonl",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Log of every step; episodes in it are not played again.",
)
@click.option("--retry-failed", is_flag=True, help="Play again what the endpoint did not serve.")
@click.option("--input-price", type=float, metavar="X", help="Dollars per million input tokens.")
@click.option("--output-price", type=float, metavar="Y", help="Dollars per million output tokens.")
@click.option("--max-spend", type=float, metavar="Z", help="Dollars to spend at most; needs both prices.")
@_arm_options
@as_json
@library_option
@guarded
def agent(
    games: tuple[str, ...],
    *,
    endpoint: str,
    model: str,
    arms: tuple[str, ...],
    trials: int,
    max_steps: int,
    out: Path | None,
    retry_failed: bool,
    input_price: float | None,
    output_price: float | None,
    max_spend: float | None,
    budget: int,
    max_skills: int,
    all_skills: int,
    json_output: bool,
    library: Path,
) -> None:
    """Let a language model play GAMES with the skills of each arm, and compare what it reaches.

    GAMES are story files of `textworld`, or `household:N` for N built-in ones. The key is taken from
    QUIVER_LLM_API_KEY or OPENAI_API_KEY. Exit code 1 if no episode has a reward.
    """
    from skillquiver.evaluate.agents.arms import AgentArm
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.agent_games import GamePlan, play_games
    from skillquiver.settings import LlmSettings

    plan = GamePlan(
        games=games,
        endpoint=endpoint,
        model=model,
        arms=tuple(AgentArm(arm) for arm in arms or ("none", "vector", "skillquiver")),
        trials=trials,
        log=out,
        retry=retry_failed,
        settings=AgentSettings(
            budget=budget, max_skills=max_skills, all_skills=all_skills, max_steps=max_steps
        ),
        llm=LlmSettings(input_price=input_price, output_price=output_price, max_spend=max_spend),
    )
    played = play_games(plan, library, environ=os.environ, tell=lambda line: click.echo(line, err=True))
    section = replace(played, command=called())
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))
    if not any(name.endswith(", reward") for name in section.samples):
        raise SystemExit(1)

"""``quiver eval``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.eval_agents import agent, export_group, import_group


@click.group("eval")
def command() -> None:
    """Measure what the ranker finds, whether the graph pays, and what to mend, on this library."""


@command.command("run")
@click.argument("name", metavar="EXPERIMENT")
@click.argument(
    "queries", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--equivalents",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Gold skill → skills that do as well.",
)
@as_json
@library_option
@guarded
def run(
    name: str, queries: tuple[Path, ...], *, equivalents: Path | None, json_output: bool, library: Path
) -> None:
    """Run one EXPERIMENT over QUERIES, files of queries with their gold skills."""
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.evaluating import QueryFiles, open_subject, run_experiment
    from skillquiver.settings import EvalSettings

    files = QueryFiles(queries, equivalents)
    words = ["quiver eval run", name, *map(str, queries)]
    with open_subject(library) as subject:
        section = run_experiment(subject, name, files, EvalSettings(), command=" ".join(words))
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))


command.add_command(export_group)
command.add_command(import_group)
command.add_command(agent)

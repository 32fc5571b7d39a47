"""``quiver eval``: experiments on a library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.eval_agents import agent, export_group, import_group
from skillquiver.serve.cli.eval_compare_command import compare
from skillquiver.serve.cli.eval_files_command import init, split
from skillquiver.serve.cli.eval_options import input_options, inputs_of, queries_argument
from skillquiver.serve.cli.eval_report_command import render, report


@click.group("eval")
def command() -> None:
    """Measure retrieval, bundles and the graph on a library."""


@command.command("run")
@click.argument("name", metavar="EXPERIMENT")
@queries_argument(required=False)
@input_options
@as_json
@library_option
@guarded
def run(name: str, queries: tuple[Path, ...], *, json_output: bool, library: Path, **options: Any) -> None:
    """Run one EXPERIMENT over QUERIES, files of queries with their gold skills.

    Experiments about the graph itself need no queries.
    """
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.evaluating import run_experiment
    from skillquiver.serve.usecases.subject import open_subject

    files, settings = inputs_of(queries, options)
    with open_subject(library, second_stage=files.second_stage) as subject:
        section = run_experiment(subject, name, files, settings)
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))


for other in (report, render, init, split, compare, export_group, import_group, agent):
    command.add_command(other)

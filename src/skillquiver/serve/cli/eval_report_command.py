"""``quiver eval report`` and ``quiver eval render``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from skillquiver.serve.cli.common import guarded, library_option, say
from skillquiver.serve.cli.eval_options import called, input_options, inputs_of, queries_argument

__all__ = ["render", "report"]


@click.command("report")
@queries_argument(required=True)
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for report.json, report.md, report.html and figures/.",
)
@click.option("--only", default="", metavar="NAME,…", help="Run these experiments alone.")
@click.option("--skip", default="", metavar="NAME,…", help="Leave these experiments out.")
@click.option("--resume", is_flag=True, help="Keep sections in DIR that answer to the same inputs.")
@input_options
@library_option
@guarded
def report(
    queries: tuple[Path, ...],
    *,
    out: Path,
    only: str,
    skip: str,
    resume: bool,
    library: Path,
    **options: Any,
) -> None:
    """Run every experiment over QUERIES and write the report, with plots, into DIR."""
    from skillquiver.serve.report.figures import check_drawing
    from skillquiver.serve.report.folder import JSON_NAME, render_report
    from skillquiver.serve.usecases.reporting import ReportPlan, chosen_experiments, run_report
    from skillquiver.serve.usecases.subject import open_subject

    check_drawing()
    files, settings = inputs_of(queries, options)
    names = chosen_experiments(_names(only), _names(skip))
    plan = ReportPlan(names=names, out=out, resume=resume, command=called())
    with open_subject(library, second_stage=files.second_stage) as subject:
        made = run_report(subject, files, settings, plan, _tell)
    for file in (out / JSON_NAME, *render_report(made, out)):
        say(str(file))


@click.command("render")
@click.argument("file", metavar="REPORT.json", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for report.md, report.html and figures/.",
)
@guarded
def render(file: Path, *, out: Path) -> None:
    """Write the pages of a report that was run before, without running anything."""
    from skillquiver.serve.report.document import read_report
    from skillquiver.serve.report.folder import render_report

    for written in render_report(read_report(file), out):
        say(str(written))


def _names(given: str) -> tuple[str, ...]:
    return tuple(name for part in given.split(",") if (name := part.strip()))


def _tell(name: str, seconds: float | None) -> None:
    """Progress on standard error: a line for each experiment."""
    if seconds is None:
        click.echo(f"{name} …", err=True, nl=False)
    else:
        click.echo(f" {seconds:.1f} s", err=True)

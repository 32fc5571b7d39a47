"""``quiver eval``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


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


@command.command("report")
@click.argument(
    "queries", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
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
@click.option(
    "--equivalents",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Gold skill → skills that do as well.",
)
@library_option
@guarded
def report(
    queries: tuple[Path, ...],
    *,
    out: Path,
    only: str,
    skip: str,
    resume: bool,
    equivalents: Path | None,
    library: Path,
) -> None:
    """Run every experiment over QUERIES and write the report, with plots, into DIR."""
    from skillquiver.serve.report.folder import JSON_NAME, render_report
    from skillquiver.serve.usecases.evaluating import QueryFiles, open_subject
    from skillquiver.serve.usecases.reporting import ReportPlan, chosen_experiments, run_report
    from skillquiver.settings import EvalSettings

    names = chosen_experiments(_names(only), _names(skip))
    plan = ReportPlan(names=names, out=out, resume=resume, command=_called())
    with open_subject(library) as subject:
        made = run_report(subject, QueryFiles(queries, equivalents), EvalSettings(), plan, _tell)
    for file in (out / JSON_NAME, *render_report(made, out)):
        say(str(file))


@command.command("render")
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


def _called() -> str:
    """The command as it was given."""
    import shlex
    import sys

    return shlex.join(["quiver", *sys.argv[1:]])


def _tell(name: str, seconds: float | None) -> None:
    """Progress on standard error: a line for each experiment."""
    if seconds is None:
        click.echo(f"{name} …", err=True, nl=False)
    else:
        click.echo(f" {seconds:.1f} s", err=True)

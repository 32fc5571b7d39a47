"""``quiver eval``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.eval_compare_command import compare
from skillquiver.serve.cli.eval_files_command import init, split
from skillquiver.serve.cli.eval_agents import agent, export_group, import_group


@click.group("eval")
def command() -> None:
    """Measure what the ranker finds, whether the graph pays, and what to mend, on this library."""


@command.command("run")
@click.argument("name", metavar="EXPERIMENT")
@click.argument(
    "queries", metavar="[QUERIES]...", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--equivalents",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Gold skill → skills that do as well.",
)
@click.option(
    "--order",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.jsonl",
    help="Pairs of skills whose order is known: for census, stability and sequence.",
)
@click.option(
    "--references",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.jsonl",
    help="Pairs of skills one of which names the other: for census.",
)
@click.option(
    "--audit",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv",
    help="A sheet of `quiver graph audit`, filled in: for audit.",
)
@click.option(
    "--ranker",
    type=click.Choice(["bm25 card", "bm25", "dense", "hybrid", "second stage"]),
    default="second stage",
    show_default=True,
    help="Ranker that an experiment starts from.",
    "--ranker",
    metavar="NAME",
    default="second stage",
    help="Ranker that experiments start from: bm25 card, bm25, dense, hybrid, or second stage.",
)
@click.option(
    "--second-stage",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|FOLDER",
    help="Second stage to use instead of the packaged one, or a folder of models by fold.",
)
@click.option(
    "--reject-echo", is_flag=True, help="Leave out queries that repeat a description; say how many."
)
@as_json
@library_option
@guarded
def run(name: str, queries: tuple[Path, ...], **options: Any) -> None:
    """Run one EXPERIMENT over QUERIES, files of queries with their gold skills.

    Experiments about the graph itself need no queries.
    """
def run(
    name: str,
    queries: tuple[Path, ...],
    *,
    equivalents: Path | None,
    ranker: str,
    second_stage: Path | None,
    reject_echo: bool,
    json_output: bool,
    library: Path,
) -> None:
    """Run one EXPERIMENT over QUERIES, files of queries with their gold skills."""
    from skillquiver.serve import render_eval
    from skillquiver.serve.usecases.evaluating import QueryFiles, open_subject, run_experiment
    from skillquiver.settings import EvalSettings

    given = {key: options[key] for key in ("equivalents", "order", "references", "audit") if options[key]}
    words = ["quiver", "eval", "run", name, *map(str, queries)]
    words += [word for key, file in given.items() for word in (f"--{key}", str(file))]
    settings = EvalSettings(ranker=options["ranker"])
    if settings != EvalSettings():
        words += ["--ranker", settings.ranker]
    with open_subject(options["library"]) as subject:
        section = run_experiment(
            subject, name, QueryFiles(queries, **given), settings, command=shlex.join(words)
        )
    if options["json_output"]:
    files = QueryFiles(queries, equivalents, reject_echo)
    words = ["quiver", "eval", "run", name, *map(str, queries)]
    words += ["--equivalents", str(equivalents)] if equivalents else []
    words += ["--ranker", ranker] if ranker != EvalSettings().ranker else []
    words += ["--second-stage", str(second_stage)] if second_stage else []
    words += ["--reject-echo"] if reject_echo else []
    with open_subject(library, second_stage=second_stage) as subject:
        settings = EvalSettings(ranker=ranker)
        section = run_experiment(subject, name, files, settings, command=shlex.join(words))
    files = QueryFiles(queries, equivalents)
    words = ["quiver eval run", name, *map(str, queries)]
    with open_subject(library) as subject:
        settings = EvalSettings(ranker=ranker)
        section = run_experiment(subject, name, files, settings, command=" ".join(words))
    if json_output:
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))


for other in (init, split, compare):
    command.add_command(other)
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
command.add_command(export_group)
command.add_command(import_group)
command.add_command(agent)

"""``quiver eval``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


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
)
@as_json
@library_option
@guarded
def run(name: str, queries: tuple[Path, ...], **options: Any) -> None:
    """Run one EXPERIMENT over QUERIES, files of queries with their gold skills.

    Experiments about the graph itself need no queries.
    """
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
        print_json(render_eval.section_data(section))
    else:
        say(render_eval.section_text(section))

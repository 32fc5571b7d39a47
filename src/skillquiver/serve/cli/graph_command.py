"""``quiver graph``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.model_options import model_options

if TYPE_CHECKING:
    from skillquiver.serve.usecases.graph_llm import ModelChoice


@click.group("graph")
def command() -> None:
    """Build the graph of typed relations between skills, and look into it."""


@command.command("build")
@model_options
@as_json
@library_option
@guarded
def build(*, choice: ModelChoice, dry_run: bool, json_output: bool, library: Path) -> None:
    """Build the graph from what the skills' texts and relations.yaml files say.

    Deterministic: the same library gives the same graph, byte for byte.

    With --model a language model judges the pairs that rules cannot; it reads its key from the environment.
    What it said is kept, so that only changed skills are asked about again. Without --model none of it is
    used.
    """
    from skillquiver.serve import render_graph, render_llm
    from skillquiver.serve.usecases.graph_llm import build_with_model, plan_build

    if dry_run:
        dry = plan_build(library, choice)
        if json_output:
            print_json(render_llm.plan_data(dry, choice.model))
        else:
            say(render_llm.plan_text(dry, choice.model))
        return
    report = build_with_model(library, choice, environ=os.environ)
    if json_output:
        print_json(render_graph.build_data(report))
    else:
        say(render_graph.build_text(report))


@command.command("complete")
@model_options
@click.option(
    "--drop", is_flag=True, help="Remove the completion instead; answers already paid for are kept."
)
@as_json
@library_option
@guarded
def complete(*, choice: ModelChoice, dry_run: bool, drop: bool, json_output: bool, library: Path) -> None:
    """Have a language model fill in inputs, outputs and tags that authors left out.

    The answers are frozen in completion.json in the library folder, and every later build applies them.
    """
    from skillquiver.serve import render_llm
    from skillquiver.serve.usecases import graph_llm

    if drop:
        dropped = graph_llm.drop_completion(library, choice, dry_run=dry_run)
        told: tuple[Any, str] = render_llm.drop_data(dropped), render_llm.drop_text(dropped)
    elif dry_run:
        dry = graph_llm.plan_library_completion(library, choice)
        told = (
            render_llm.completion_plan_data(dry, choice.model),
            render_llm.completion_plan_text(dry, choice.model),
        )
    else:
        report = graph_llm.complete_library(library, choice, environ=os.environ)
        told = render_llm.completion_data(report), render_llm.completion_text(report)
    if json_output:
        print_json(told[0])
    else:
        say(told[1])


@command.command("show")
@click.argument("skill")
@as_json
@library_option
@guarded
def show(skill: str, *, json_output: bool, library: Path) -> None:
    """Show the relations of SKILL, with the words that state them."""
    from skillquiver.serve import render_graph
    from skillquiver.serve.usecases.graphs import graph_show

    found = graph_show(library, skill)
    if json_output:
        print_json(render_graph.relations_data(*found))
    else:
        say(render_graph.relations_text(*found))


@command.command("stats")
@as_json
@library_option
@guarded
def stats(*, json_output: bool, library: Path) -> None:
    """Measure each layer: wired skills, components, reach, share outside the embedding's neighbours."""
    from skillquiver.serve import render_graph
    from skillquiver.serve.usecases.graphs import graph_stats

    found = graph_stats(library)
    if json_output:
        print_json(render_graph.stats_data(found))
    else:
        say(render_graph.stats_text(found))


@command.command("census")
@as_json
@library_option
@guarded
def census(*, json_output: bool, library: Path) -> None:
    """Count relations by type, provenance and the source that proposed them."""
    from skillquiver.serve import render_graph
    from skillquiver.serve.usecases.graphs import graph_census

    found = graph_census(library)
    if json_output:
        print_json(render_graph.census_data(*found))
    else:
        say(render_graph.census_text(*found))


@command.command("audit")
@click.option("--sample", default=120, show_default=True, metavar="N", help="Relations on the sheet.")
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="Another number draws another sample."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="CSV to write.")
@library_option
@guarded
def audit(*, sample: int, seed: int, out: Path | None, library: Path) -> None:
    """Write a sheet of relations to judge from the two skills alone: no evidence, no source."""
    from skillquiver.serve.usecases.graphs import graph_audit

    text = graph_audit(library, sample=sample, seed=seed)
    if out is None:
        say(text.rstrip("\n"))
    else:
        out.write_text(text, encoding="utf-8", errors="replace")


@command.command("export")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "graphml", "mermaid"]),
    default="json",
    show_default=True,
    help="What to print it as.",
)
@library_option
@guarded
def export(*, format_: str, library: Path) -> None:
    """Print the whole graph for other tools."""
    from skillquiver.graph.export import ExportFormat
    from skillquiver.serve.usecases.graphs import graph_export

    say(graph_export(library, ExportFormat(format_)).rstrip("\n"))

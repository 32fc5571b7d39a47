"""``quiver bundle``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.rewrite_options import rewrite_options
from skillquiver.serve.cli.search_command import query_text

if TYPE_CHECKING:
    from skillquiver.serve.usecases.rewriting import RewriteChoice

ARMS = ("flat", "one-hop", "forward", "reverse")
"""Values of ``retrieve.diffuse.Arm``, which the start of the command line does not load."""


@click.command("bundle")
@click.argument("query", nargs=-1)
@click.option("--budget", default=8000, show_default=True, metavar="N", help="Tokens the bundle may take.")
@click.option("--max-skills", type=int, metavar="N", help="Skills the bundle may hold at most.")
@click.option("--must", multiple=True, metavar="ID", help="A skill that has to come; may be repeated.")
@click.option("--without", multiple=True, metavar="ID", help="A skill that must not come; may be repeated.")
@click.option("--loaded", multiple=True, metavar="ID", help="A skill the agent has already; may be repeated.")
@click.option(
    "--arm",
    type=click.Choice(ARMS),
    default="reverse",
    show_default=True,
    help="How relations are followed from the matches; `flat`: not at all.",
)
@click.option("--lexical", is_flag=True, help="Words only: no encoder, three times faster to start.")
@click.option("--explain", is_flag=True, help="Also say why each skill is there and what was left out.")
@rewrite_options
@as_json
@library_option
@guarded
def command(
    query: tuple[str, ...],
    *,
    budget: int,
    max_skills: int | None,
    must: tuple[str, ...],
    without: tuple[str, ...],
    loaded: tuple[str, ...],
    arm: str,
    lexical: bool,
    explain: bool,
    rewriting: RewriteChoice,
    json_output: bool,
    library: Path,
) -> None:
    """Pack the skills that QUERY, a task, needs into --budget tokens (`-` reads standard input).

    What a skill requires comes with it and before it. The best skills come whole, others as outlines or
    cards. Exit code 1 if nothing matches.
    """
    from skillquiver.retrieve.diffuse import Arm
    from skillquiver.serve import render_bundle as render
    from skillquiver.serve.render_rewrite import rewrite_data, rewrite_text
    from skillquiver.serve.usecases.bundling import Asked
    from skillquiver.serve.usecases.library import open_library
    from skillquiver.serve.usecases.rewriting import open_rewriter
    from skillquiver.serve.usecases.searching import bundle

    with open_rewriter(rewriting, environ=os.environ) as rewrite:
        told = rewrite(query_text(query))
    with open_library(library, lexical=lexical) as opened:
        packed, ranking = bundle(
            opened,
            told.query,
            budget=budget,
            max_skills=max_skills,
            arm=Arm(arm),
            asked=Asked(must=must, without=without, loaded=loaded, explain=explain),
        )
    if json_output:
        print_json(rewrite_data(render.bundle_data(packed, ranking), told))
    else:
        say(render.bundle_text(packed, ranking, explain=explain))
        if told.asked:  # beside the bundle, which an agent may be given as it is
            click.echo(rewrite_text("", told).lstrip("\n"), err=True)
    if not packed.entries:
        if not packed.text:
            click.echo(f"quiver: {budget} tokens hold no skill, not even one line", err=True)
        raise SystemExit(1)

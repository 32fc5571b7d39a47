"""``quiver bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.search_command import query_text


@click.command("bundle")
@click.argument("query", nargs=-1)
@click.option("--budget", default=8000, show_default=True, metavar="N", help="Tokens the bundle may take.")
@click.option("--max-skills", type=int, metavar="N", help="Skills the bundle may hold at most.")
@click.option("--lexical", is_flag=True, help="Words only: no encoder, three times faster to start.")
@click.option("--explain", is_flag=True, help="Also say why each skill is there and what was left out.")
@as_json
@library_option
@guarded
def command(
    query: tuple[str, ...],
    *,
    budget: int,
    max_skills: int | None,
    lexical: bool,
    explain: bool,
    json_output: bool,
    library: Path,
) -> None:
    """Pack the skills that QUERY, a task, needs into --budget tokens (`-` reads standard input).

    The best skills come whole, others as outlines or cards. Exit code 1 if nothing matches.
    """
    from skillquiver.serve import render
    from skillquiver.serve.usecases.library import open_library
    from skillquiver.serve.usecases.searching import bundle

    text = query_text(query)
    with open_library(library, lexical=lexical) as opened:
        packed, ranking = bundle(opened, text, budget=budget, max_skills=max_skills)
    if json_output:
        print_json(render.bundle_data(packed, ranking))
    else:
        say(render.bundle_text(packed, ranking, explain=explain))
    if not packed.entries:
        if not packed.text:
            click.echo(f"quiver: {budget} tokens hold no skill, not even one line", err=True)
        raise SystemExit(1)

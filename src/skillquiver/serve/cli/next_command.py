"""``quiver next``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


@click.command("next")
@click.argument("skill")
@click.option("--done", multiple=True, metavar="SKILL", help="A skill that is done already; repeatable.")
@click.option(
    "--top-k", type=click.IntRange(min=1), default=5, show_default=True, help="Most skills in each group."
)
@as_json
@library_option
@guarded
def command(skill: str, *, done: tuple[str, ...], top_k: int, json_output: bool, library: Path) -> None:
    """Show what comes before SKILL, what comes next, what checks it, and what does its job instead.

    Answers come from the graph of `quiver graph build`, with the words that state them. What SKILL requires
    is shown whole, whatever --top-k is.
    """
    from skillquiver.serve import render_next
    from skillquiver.serve.usecases.following import next_skills

    found = next_skills(library, skill, done=done, top_k=top_k)
    if json_output:
        print_json(render_next.next_data(found))
    else:
        say(render_next.next_text(found))

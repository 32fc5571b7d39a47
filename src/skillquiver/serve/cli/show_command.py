"""``quiver show``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


@click.command("show")
@click.argument("skill")
@click.option("--body", is_flag=True, help="Also print the instructions.")
@as_json
@library_option
@guarded
def command(skill: str, *, body: bool, json_output: bool, library: Path) -> None:
    """Show SKILL: an id such as `tools/pdf`, or a name if only one skill has it."""
    from skillquiver.serve import render
    from skillquiver.serve.usecases.inspecting import show

    found = show(library, skill)
    if json_output:
        print_json(render.skill_data(found))
    else:
        say(render.skill_text(found, body=body))

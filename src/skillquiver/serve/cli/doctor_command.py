"""``quiver doctor``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


@click.command("doctor")
@click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only findings of this code, all of them."
)
@click.option("--all", "every", is_flag=True, help="List every finding, not a few of each kind.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is an error or a warning.")
@as_json
@library_option
@guarded
def command(codes: tuple[str, ...], *, every: bool, strict: bool, json_output: bool, library: Path) -> None:
    """List what is wrong with the library's skills, worst first, and what to do about it."""
    from skillquiver.serve import render
    from skillquiver.serve.usecases.inspecting import doctor

    health = doctor(library, codes=codes)
    if json_output:
        print_json(render.health_data(health))
    else:
        say(render.health_text(health, every=every or bool(codes)))
    if strict and health.failing:
        raise SystemExit(1)

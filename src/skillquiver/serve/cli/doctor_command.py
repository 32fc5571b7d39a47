"""``quiver doctor``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from skillquiver.errors import UsageError
from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


@click.command("doctor")
@click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only findings of this code, all of them."
)
@click.option("--all", "every", is_flag=True, help="List every finding, not a few of each kind.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is an error or a warning, or a text lost.")
@click.option(
    "--host", default="", metavar="HOST", help="Say what this host's own list shows: claude-code or codex."
)
@click.option(
    "--window", default=200_000, show_default=True, metavar="TOKENS", help="The model's context window."
)
@click.option(
    "--write-overrides", is_flag=True, help="Set the skills that lose their text to name-only in the host."
)
@click.option("--undo-overrides", is_flag=True, help="Take those settings out again, byte for byte.")
@click.option("--dry-run", is_flag=True, help="With either: print a diff and write nothing.")
@as_json
@library_option
@guarded
def command(
    codes: tuple[str, ...],
    *,
    every: bool,
    strict: bool,
    host: str,
    window: int,
    write_overrides: bool,
    undo_overrides: bool,
    dry_run: bool,
    json_output: bool,
    library: Path,
) -> None:
    """List what is wrong with the library's skills, worst first, and what to do about it.

    With --host, list the skills that the agent host shows without their text, or not at all.
    """
    if host:
        if write_overrides and undo_overrides:
            raise UsageError("give either --write-overrides or --undo-overrides, not both")
        if undo_overrides:
            _undo(host, dry_run=dry_run, json_output=json_output)
            return
        _host(library, host, window, write=write_overrides, dry_run=dry_run, data=json_output, strict=strict)
        return
    if write_overrides or undo_overrides:
        raise UsageError("name the host whose settings are meant, as in --host claude-code")
    from skillquiver.serve import render
    from skillquiver.serve.usecases.inspecting import doctor

    health = doctor(library, codes=codes)
    if json_output:
        print_json(render.health_data(health))
    else:
        say(render.health_text(health, every=every or bool(codes)))
    if strict and health.failing:
        raise SystemExit(1)


def _host(
    library: Path, host: str, window: int, *, write: bool, dry_run: bool, data: bool, strict: bool
) -> None:
    from skillquiver.serve import render_listing as render
    from skillquiver.serve.hosts.plans import Where
    from skillquiver.serve.usecases import listings

    where = Where(Path.home(), None, os.environ)
    report = listings.list_for_host(library, host, window=window, where=where)
    changes = listings.write_overrides(report, where, dry_run=dry_run) if write else None
    if data:
        document = render.listing_data(report)
        if changes is not None:
            document["overrides"] = render.overrides_data(changes, dry_run=dry_run)
        print_json(document)
    else:
        say(render.listing_text(report))
        if changes is not None:
            say(render.overrides_text(changes, dry_run=dry_run))
    if strict and report.failing:
        raise SystemExit(1)


def _undo(host: str, *, dry_run: bool, json_output: bool) -> None:
    from skillquiver.serve import render_listing as render
    from skillquiver.serve.hosts.plans import Where
    from skillquiver.serve.usecases import listings

    changes = listings.undo_overrides(host, Where(Path.home(), None, os.environ), dry_run=dry_run)
    if json_output:
        print_json({"host": host, "overrides": render.overrides_data(changes, dry_run=dry_run)})
    else:
        say(render.overrides_text(changes, dry_run=dry_run))

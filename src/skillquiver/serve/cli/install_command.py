"""``quiver install``."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.core import ParameterSource

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say


@click.command("install")
@click.argument("host")
@click.option("--project", is_flag=True, help="Write into the working folder instead of your home folder.")
@click.option("--uninstall", "remove", is_flag=True, help="Take out what was written, byte for byte.")
@click.option("--dry-run", is_flag=True, help="Print a diff for each file and write nothing.")
@as_json
@library_option
@guarded
@click.pass_context
def command(
    ctx: click.Context,
    host: str,
    *,
    project: bool,
    remove: bool,
    dry_run: bool,
    json_output: bool,
    library: Path,
) -> None:
    """Make HOST start Skillquiver: claude-code, codex, cursor, gemini or opencode.

    Writes the host's own configuration: the MCP server, hooks where the host has them, and instructions for
    the agent. A second run changes nothing; --uninstall puts every file back. --library is written down only
    if it is given.
    """
    from skillquiver.serve import render_install
    from skillquiver.serve.hosts.plans import Where
    from skillquiver.serve.usecases import installing

    facts = installing.host_facts(host)
    where = Where(Path.home(), Path.cwd() if project else None, os.environ)
    if remove:
        report = installing.uninstall(facts, where, dry_run=dry_run)
    else:
        given = ctx.get_parameter_source("library") is ParameterSource.COMMANDLINE
        start = installing.find_command(os.environ, shared=project, library=library if given else None)
        report = installing.install(facts, where, start, dry_run=dry_run)
    if json_output:
        print_json(render_install.install_data(report))
    else:
        say(render_install.install_text(report))

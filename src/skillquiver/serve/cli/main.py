"""The command group. Each command's module is imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from skillquiver import __version__

__all__ = ["COMMANDS", "main"]

COMMANDS = {
    "index": "Read folders of skills into the library, or bring it up to date.",
    "search": "Rank the library's skills for a task.",
    "bundle": "Pack the skills a task needs into a token budget.",
    "show": "Show one skill.",
    "next": "Show what comes before a skill, what comes next, what checks it, and what does its job instead.",
    "graph": "Build the graph of typed relations between skills, and look into it.",
    "mcp": "Serve the library to agents over the Model Context Protocol.",
    "hook": "Answer an agent host's hooks: suggest skills, keep what was used.",
    "warm": "Keep the library open for hooks, so that they answer at once and better.",
    "serve": "Serve libraries over HTTP, with tokens, limits and metrics.",
    "token": "Make, list and remove the tokens that `quiver serve` asks for.",
    "eval": "Measure rankers, the graph and bundles on queries with known answers.",
    "doctor": "List what is wrong with the library.",
    "install": "Make an agent host use the library, or undo that.",
}
"""Name and first line of help of every command, in the order of a first session."""


_JSON_WANTED = "skillquiver.json"
"""Where the context notes that ``--json`` stands among the arguments."""


class _Commands(click.Group):
    """Imports a command's module when it is needed: ``quiver show`` must not pay for ``quiver index``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note whether JSON was asked for before anything can be wrong with the arguments."""
        ctx.meta[_JSON_WANTED] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a wrong argument is a JSON document, too, where JSON was asked for."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not ctx.meta[_JSON_WANTED]:
                raise
            from skillquiver.errors import UsageError
            from skillquiver.serve.cli.common import print_json
            from skillquiver.serve.render import error_data

            print_json(error_data(UsageError(error.format_message())))
            raise SystemExit(UsageError.exit_code) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of a first session."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"skillquiver.serve.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quiver")
def main() -> None:
    """Find the smallest set of agent skills that is enough to do a task.

    The library is the folder given by --library or QUIVER_LIBRARY, else one in the user's data folder.
    """

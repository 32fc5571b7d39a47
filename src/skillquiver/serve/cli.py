"""The command line: parse input, call a use case, render."""

from __future__ import annotations

import click

from skillquiver import __version__

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quiver")
def main() -> None:
    """Find the smallest set of skills that is enough to do a task."""

"""``quiver eval compare``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, print_json, say

__all__ = ["compare"]

_RUN = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("compare")
@click.argument("before", metavar="A.json", type=_RUN)
@click.argument("after", metavar="B.json", type=_RUN)
@as_json
@guarded
def compare(before: Path, after: Path, *, json_output: bool) -> None:
    """Compare two runs, B.json against A.json, on the queries that both have."""
    from skillquiver.serve import render_query_files
    from skillquiver.serve.usecases.query_files import compare_runs

    found = compare_runs(before, after)
    if json_output:
        print_json(render_query_files.comparison_data(found))
    else:
        say(render_query_files.comparison_text(found))

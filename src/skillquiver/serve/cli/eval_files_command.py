"""``quiver eval init`` and ``quiver eval split``."""

from __future__ import annotations

from pathlib import Path

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say

__all__ = ["init", "split"]


@click.command("init")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    default=Path("queries.jsonl"),
    show_default=True,
    help="Query file to write.",
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", default=200, show_default=True, help="Most queries."
)
@click.option("--force", is_flag=True, help="Overwrite the file.")
@as_json
@library_option
@guarded
def init(out: Path, *, limit: int, force: bool, json_output: bool, library: Path) -> None:
    """Draft a query file for this library out of the prompts that its skills quote."""
    from skillquiver.serve import render_query_files
    from skillquiver.serve.usecases.query_files import draft_queries

    draft = draft_queries(library, out, limit=limit, force=force)
    if json_output:
        print_json(render_query_files.draft_data(draft))
    else:
        say(render_query_files.draft_text(draft))


@click.command("split")
@click.argument(
    "queries", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--folds", type=click.IntRange(2), metavar="K", default=5, show_default=True, help="How many.")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the files, one for each query file and fold.",
)
@click.option(
    "--equivalents",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Gold skill → skills that do as well: they share a fold.",
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Draws the folds.")
@click.option("--force", is_flag=True, help="Overwrite files.")
@as_json
@guarded
def split(
    queries: tuple[Path, ...],
    *,
    folds: int,
    out: Path,
    equivalents: Path | None,
    seed: int,
    force: bool,
    json_output: bool,
) -> None:
    """Split QUERIES into folds, so that no gold skill stands in two."""
    from skillquiver.serve import render_query_files
    from skillquiver.serve.usecases.evaluating import QueryFiles
    from skillquiver.serve.usecases.query_files import split_queries

    files = QueryFiles(queries, equivalents)
    found = split_queries(files, out, folds=folds, seed=seed, force=force)
    if json_output:
        print_json(render_query_files.folds_data(found))
    else:
        say(render_query_files.folds_text(found))

"""``quiver search``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillquiver.errors import UsageError
from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say
from skillquiver.serve.cli.rewrite_options import rewrite_options

if TYPE_CHECKING:
    from skillquiver.serve.usecases.library import Library
    from skillquiver.serve.usecases.rewriting import Rewrite, RewriteChoice


@click.command("search")
@click.argument("query", nargs=-1)
@click.option("--top-k", default=10, show_default=True, metavar="K", help="How many skills to list.")
@click.option("--lexical", is_flag=True, help="Words only: no encoder, three times faster to start.")
@click.option("--no-rerank", is_flag=True, help="The plain combination of channels, no second stage.")
@click.option("--explain", is_flag=True, help="Say which channels, terms and query window ranked each skill.")
@click.option("--no-hidden", is_flag=True, help="Leave out skills that their authors hide from models.")
@click.option(
    "--queries",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.jsonl",
    help="Answer each line's `query`; prints one JSON object a line: query_id, ranked, ms.",
)
@rewrite_options
@as_json
@library_option
@guarded
def command(
    query: tuple[str, ...],
    *,
    top_k: int,
    lexical: bool,
    no_rerank: bool,
    explain: bool,
    no_hidden: bool,
    queries: Path | None,
    rewriting: RewriteChoice,
    json_output: bool,
    library: Path,
) -> None:
    """Rank the library's skills for QUERY, a task in your own words (`-` reads standard input).

    Exit code 0 whether or not something was found: `status` says hit, weak or none.
    """
    from skillquiver.serve import render
    from skillquiver.serve.render_rewrite import rewrite_data, rewrite_text
    from skillquiver.serve.usecases.library import open_library
    from skillquiver.serve.usecases.rewriting import open_rewriter
    from skillquiver.serve.usecases.searching import search
    from skillquiver.settings import RankSettings

    settings = RankSettings(rerank_depth=0) if no_rerank else None
    if queries is not None:
        if query:
            raise UsageError("give either QUERY or --queries, not both")
        if explain:
            raise UsageError("--explain is for one QUERY; the lines of a run have no place for it")
        with (
            open_rewriter(rewriting, environ=os.environ) as rewrite,
            open_library(library, lexical=lexical, settings=settings) as opened,
        ):
            _batch(opened, queries, top_k=top_k, hidden=not no_hidden, rewrite=rewrite)
        return
    with open_rewriter(rewriting, environ=os.environ) as rewrite:
        told = rewrite(query_text(query))
    with open_library(library, lexical=lexical, settings=settings) as opened:
        ranking = search(opened, told.query, top_k=top_k, explain=explain, hidden=not no_hidden)
    if json_output:
        print_json(rewrite_data(render.ranking_data(ranking, explain=explain), told))
    else:
        say(rewrite_text(render.ranking_text(ranking, explain=explain), told))


def query_text(words: tuple[str, ...]) -> str:
    """Join the words of a task, or read it from standard input. Raises ``UsageError`` for no words."""
    if words == ("-",):
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    if not words:
        raise UsageError("name a task, as in `fill in a PDF form`, or `-` to read it")
    return " ".join(words)


def _batch(library: Library, file: Path, *, top_k: int, hidden: bool, rewrite: Rewrite) -> None:
    from skillquiver.serve.queries import read_queries
    from skillquiver.serve.usecases.searching import search_batch

    for answer in search_batch(library, read_queries(file), top_k=top_k, hidden=hidden, rewrite=rewrite):
        row = {"query_id": answer.query_id, "ranked": answer.ranked, "ms": answer.ms}
        print_json({**row, "rewrite": answer.rewrite} if answer.rewrite else row, indent=False)

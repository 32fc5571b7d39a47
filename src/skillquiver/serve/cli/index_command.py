"""``quiver index``."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillquiver.serve.cli.common import as_json, guarded, library_option, print_json, say

if TYPE_CHECKING:
    from skillquiver.index.progress import Progress, Stage


@click.command("index")
@click.argument("roots", nargs=-1, metavar="[LABEL=FOLDER | FOLDER]...")
@click.option("--hosts", is_flag=True, help="Also the skills folders of the agent hosts on this machine.")
@click.option("--forget", multiple=True, metavar="LABEL", help="Take a root out of the library.")
@click.option("--reread", is_flag=True, help="Read every file again, changed or not.")
@click.option("--no-vectors", is_flag=True, help="Stop when lexical search is ready.")
@click.option("--encoder", default="", metavar="NAME", help="Encoder to use from now on; default: minilm.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes; default: one a processor.")
@click.option("--strict", is_flag=True, help="Exit with 1 if reading found an error or a warning.")
@as_json
@library_option
@guarded
def command(
    roots: tuple[str, ...],
    *,
    hosts: bool,
    forget: tuple[str, ...],
    reread: bool,
    no_vectors: bool,
    encoder: str,
    workers: int | None,
    strict: bool,
    json_output: bool,
    library: Path,
) -> None:
    """Read folders of skills into the library, or bring it up to date.

    A root is a folder that holds skills at any depth; its LABEL begins the ids of its skills and defaults to
    the folder's name. Roots are remembered: `quiver index` alone reads again what changed. With no root at
    all the skills folders of the agent hosts on this machine are taken.
    """
    from skillquiver.index.sync import SyncOptions
    from skillquiver.serve import render
    from skillquiver.serve.usecases.indexing import forget_roots, index_library

    if forget:
        forget_roots(library, forget)
    # whoever takes the last root out does not ask for the hosts' folders instead
    places = None if forget and not hosts else (Path.home(), Path.cwd())
    options = SyncOptions(reread=reread, vectors=not no_vectors, encoder=encoder, workers=workers)
    with ExitStack() as stack:
        tell = _progress(stack, quiet=json_output)
        report = index_library(library, roots, hosts=places, use_hosts=hosts, options=options, tell=tell)
    if json_output:
        print_json(render.report_data(report))
    else:
        say(render.report_text(report))
    if strict:
        from skillquiver.serve.usecases.inspecting import doctor

        if doctor(library).failing:
            raise SystemExit(1)


def _progress(stack: ExitStack, *, quiet: bool) -> Progress:
    """Bars on a terminal; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        from skillquiver.index.progress import silent

        return silent
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = stack.enter_context(Progress(*columns, console=Console(stderr=True)))
    tasks: dict[str, int] = {}

    def tell(stage: Stage, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = int(bars.add_task(stage.value, total=total or None))
        bars.update(tasks[stage], completed=done, total=total or None)  # type: ignore[arg-type]

    return tell

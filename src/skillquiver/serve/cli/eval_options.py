"""Options that `quiver eval run` and `quiver eval report` share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from skillquiver.serve.usecases.evaluating import QueryFiles
    from skillquiver.settings import EvalSettings

__all__ = ["called", "input_options", "inputs_of", "queries_argument"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_OPTIONS = (
    click.option(
        "--equivalents", type=_FILE, metavar="FILE.json", help="Gold skill → skills that do as well."
    ),
    click.option(
        "--order",
        type=_FILE,
        metavar="FILE.jsonl",
        help="Pairs of skills whose order is known: for census, stability and sequence.",
    ),
    click.option(
        "--references",
        type=_FILE,
        metavar="FILE.jsonl",
        help="Pairs of skills one of which names the other: for census.",
    ),
    click.option(
        "--audit",
        type=_FILE,
        metavar="FILE.csv",
        help="A sheet of `quiver graph audit`, filled in: for audit.",
    ),
    click.option(
        "--ranker",
        type=click.Choice(["bm25 card", "bm25", "dense", "hybrid", "second stage"]),
        default="second stage",
        show_default=True,
        help="Ranker that experiments start from.",
    ),
    click.option(
        "--second-stage",
        type=click.Path(exists=True, path_type=Path),
        metavar="FILE|FOLDER",
        help="Second stage to use instead of the packaged one, or a folder of models by fold.",
    ),
    click.option(
        "--reject-echo", is_flag=True, help="Leave out queries that repeat a description; say how many."
    ),
)


def called() -> str:
    """The command as it was given."""
    return shlex.join(["quiver", *sys.argv[1:]])


def queries_argument(*, required: bool) -> Callable[[_Command], _Command]:
    """Any number of query files."""
    return click.argument("queries", nargs=-1, required=required, type=_FILE)


def input_options(command: _Command) -> _Command:
    """Add the options that say what experiments read and start from."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def inputs_of(queries: tuple[Path, ...], options: Mapping[str, Any]) -> tuple[QueryFiles, EvalSettings]:
    """The files and the settings that these options mean."""
    from skillquiver.serve.usecases.evaluating import QueryFiles
    from skillquiver.settings import EvalSettings

    files = QueryFiles(
        queries,
        equivalents=options["equivalents"],
        order=options["order"],
        references=options["references"],
        audit=options["audit"],
        second_stage=options["second_stage"],
        reject_echo=options["reject_echo"],
    )
    return files, EvalSettings(ranker=options["ranker"])

"""What every command shares: the library option, JSON output, and how errors leave the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from skillquiver.errors import SkillquiverError, UsageError
from skillquiver.serve.usecases.location import library_folder

__all__ = ["as_json", "guarded", "library_option", "print_json", "say"]

F = TypeVar("F", bound=Callable[..., None])


def library_option(command: F) -> F:
    """Add ``--library``; the command receives the folder as ``library``."""

    def resolve(ctx: click.Context, param: click.Parameter, value: str) -> Path:
        try:
            return library_folder(value, os.environ)
        except UsageError as error:
            raise click.BadParameter(str(error), ctx, param) from error

    option = click.option(
        "--library",
        metavar="DIR",
        default="",
        callback=resolve,
        help="Folder of the library; default: QUIVER_LIBRARY, else the user's data folder.",
    )
    return option(command)


def as_json(command: F) -> F:
    """Add ``--json``; the command receives it as ``json_output``."""
    text = "Print one JSON document and nothing else."
    return click.option("--json", "json_output", is_flag=True, help=text)(command)


def guarded(command: F) -> F:
    """Turn the package's errors into a message on standard error, or a JSON document, and an exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except SkillquiverError as error:
            from skillquiver.serve.render import error_data
            from skillquiver.skills.sanitize import plain

            if options.get("json_output"):
                print_json(error_data(error))
            else:
                click.echo(f"quiver: {plain(str(error))}", err=True)
            raise SystemExit(error.exit_code) from error

    return run  # type: ignore[return-value]


def print_json(data: Mapping[str, Any], *, indent: bool = True) -> None:
    """Write one JSON document to standard output."""
    from skillquiver.serve.render import to_json

    say(to_json(data, indent=indent))


def say(text: str) -> None:
    """Write text to standard output, whatever its encoding can hold."""
    if sys.stdout is None:  # the caller closed it
        raise SystemExit(1)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        click.echo(text.encode(encoding, "replace").decode(encoding))
    except BrokenPipeError:  # the reader has seen enough; click ends quietly
        raise
    except OSError as error:
        click.echo(f"quiver: cannot write the answer: {error.strerror}", err=True)
        raise SystemExit(1) from error

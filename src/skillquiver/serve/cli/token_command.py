"""``quiver token``: who may ask `quiver serve`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import click

from skillquiver.errors import UsageError
from skillquiver.serve.cli.common import as_json, guarded, print_json, say

__all__ = ["command", "tokens_option"]

F = TypeVar("F", bound=Callable[..., None])


def tokens_option(command: F) -> F:
    """Add ``--tokens``; the command receives the file as ``tokens``."""

    def resolve(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path:
        from skillquiver.serve.http.tokens import default_tokens_file

        return default_tokens_file() if value is None else value

    option = click.option(
        "--tokens",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        callback=resolve,
        help="File of tokens; default: tokens.json in the user's configuration folder.",
    )
    return option(command)


@click.group("token")
def command() -> None:
    """Make, list and remove the tokens that `quiver serve` asks for."""


@command.command("add")
@click.argument("name")
@click.option(
    "--library", "libraries", multiple=True, metavar="NAME", help="A library it may read; repeatable."
)
@click.option("--every-library", is_flag=True, help="It may read whatever is served, now or later.")
@tokens_option
@guarded
def add(name: str, *, libraries: tuple[str, ...], every_library: bool, tokens: Path) -> None:
    """Make a token called NAME and print it. It is shown this once: the file holds only its hash."""
    from skillquiver.serve.http.tokens import EVERY_LIBRARY, add_token

    if every_library == bool(libraries):
        raise UsageError("give either --library NAME or --every-library")
    created = datetime.now(UTC).isoformat(timespec="seconds")
    say(add_token(tokens, name, libraries or (EVERY_LIBRARY,), created=created))


@command.command("list")
@tokens_option
@as_json
@guarded
def list_(*, tokens: Path, json_output: bool) -> None:
    """List the tokens by name, with what they may read and when they were made."""
    from skillquiver.serve.http.tokens import read_tokens
    from skillquiver.skills.sanitize import plain

    found = read_tokens(tokens)
    if json_output:
        rows = [{"name": one.name, "libraries": one.libraries, "created": one.created} for one in found]
        print_json({"tokens": rows})
    elif not found:
        say("no tokens")
    for one in found if not json_output else ():
        say(f"{plain(one.name)}  {', '.join(map(plain, one.libraries))}  {plain(one.created)}")


@command.command("remove")
@click.argument("name")
@tokens_option
@guarded
def remove(name: str, *, tokens: Path) -> None:
    """Remove the token called NAME. Servers refuse it from the next request on."""
    from skillquiver.serve.http.tokens import remove_token

    remove_token(tokens, name)

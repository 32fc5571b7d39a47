"""``quiver serve``."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from skillquiver.errors import UsageError
from skillquiver.serve.cli.common import guarded
from skillquiver.serve.cli.token_command import tokens_option
from skillquiver.serve.usecases.location import library_folder

__all__ = ["command"]

DEFAULT = "default"
"""Name of a library that is given without one."""

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.*)", re.DOTALL)


def _libraries(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for value in values or ("",):
        match = _NAMED.fullmatch(value)
        name, folder = match.groups() if match else (DEFAULT, value)
        if name in found:
            raise click.BadParameter(f"two libraries are called {name!r}; write NAME=DIR", ctx, param)
        try:
            found[name] = library_folder(folder, os.environ)
        except UsageError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return found


@click.command("serve", short_help="Serve libraries over HTTP, with tokens, limits and metrics.")
@click.option(
    "--library",
    "libraries",
    multiple=True,
    metavar="[NAME=]DIR",
    callback=_libraries,
    help="A library and the name it is asked for by; default: QUIVER_LIBRARY, else the user's data folder.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8766,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="Another name that requests may call the server."
)
@tokens_option
@click.option("--without-tokens", is_flag=True, help="Let every program on this machine in; loopback only.")
@click.option(
    "--rate", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Requests a second per token."
)
@click.option("--quiet", is_flag=True, help="No line on standard error for each request.")
@guarded
def command(
    libraries: dict[str, Path],
    *,
    host: str,
    port: int,
    names: tuple[str, ...],
    tokens: Path,
    without_tokens: bool,
    rate: float | None,
    quiet: bool,
) -> None:
    """Serve libraries over HTTP, with tokens, limits and metrics.

    Requests need a token of `quiver token add`. Paths: /search, /bundle, /next, /skills/ID, /libraries,
    /mcp, /healthz, /metrics, /openapi.json. SIGTERM finishes what is under way.
    """
    try:
        import mcp  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError("`quiver serve` needs the extra: pip install 'skillquiver[serve]'") from error
    from contextlib import ExitStack

    from skillquiver.serve.http.app import build_app, check_address, log_to_stderr, serve
    from skillquiver.serve.http.tokens import TokenFile
    from skillquiver.serve.live import LiveLibrary
    from skillquiver.settings import HttpSettings

    access = check_address(host, None if without_tokens else TokenFile(tokens), names)
    settings = (
        HttpSettings() if rate is None else HttpSettings(rate_per_second=rate, burst=max(1, int(2 * rate)))
    )
    log_to_stderr(access=not quiet)
    with ExitStack() as stack:
        lives = {name: stack.enter_context(LiveLibrary(folder)) for name, folder in libraries.items()}
        app = build_app(lives, access, settings=settings)
        serve(app, host, port, lambda address: click.echo(f"quiver: serving {address}", err=True), settings)

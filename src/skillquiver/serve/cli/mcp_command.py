"""``quiver mcp``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillquiver.errors import LibraryLockedError, UsageError
from skillquiver.serve.cli.common import guarded, library_option

if TYPE_CHECKING:
    from skillquiver.serve.live import LiveLibrary

__all__ = ["command"]


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, int] | None:
    if value is None:
        return None
    host, colon, port = value.rpartition(":")
    if not (colon and host and port.isascii() and port.isdecimal() and int(port) < 65_536):
        raise click.BadParameter(f"{value!r} is no HOST:PORT, such as 127.0.0.1:8765", ctx, param)
    return host.strip("[]"), int(port)


@click.command("mcp", short_help="Serve the library to agents over the Model Context Protocol.")
@click.option(
    "--http",
    metavar="HOST:PORT",
    callback=_address,
    help="Serve streamable HTTP under /mcp instead of standard input and output; port 0 takes a free one.",
)
@library_option
@guarded
def command(http: tuple[str, int] | None, library: Path) -> None:
    """Serve the library to agents over the Model Context Protocol.

    Without options one client is served over standard input and output, as agent hosts start it. The
    library may change meanwhile, or not exist yet: the next answer knows.
    """
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise UsageError("`quiver mcp` needs the extra: pip install 'skillquiver[mcp]'") from error
    import anyio

    from skillquiver.serve.live import LiveLibrary
    from skillquiver.serve.mcp.server import build_mcp, serve_http, serve_stdio

    def tell(address: str) -> None:
        click.echo(f"quiver: serving {address}", err=True)

    with LiveLibrary(library) as live, _hooks_served(live):
        server = build_mcp(live)
        if http is None:
            anyio.run(serve_stdio, server)
        else:
            anyio.run(serve_http, server, *http, tell)


@contextmanager
def _hooks_served(live: LiveLibrary) -> Iterator[None]:
    """Answer this user's hooks, too, unless another process does or the system cannot."""
    from skillquiver.serve.hook.endpoint import start_local_endpoint

    try:
        endpoint = start_local_endpoint(live, warm=False)
    except (LibraryLockedError, UsageError):  # hooks ask whoever serves, or answer by themselves
        yield
        return
    with endpoint:
        yield

"""``quiver warm``."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event

import click

from skillquiver.serve.cli.common import guarded, library_option

__all__ = ["command"]

IDLE_MINUTES = 60.0
"""A session that nobody typed into for an hour is over, or can wait a second."""

LOOK_SECONDS = 60.0
"""Between two looks at the time of the last question."""


@click.command("warm", short_help="Keep the library open for hooks, so that they answer at once and better.")
@click.option(
    "--idle",
    metavar="MINUTES",
    type=float,
    default=IDLE_MINUTES,
    show_default=True,
    help="End after this time without a question.",
)
@library_option
@guarded
def command(idle: float, library: Path) -> None:
    """Keep the library open for hooks, so that they answer at once, and with the encoder.

    Only this user's programs on this machine can ask. It ends when it is told to (SIGTERM, Ctrl-C), or
    when nobody asks for a while. A second one for the same library refuses to start.
    """
    from skillquiver.errors import UsageError
    from skillquiver.serve.hook.endpoint import serve_until, start_local_endpoint
    from skillquiver.serve.live import LiveLibrary

    if not idle > 0:
        raise UsageError(f"--idle is {idle:g}; give minutes above 0")
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with LiveLibrary(library) as live, start_local_endpoint(live) as endpoint:
        click.echo(f"quiver: answering hooks at {endpoint.path}", err=True)
        serve_until(endpoint, stop, idle=idle * 60, tick=lambda left: min(left, LOOK_SECONDS))

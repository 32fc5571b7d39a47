"""The gateway as an application and as a server: libraries in, an address out."""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import uvicorn
from starlette.applications import Starlette

from skillquiver.errors import UsageError
from skillquiver.serve.http.gateway import CHOSEN, Gateway
from skillquiver.serve.http.tokens import TokenFile
from skillquiver.serve.listening import listening
from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.server import build_mcp, http_endpoint
from skillquiver.settings import HttpSettings

__all__ = ["Access", "build_app", "check_address", "is_loopback", "log_to_stderr", "serve"]

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who is let in: holders of a token in ``tokens``, or everybody; ``hosts``: names of the server."""

    tokens: TokenFile | None
    hosts: frozenset[str] = frozenset()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_address(host: str, tokens: TokenFile | None, names: Sequence[str]) -> Access:
    """Return who is let in at ``host``, where the server also goes by ``names``.

    Raises ``UsageError`` where nobody would be asked who they are and others could come, and where
    nobody could be let in.
    """
    local = is_loopback(host)
    if tokens is None and not local:
        raise UsageError(
            f"{host} can be reached from elsewhere, and nobody would be asked who they are; "
            "use tokens, or 127.0.0.1"
        )
    if tokens is not None and not tokens.tokens():
        raise UsageError(
            f"no tokens in {tokens.file}; `quiver token add NAME` makes one, and --without-tokens lets "
            "every program on this machine in"
        )
    hosts = frozenset(name.lower() for name in names)
    return Access(tokens=tokens, hosts=hosts | _LOCAL | {host.lower()} if local else hosts)


def build_app(
    libraries: Mapping[str, LiveLibrary],
    access: Access,
    *,
    settings: HttpSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Starlette:
    """Return the application. It serves one life of a server and does not close ``libraries``."""
    first = next(iter(libraries.values()))
    endpoint = http_endpoint(build_mcp(first, choose=_chosen))
    gateway = Gateway(
        libraries=libraries,
        tokens=access.tokens,
        settings=settings or HttpSettings(),
        clock=clock,
        hosts=access.hosts,
        mcp=endpoint.asgi,
    )

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        for live in libraries.values():
            live.warm()
        async with endpoint.run():
            yield
        gateway.close()

    app = Starlette(lifespan=life)
    app.router.default = gateway  # a route for every path knows none with a line break in it
    return app


def _chosen(request: Any) -> LiveLibrary:
    live: LiveLibrary = request.scope[CHOSEN]
    return live


def serve(app: Starlette, host: str, port: int, tell: Callable[[str], None], settings: HttpSettings) -> None:
    """Serve until SIGTERM or SIGINT, then finish what is under way; ``tell`` gets the address.

    Raises ``UsageError`` for an address that cannot be used. Port 0 takes a free one.
    """
    with listening(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        tell(f"http://{shown}:{listener.getsockname()[1]}")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # an address that a client may choose must not choose its rate limit
            timeout_graceful_shutdown=settings.drain_seconds,
        )
        for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn drains, then raises the signal once more
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[listener])


def log_to_stderr(*, access: bool) -> None:
    """Write warnings, and with ``access`` one line a request, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("skillquiver.serve.http")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if access else logging.WARNING)
    logger.propagate = False

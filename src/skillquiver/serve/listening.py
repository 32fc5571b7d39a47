"""The listening socket of every server of ours that speaks HTTP."""

from __future__ import annotations

import socket

from skillquiver.errors import UsageError

__all__ = ["listening"]


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``host``, an address or a name; port 0 takes a free one.

    Raises ``UsageError`` where that cannot be.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only for a socket that says TCP does asyncio set TCP_NODELAY; without it each answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    listener.listen()
    return listener

"""A hook's question to a warm server: the host's event goes there as it came, the document comes back.

This is all that a hook imports while a server runs, so it does without ``socket``, ``json``, ``typing`` and
``dataclasses``: each takes longer to import than the question takes.

A question is a line with the protocol's version, a line with the library's path, the event, and the end of
what is sent. An answer is a line, ``ok`` and why suggestions are by words only or ``no`` and why there is no
answer, and after ``ok`` the document.
"""

from __future__ import annotations

import _socket
import os
import time

from skillquiver.serve.hook.limits import ANSWER_BYTES, INPUT_BYTES
from skillquiver.serve.hook.sockets import SUPPORTED, owner_only, peer_is_owner, socket_file

__all__ = ["GREETING", "ask_warm", "exchange"]

GREETING = b"skillquiver 2"
"""Names the protocol and its version; another one is not answered."""


def ask_warm(library: str, event: bytes, *, seconds: float) -> bytes | None:
    """The document of the warm server of ``library``; ``None`` if there is none within ``seconds``.

    Nothing raises: a server that is absent, slow, foreign, or dies at the question is no server.
    """
    if not SUPPORTED or seconds <= 0 or len(event) > INPUT_BYTES:
        return None
    try:
        head, document = exchange(socket_file(library, os.environ), library, event, seconds=seconds)
    except (OSError, ValueError):  # no server, no time, no path; the hook answers by itself
        return None
    sound = document.startswith(b"{") and document.endswith(b"}\n") and document.count(b"\n") == 1
    return document if sound and head.startswith(b"ok") and document.isascii() else None


def exchange(path: str, library: str, event: bytes, *, seconds: float) -> tuple[bytes, bytes]:
    """Ask at the socket; returns the first line of the answer, and what follows.

    Raises ``OSError``, also where nobody safe is.
    """
    if not (owner_only(os.path.dirname(path)) and owner_only(path)):
        raise PermissionError(f"{path} is missing, or not this user's alone")
    ends = time.monotonic() + seconds
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(path)
        if not peer_is_owner(connection):
            raise PermissionError(f"somebody else answers at {path}")
        connection.sendall(b"\n".join((GREETING, os.fsencode(library), event)))
        connection.shutdown(_socket.SHUT_WR)
        data = b""
        while len(data) <= ANSWER_BYTES:
            connection.settimeout(max(ends - time.monotonic(), 0.001))
            block = connection.recv(ANSWER_BYTES)
            if not block:
                break
            data += block
    finally:
        connection.close()
    head, _, document = data.partition(b"\n")
    return head, document

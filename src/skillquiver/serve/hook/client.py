"""A hook's question to a warm server: one line of JSON each way over the local socket."""

from __future__ import annotations

import json
import os
import socket
import time

from skillquiver.serve.hook.advice import Suggestion
from skillquiver.serve.hook.limits import ANSWER_BYTES, PROMPT_CHARACTERS, SUGGESTIONS
from skillquiver.serve.hook.sockets import SUPPORTED, owner_only, peer_is_owner, socket_file

__all__ = ["PROTOCOL", "ask_warm", "exchange"]

PROTOCOL = 1
"""Version of the lines; another one is not answered."""


def ask_warm(library: str, prompt: str, *, seconds: float) -> list[Suggestion] | None:
    """Ask the warm server of ``library``; ``None`` if there is none, or no sound answer within ``seconds``.

    Nothing raises: a server that is absent, slow, foreign, or dies at the question is no server.
    """
    if not SUPPORTED or seconds <= 0:
        return None
    question = {"v": PROTOCOL, "library": library, "prompt": prompt[:PROMPT_CHARACTERS]}
    try:
        line = exchange(socket_file(library, os.environ), question, seconds=seconds)
        return _suggestions(json.loads(line))
    except (OSError, ValueError, RecursionError):  # no server, no time, or no answer that can be read
        return None


def exchange(path: str, question: dict[str, object], *, seconds: float) -> bytes:
    """Send one line and return the line that comes back. Raises ``OSError``, and so where nobody safe is."""
    if not (owner_only(os.path.dirname(path)) and owner_only(path)):
        raise PermissionError(f"{path} is missing, or not this user's alone")
    ends = time.monotonic() + seconds
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        connection.connect(path)
        if not peer_is_owner(connection):
            raise PermissionError(f"somebody else answers at {path}")
        connection.sendall(json.dumps(question).encode("ascii") + b"\n")
        data = bytearray()
        while b"\n" not in data and len(data) <= ANSWER_BYTES:
            connection.settimeout(max(ends - time.monotonic(), 0.001))
            block = connection.recv(ANSWER_BYTES)
            if not block:
                raise ConnectionError("the server went away while it answered")
            data += block
    return bytes(data)


def _suggestions(answer: object) -> list[Suggestion] | None:
    if not isinstance(answer, dict) or answer.get("v") != PROTOCOL:
        return None
    found = answer.get("skills")
    if not isinstance(found, list):  # it says that it cannot: the hook tries by itself, and says why not
        return None
    pairs = [one for one in found[:SUGGESTIONS] if isinstance(one, list) and len(one) == 2]
    return [Suggestion(*pair) for pair in pairs if all(isinstance(part, str) for part in pair)]

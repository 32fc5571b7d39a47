"""The warm end of the local socket: answers hooks from a library that is open already."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread
from typing import TYPE_CHECKING

from skillquiver.errors import LibraryLockedError, SkillquiverError, UsageError
from skillquiver.serve.hook.advice import advice
from skillquiver.serve.hook.client import GREETING
from skillquiver.serve.hook.documents import document
from skillquiver.serve.hook.events import parse_input
from skillquiver.serve.hook.gate import is_request, slash_command, words_of
from skillquiver.serve.hook.limits import ANSWER_BYTES, DEADLINE_SECONDS, INPUT_BYTES, PROMPT_CHARACTERS
from skillquiver.serve.hook.sockets import SUPPORTED, owner_only, peer_is_owner, socket_file
from skillquiver.serve.hook.suggest import live_suggestions
from skillquiver.skills.sanitize import plain

if TYPE_CHECKING:
    from filelock import BaseFileLock

    from skillquiver.serve.live import LiveLibrary

__all__ = ["LocalEndpoint", "serve_until", "start_local_endpoint"]

REQUEST_BYTES = INPUT_BYTES + ANSWER_BYTES
"""Most that a question has: an event, and a path."""

CALLERS = 8
"""Questions under way at a time; the library answers one, and a hook that waits longer gives up."""

LISTEN_BACKLOG = 32


class LocalEndpoint:
    """A listening socket with its thread. ``close`` removes the file; also a context manager."""

    def __init__(self, live: LiveLibrary, path: Path, lock: BaseFileLock, listener: socket.socket) -> None:
        self.path = path
        self._live, self._lock, self._listener = live, lock, listener
        self._callers = BoundedSemaphore(CALLERS)
        self._closed = Event()
        self._asked = time.monotonic()
        self._thread = Thread(target=self._serve, name="skillquiver-hooks", daemon=True)
        self._thread.start()

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last question, or since the start."""
        return time.monotonic() - self._asked

    def close(self) -> None:
        """Stop listening and remove the socket's file; answers under way may still be sent."""
        if self._closed.is_set():
            return
        self._closed.set()
        with suppress(
            OSError
        ):  # not every system lets a listening socket be shut down; closing wakes it, too
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.path.unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> LocalEndpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            if not self._callers.acquire(blocking=False):  # better no answer than one that comes late
                connection.close()
                continue
            Thread(target=self._reply, args=(connection,), name="skillquiver-hook", daemon=True).start()

    def _reply(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError):  # the hook went away, or was too slow: nobody waits
                connection.settimeout(DEADLINE_SECONDS)
                if not peer_is_owner(connection):
                    return
                question = _all_of(connection)
                self._asked = time.monotonic()
                connection.sendall(_answer(self._live, question))
        finally:
            self._callers.release()


def start_local_endpoint(live: LiveLibrary, *, warm: bool = True) -> LocalEndpoint:
    """Answer the hooks of this user about ``live`` from a thread, until the endpoint is closed.

    Raises ``LibraryLockedError`` if another process does that already, ``UsageError`` where it cannot be
    done: on Windows, or if somebody else owns the folder. Loading begins in the background at once, or,
    without ``warm``, after the first answer.
    """
    if not SUPPORTED:
        raise UsageError("this system has no Unix sockets: hooks answer without a warm server")
    path = Path(socket_file(_name(live), os.environ))
    lock = _claimed(path)
    try:
        path.unlink(missing_ok=True)  # of a process that died: the lock says that none is alive
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _listen(listener, path)
        except OSError as error:
            listener.close()
            raise UsageError(f"cannot listen at {path}: {error}; set XDG_RUNTIME_DIR") from error
    except BaseException:
        lock.release()
        raise
    if warm:
        live.warm()
    return LocalEndpoint(live, path, lock, listener)


def _name(live: LiveLibrary) -> str:
    """The library's folder as hooks write it."""
    return os.path.abspath(live.folder)


def _listen(listener: socket.socket, path: Path) -> None:
    listener.bind(str(path))  # the folder is the owner's alone, so that nobody sees it before it is closed
    path.chmod(0o600)
    listener.listen(LISTEN_BACKLOG)


def _claimed(path: Path) -> BaseFileLock:
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"no socket can be kept in {path.parent}: {error.strerror}") from error
    if not owner_only(str(path.parent)):
        raise UsageError(f"{path.parent} is not this user's alone; remove it, or set XDG_RUNTIME_DIR")
    lock = FileLock(path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LibraryLockedError("a warm server answers hooks for this library already") from error
    return lock


def _all_of(connection: socket.socket) -> bytes:
    data = bytearray()
    while block := connection.recv(65_536):
        data += block
        if len(data) > REQUEST_BYTES:
            raise ConnectionError("more than any question has")
    return bytes(data)


def _answer(live: LiveLibrary, question: bytes) -> bytes:
    """The answer to a question as ``hook.client`` writes it."""
    greeting, _, rest = question.partition(b"\n")
    library, _, data = rest.partition(b"\n")
    if greeting != GREETING or library != os.fsencode(_name(live)):
        return b"no another library, or another version\n"
    try:
        event = parse_input(data)
        prompt = event.prompt[:PROMPT_CHARACTERS]
        if slash_command(prompt):
            return b"no the hook keeps what was used\n"
        said = words_of(prompt) if is_request(prompt) else ""
        found, degraded = live_suggestions(live, said) if said else ([], "")
    except SkillquiverError as error:
        return f"no {plain(str(error))}\n".encode()
    return f"ok {plain(degraded)}\n".encode() + document("prompt", advice(found), event=event.event)


def serve_until(endpoint: LocalEndpoint, stop: Event, *, idle: float, tick: Callable[[float], float]) -> None:
    """Return once ``stop`` is set or nobody asked for ``idle`` seconds.

    ``tick`` bounds how long one look may sleep: a machine that was suspended must not oversleep.
    """
    while endpoint.idle_seconds < idle:
        if stop.wait(tick(idle - endpoint.idle_seconds)):
            return

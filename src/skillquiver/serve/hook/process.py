"""A hook as a process: reads standard input, writes one document, ends with 0, whatever happens."""

from __future__ import annotations

import os
import sys

from skillquiver.errors import SkillquiverError, UsageError
from skillquiver.serve.hook.deadline import OneAnswer, process_age
from skillquiver.serve.hook.documents import document
from skillquiver.serve.hook.limits import DEADLINE_SECONDS, INPUT_BYTES, LEXICAL_RESERVE_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:  # the words of `typing` itself take longer to import than a warm server to answer
    from collections.abc import Callable, Mapping, Sequence
    from typing import BinaryIO, NoReturn

__all__ = ["answer", "run"]

DEADLINE_VARIABLE = "QUIVER_HOOK_SECONDS"
"""Another deadline, in seconds."""

LEAST_SECONDS = 0.05
"""Least that a started hook still gets."""


def run(hook: str, words: Sequence[str]) -> NoReturn:
    """Answer one event and end the process. Hosts read exit code 2 as a veto: it is always 0."""
    deadline, complaint = _deadline(os.environ)
    one = OneAnswer(_write)
    one.watch(max(deadline - process_age(), LEAST_SECONDS), document(hook))
    if complaint:
        _complain(complaint)
    data = document(hook)
    try:
        data = answer(hook, words, sys.stdin.buffer, left=lambda: deadline - process_age())
    except Exception as error:
        _complain(f"{type(error).__name__}: {error}")
    if not one.give(data):
        import time

        time.sleep(DEADLINE_SECONDS)  # the watch is writing, and ends the process when it is done
    os._exit(0)  # tearing down the interpreter would take longer than the rest


def answer(hook: str, words: Sequence[str], stdin: BinaryIO, *, left: Callable[[], float]) -> bytes:
    """Return the document for the event on ``stdin``; never raises.

    What went wrong is said on standard error, and the document adds nothing: the host's user must go on.
    """
    event = context = ""
    try:
        data, library = stdin.read(INPUT_BYTES + 1), _library(words, os.environ)
        if hook == "prompt" and (told := _warm_answer(library, data, left)) is not None:
            return told
        from skillquiver.serve.hook.events import parse_input
        from skillquiver.serve.hook.handlers import HANDLERS

        found = parse_input(data)
        event = found.event
        context = HANDLERS[hook](found, library)
    except SkillquiverError as error:
        _complain(str(error))
    except Exception as error:
        _complain(f"{type(error).__name__}: {error}")
    return document(hook, context, event=event)


def _warm_answer(library: str, data: bytes, left: Callable[[], float]) -> bytes | None:
    from skillquiver.serve.hook.client import ask_warm

    return ask_warm(library, data, seconds=left() - LEXICAL_RESERVE_SECONDS)


def _library(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Absolute path of the library, as ``usecases.location`` finds it. Raises ``UsageError``."""
    given = ""
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if name != "--library" or (not equals and not left):
            raise UsageError(f"{word!r} is no option of a hook; there is --library DIR")
        given = value if equals else left.pop(0)
    if chosen := given or environment.get("QUIVER_LIBRARY", ""):
        return os.path.abspath(os.path.expanduser(chosen))
    from skillquiver.serve.usecases.location import library_folder

    return os.path.abspath(library_folder("", environment))


def _deadline(environment: Mapping[str, str]) -> tuple[float, str]:
    given = environment.get(DEADLINE_VARIABLE, "")
    if not given:
        return DEADLINE_SECONDS, ""
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if 0 < seconds <= 600:
        return seconds, ""
    return DEADLINE_SECONDS, f"{DEADLINE_VARIABLE} is {given!r}; give seconds above 0"


def _write(data: bytes) -> None:
    """Write everything to standard output, past Python's buffers, which another thread may hold."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:  # the host has closed it: nobody is there to be told more
        _complain(f"cannot write the answer: {error.strerror}")


def _complain(text: str) -> None:
    from skillquiver.skills.sanitize import plain

    line = f"quiver hook: {plain(text)[:500]}\n"
    try:
        os.write(2, line.encode("utf-8", "replace"))
    except OSError:  # standard error is closed, too
        return

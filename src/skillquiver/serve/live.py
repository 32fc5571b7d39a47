"""LiveLibrary: one library, open for as long as a server runs, whatever happens to it on disk."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from skillquiver.errors import LibraryError, LibraryMissingError, UsageError
from skillquiver.index.dense import MANIFEST
from skillquiver.index.encoders import open_encoder
from skillquiver.index.lexical import CURRENT
from skillquiver.index.store import FILE_NAME
from skillquiver.serve.memory import MemoryReturn
from skillquiver.serve.usecases.library import Library, find_skill, open_library
from skillquiver.serve.usecases.searching import bundle, search
from skillquiver.serve.warmup import EncoderState, EncoderWarmup

if TYPE_CHECKING:
    from skillquiver.retrieve.bundle import Bundle
    from skillquiver.retrieve.ranking import Ranking
    from skillquiver.serve.usecases.following import NextSteps
    from skillquiver.settings import RankSettings
    from skillquiver.skills.records import Skill
    from skillquiver.types import Encoder

__all__ = ["LibraryState", "LiveLibrary", "LiveStatus"]

OPENED = 1
"""Answers at a time, each on an opening of its own: more are no faster, and cost memory (decisions/0050)."""

ATTEMPTS = 3
"""Openings per request while files are replaced underneath: a run of `quiver index` replaces each once."""

T = TypeVar("T")

_Identity = tuple[tuple[int, ...], ...]


class LibraryState(StrEnum):
    """``ready``: it answers; ``missing``: nothing is indexed there; ``broken``: it cannot be read."""

    READY = "ready"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStatus:
    """What a server can say of its library now. ``fault`` is empty while the library is ready."""

    folder: str
    state: LibraryState
    skills: int = 0
    generation: int = 0
    encoder: EncoderState
    degraded: str = ""
    """Why answers are lexical only; empty if they are not."""
    fault: str = ""


@dataclass(slots=True)
class _Opened:
    """One opening of the library, and what the disk looked like just before it."""

    stack: ExitStack
    library: Library
    identity: _Identity
    epoch: int

    def close(self) -> None:
        self.stack.close()

    def fail(self) -> None:
        """Close it under the exception being handled: damage that shows only now is a ``LibraryError``."""
        self.stack.__exit__(*sys.exc_info())


class LiveLibrary:
    """An open library that follows its files; safe to share between threads.

    Every request looks whether the library changed and opens it anew if it did. The first answers are
    lexical, and say so; the encoder loads in a background thread and is kept for every later opening.
    ``open_encoder`` opens one by its registered name. Up to ``opened`` requests run at a time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        open_encoder: Callable[[str], Encoder] = open_encoder,
        settings: RankSettings | None = None,
        opened: int = OPENED,
    ) -> None:
        self.folder = folder
        self._settings = settings
        self._warmup = EncoderWarmup(open_encoder)
        self._rest = MemoryReturn()
        self._free: list[_Opened] = []
        self._places = opened
        self._change = Condition()
        self._lent = 0
        self._closed = False
        self._opener: Thread | None = None
        self._counted = (-1, 0)
        self.openings = 0
        """How often the library was opened since the start."""

    # --- questions ---------------------------------------------------------------------------

    def search(self, query: str, *, top_k: int = 10, hidden: bool = True, explain: bool = False) -> Ranking:
        """Rank the library, as ``usecases.searching.search``. Raises ``LibraryError`` if it cannot."""
        return self.ask(lambda library: search(library, query, top_k=top_k, hidden=hidden, explain=explain))

    def bundle(
        self, query: str, *, budget: int, max_skills: int | None = None, **options: Any
    ) -> tuple[Bundle, Ranking]:
        """Pack skills for a task; ``options`` are those of ``usecases.searching.bundle``."""
        return self.ask(
            lambda library: bundle(library, query, budget=budget, max_skills=max_skills, **options)
        )

    def skill(self, reference: str) -> Skill:
        """Return the skill with this id or unambiguous name. Raises ``UsageError``, ``LibraryError``."""
        return self.ask(lambda library: find_skill(library.store, reference)[1])

    def next(
        self, reference: str, *, done: Sequence[str] = (), top_k: int = 5, hidden: bool = True
    ) -> NextSteps:
        """Return what comes before, after and instead of a skill, as ``usecases.following.next_skills``."""
        from skillquiver.serve.usecases.following import next_skills  # a search does not pay for the graph

        return self.ask(
            lambda library: next_skills(library, reference, done=done, top_k=top_k, hidden=hidden)
        )

    def status(self) -> LiveStatus:
        """Say what the library is now; never raises for what is wrong with it."""
        try:
            skills, generation, degraded = self.ask(self._facts)
        except LibraryError as error:
            state = LibraryState.MISSING if isinstance(error, LibraryMissingError) else LibraryState.BROKEN
            return LiveStatus(
                folder=str(self.folder), state=state, encoder=self._warmup.state, fault=str(error)
            )
        return LiveStatus(
            folder=str(self.folder),
            state=LibraryState.READY,
            skills=skills,
            generation=generation,
            encoder=self._warmup.state,
            degraded=degraded,
        )

    def _facts(self, library: Library) -> tuple[int, int, str]:
        generation = library.store.generation
        known, skills = self._counted
        if known != generation or not skills:  # counting reads the whole table
            skills = library.store.count()
            self._counted = (generation, skills)
        return skills, generation, library.degraded

    def ask(self, question: Callable[[Library], T]) -> T:
        """Answer ``question`` on the library as it is now. What it returns must not hold the library.

        Raises what the question raises; ``LibraryMissingError`` and ``LibraryError`` if the library is not
        there or cannot be read. The next request tries again.
        """
        for attempt in range(1, ATTEMPTS + 1):
            before = _identity(self.folder)
            try:
                with self._borrowed() as library:
                    answer = question(library)
                    self._warmup.start()
            except LibraryError:
                if attempt == ATTEMPTS or _identity(self.folder) == before:
                    raise
                continue  # it was replaced while it was opened or read
            self._rest()
            return answer
        raise AssertionError("the last attempt returns or raises")

    # --- life --------------------------------------------------------------------------------

    def warm(self) -> None:
        """Open the library, and load the encoder if it has vectors, in the background; never raises."""
        with self._change:
            if self._closed or (self._opener is not None and self._opener.is_alive()):
                return
            self._opener = Thread(target=self.status, name="skillquiver-warm-up", daemon=True)
            self._opener.start()

    def wait_warm(self, timeout: float) -> bool:
        """Load the encoder and wait for it, at most ``timeout`` seconds; returns whether it is there."""
        self.status()
        return self._warmup.wait(timeout)

    def close(self) -> None:
        """Wait for answers under way and for the loading thread, then close every file."""
        with self._change:
            self._closed = True
            self._change.wait_for(lambda: not self._lent)
            self._change.notify_all()
            while self._free:
                self._free.pop().close()
        if self._opener is not None:
            self._opener.join()
        self._warmup.join()

    def __enter__(self) -> LiveLibrary:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- openings ----------------------------------------------------------------------------

    @contextmanager
    def _borrowed(self) -> Iterator[Library]:
        """Lend an opening that is up to date, to one thread at a time."""
        spare = self._take()
        one: _Opened | None = None
        try:
            one = self._renewed(spare)
            yield one.library
        except UsageError:  # the caller's fault: the opening is sound
            raise
        except BaseException:
            if one is not None:
                failed, one = one, None
                failed.fail()
            raise
        finally:
            self._give_back(one)

    def _take(self) -> _Opened | None:
        with self._change:
            self._change.wait_for(lambda: self._closed or self._lent < self._places)
            if self._closed:
                raise LibraryError("the server is shutting down")
            self._lent += 1
            return self._free.pop() if self._free else None

    def _give_back(self, one: _Opened | None) -> None:
        with self._change:
            self._lent -= 1
            if one is not None:
                self._free.append(one)
            self._change.notify()

    def _renewed(self, spare: _Opened | None) -> _Opened:
        """Return ``spare`` if nothing changed since it was opened, else a new opening in its place."""
        if spare is not None and self._current(spare):
            return spare
        try:
            return self._open()
        finally:
            if spare is not None:  # after the new one: whoever closes a database last must tidy it up
                spare.close()

    def _current(self, one: _Opened) -> bool:
        if one.epoch != self._warmup.epoch or one.identity != _identity(self.folder):
            return False
        try:
            return one.library.store.data_version == one.library.data_version
        except sqlite3.DatabaseError:  # damaged under us: the new opening says so
            return False

    def _open(self) -> _Opened:
        identity, epoch = _identity(self.folder), self._warmup.epoch
        stack = ExitStack()
        library = stack.enter_context(
            open_library(self.folder, settings=self._settings, encoders=self._warmup.get)
        )
        with self._change:
            self.openings += 1
        return _Opened(stack, library, identity, epoch)


def _identity(folder: Path) -> _Identity:
    """What tells one state of the library's files from another without reading them.

    A build of the lexical index is changed by replacing its ``meta.json``, the vectors by replacing their
    manifest; what is committed to the database shows in its ``data_version``.
    """
    lexical = folder / "lexical"
    try:
        build = lexical.joinpath(CURRENT).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # absent or damaged: opening says so
        build = ""
    files = (
        folder / FILE_NAME,
        lexical / CURRENT,
        lexical / build / "meta.json",
        folder / "dense" / MANIFEST,
    )
    return tuple(map(_stamp, files))


def _stamp(file: Path) -> tuple[int, ...]:
    try:
        found = file.stat()
    except (OSError, ValueError):  # absent; or a damaged name with a NUL in it
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

"""The expensive per-skill work, in functions that worker processes can run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import TypeVar

from skillquiver.index.encoders import processors
from skillquiver.index.lexical import FieldTerms, field_terms
from skillquiver.index.rows import FileRow
from skillquiver.index.store import Store
from skillquiver.settings import ReadSettings
from skillquiver.skills.discover import FoundFile
from skillquiver.skills.records import Skill

__all__ = [
    "Crew",
    "analyze_rows",
    "analyzer",
    "crew",
    "dense_text",
    "flatten",
    "read_files",
    "reader",
    "text_hash",
]

T = TypeVar("T")
R = TypeVar("R")

CHUNK = 128
"""Files per task: large enough to hide the hand-over, small enough for a smooth progress bar."""

INLINE = 3 * CHUNK
"""Below this many items starting processes costs more than it saves."""


def dense_text(skill: Skill) -> str:
    """What the dense channel sees: name, description and when-to-use (bodies hurt this encoder)."""
    return f"{skill.name}. {skill.description} {skill.when_to_use}".strip()


def text_hash(skill: Skill) -> bytes:
    """Names the vector of ``dense_text(skill)``."""
    return hashlib.blake2b(dense_text(skill).encode("utf-8", "replace"), digest_size=16).digest()


def read_files(files: Sequence[FoundFile], settings: ReadSettings) -> list[FileRow]:
    """Read, parse and count a chunk of files; never raises on what they contain."""
    return [_read(found, settings) for found in files]


def _read(found: FoundFile, settings: ReadSettings) -> FileRow:
    from skillquiver.skills.parse import read_skill  # 0.1 s that an unchanged library need not pay
    from skillquiver.skills.tiers import count_tiers

    parsed = read_skill(found, settings)
    skill = parsed.skill
    if skill is not None:
        skill = replace(skill, tokens=count_tiers(skill))
    return FileRow(
        id=found.id,
        path=found.path,
        root=found.root,
        scope=found.scope,
        kind=found.kind,
        size=found.size,
        mtime_ns=found.mtime_ns,
        content_hash=skill.content_hash if skill else "",
        findings=parsed.findings,
        skill=skill,
        text_hash=text_hash(skill) if skill else None,
    )


def analyze_rows(rows: Sequence[int], folder: Path) -> list[FieldTerms]:
    """Analyse a chunk of stored skills for the lexical index."""
    with Store.opened(folder) as store:
        return [field_terms(row, skill) for row, skill in sorted(store.skills(rows).items())]


def _end_with_parent() -> None:
    """Make this worker process end when the process that started it is gone, however that ended."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


class Crew:
    """Maps chunks over worker processes, or in this process when the work is small."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Callable[[Sequence[T]], R], items: Sequence[T]) -> Iterator[R]:
        """Yield ``work(chunk)`` for consecutive chunks of ``items``, in order."""
        chunks = [items[i : i + CHUNK] for i in range(0, len(items), CHUNK)]
        if self._workers < 2 or len(items) < INLINE:
            yield from map(work, chunks)
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=get_context("spawn"), initializer=_end_with_parent
            )
        yield from self._pool.map(work, chunks)

    def close(self) -> None:
        """Stop the processes; what they have not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


@contextmanager
def crew(workers: int | None = None) -> Iterator[Crew]:
    """Workers for one indexing run; ``None`` means one for each processor this process may use."""
    count = workers if workers is not None else processors()
    team = Crew(count)
    try:
        yield team
    finally:
        team.close()


def reader(settings: ReadSettings) -> Callable[[Sequence[FoundFile]], list[FileRow]]:
    """``read_files`` with its settings bound, as something a process pool can send."""
    return partial(read_files, settings=settings)


def analyzer(folder: Path) -> Callable[[Sequence[int]], list[FieldTerms]]:
    """``analyze_rows`` with its library bound, as something a process pool can send."""
    return partial(analyze_rows, folder=folder)


def flatten(chunks: Iterable[list[FieldTerms]]) -> Iterator[FieldTerms]:
    """One stream out of chunks."""
    for chunk in chunks:
        yield from chunk

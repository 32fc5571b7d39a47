"""Search, and pack what was found."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillquiver.errors import UsageError
from skillquiver.retrieve.ranking import Ranking
from skillquiver.serve.usecases.library import Library
from skillquiver.settings import PackSettings
from skillquiver.types import SkillId, Status

if TYPE_CHECKING:
    from skillquiver.retrieve.bundle import Bundle
    from skillquiver.retrieve.diffuse import Arm
    from skillquiver.serve.usecases.bundling import Asked

__all__ = ["BatchAnswer", "BatchQuery", "bundle", "search", "search_batch"]


@dataclass(frozen=True, slots=True)
class BatchQuery:
    """One line of a query file."""

    query_id: str
    query: str


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """One line of a run file: ids, best first, none where the status is ``none``; ``ms`` it took."""

    query_id: str
    ranked: tuple[SkillId, ...]
    ms: float


def search(
    library: Library, query: str, *, top_k: int = 10, explain: bool = False, hidden: bool = True
) -> Ranking:
    """Rank the library for ``query``; without ``hidden``, skills hidden from models are left out."""
    if top_k < 1:
        raise UsageError(f"--top-k is {top_k}; ask for at least 1")
    return library.ranker.rank(query, top_k=top_k, explain=explain, hidden=hidden)


def search_batch(
    library: Library, queries: Iterable[BatchQuery], *, top_k: int, hidden: bool = True
) -> Iterator[BatchAnswer]:
    """Answer many queries on one open library, in order, as they come."""
    for one in queries:
        started = time.perf_counter()
        ranking = search(library, one.query, top_k=top_k, hidden=hidden)
        ids = tuple(result.id for result in ranking.results) if ranking.status is not Status.NONE else ()
        yield BatchAnswer(one.query_id, ids, round((time.perf_counter() - started) * 1000, 2))


def bundle(
    library: Library,
    query: str,
    *,
    budget: int,
    max_skills: int | None = None,
    arm: Arm | None = None,
    asked: Asked | None = None,
) -> tuple[Bundle, Ranking]:
    """Pack what ``query``, a task, needs into ``budget`` tokens; also returns the ranking.

    ``arm`` says how relations are followed (default ``reverse``), ``asked`` what must come, must not, or is
    there already. Raises ``UsageError`` for numbers or wishes that cannot be.
    """
    from skillquiver.retrieve.diffuse import Arm  # a search does not pay for packing
    from skillquiver.serve.usecases.bundling import Asked, bundle_task

    settings = PackSettings() if max_skills is None else PackSettings(max_skills=max_skills)
    return bundle_task(
        library,
        query,
        budget=budget,
        settings=settings,
        arm=Arm.REVERSE if arm is None else arm,
        asked=asked or Asked(),
    )

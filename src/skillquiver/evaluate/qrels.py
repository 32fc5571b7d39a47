"""Query files: queries, what is relevant to them, and which skills of a library that means."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from skillquiver.errors import UsageError
from skillquiver.evaluate.joining import joined
from skillquiver.retrieve.trained_on import normalised
from skillquiver.types import SkillId

__all__ = ["Equivalents", "Query", "QuerySet", "Task", "judge", "read_equivalents", "read_queries"]

Equivalents = Mapping[str, Sequence[str]]
"""Gold skill → skills that do as well."""

TAGS = ("direct", "paraphrase", "indirect")
"""How a query stands to the skill's own words; other tags are kept and reported as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One line of a query file.

    ``gold`` are ids of relevant skills, with or without the root label; empty: nothing should be found,
    unless ``not_gold`` names what must not be found. ``task`` joins replicates: queries with one task are
    averaged before any interval is computed.
    """

    query_id: str
    query: str
    gold: tuple[str, ...]
    not_gold: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A query, judged against one library.

    ``gold`` has, for each gold skill that the library holds, the ids that count as it (itself and its
    equivalents); ``missing`` the gold skills it does not hold in any form. ``rejects`` says that the query
    names skills that must not be found, ``not_gold`` which of them the library holds. ``cluster`` is the
    unit of resampling: queries with one ``task``, or with the same text, share it.
    """

    query_id: str
    query: str
    gold: tuple[frozenset[SkillId], ...]
    missing: tuple[str, ...] = ()
    not_gold: frozenset[SkillId] = frozenset()
    rejects: bool = False
    tags: tuple[str, ...] = ()
    cluster: str = ""

    @property
    def off_topic(self) -> bool:
        """Whether nothing should be found, in any library."""
        return not self.gold and not self.missing and not self.rejects

    @property
    def wanted(self) -> int:
        """Number of gold skills, held or not: the denominator of full-oracle recall."""
        return len(self.gold) + len(self.missing)

    def places(self, ranked: Sequence[str]) -> tuple[int | None, ...]:
        """Rank, from 1, at which each held gold skill or an equivalent comes in ``ranked``."""
        rank = {skill_id: at for at, skill_id in reversed(list(enumerate(ranked, 1)))}
        found = ([rank[i] for i in group if i in rank] for group in self.gold)
        return tuple(min(ranks, default=None) for ranks in found)


@dataclass(frozen=True)
class QuerySet:
    """The queries of one file, judged; ``name`` is the file's, without its endings."""

    name: str
    tasks: tuple[Task, ...]

    @cached_property
    def answerable(self) -> tuple[Task, ...]:
        """Tasks with at least one gold skill in the library: what retrieval is measured on."""
        return tuple(task for task in self.tasks if task.gold)

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """Unit of resampling of each query, by query id."""
        return {task.query_id: task.cluster for task in self.tasks}


def read_queries(text: str, *, origin: str) -> tuple[Query, ...]:
    """Parse a query file: JSON Lines with ``query_id``, ``query``, ``gold``; see docs/evaluation.md.

    Raises ``UsageError`` that names the line for anything else, and for two lines with one ``query_id``.
    """
    found: dict[str, Query] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            query = _query(line, f"{origin}, line {number}")
            if query.query_id in found:
                raise UsageError(f"{origin}, line {number}: query_id {query.query_id!r} was used before")
            found[query.query_id] = query
    if not found:
        raise UsageError(f"{origin} holds no query; see docs/evaluation.md for the format")
    return tuple(found.values())


def _query(line: str, place: str) -> Query:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise UsageError(f"{place}: must be an object with query_id, query and gold")
    for name in ("query_id", "query"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise UsageError(f"{place}: `{name}` must be a text that is not empty")
    tags = _texts(row, "tags", place)
    if row.get("name_leak"):
        tags = (*tags, "name_leak")
    if not isinstance(row.get("task", ""), str):
        raise UsageError(f"{place}: `task` must be a text")
    if "gold" not in row:
        raise UsageError(f"{place}: `gold` is missing; an empty list says that nothing should be found")
    return Query(
        query_id=row["query_id"],
        query=row["query"],
        gold=tuple(dict.fromkeys(_texts(row, "gold", place))),
        not_gold=_texts(row, "not_gold", place),
        tags=tuple(dict.fromkeys(tags)),
        task=row.get("task", ""),
    )


def _texts(row: Mapping[str, object], name: str, place: str) -> tuple[str, ...]:
    value = row.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise UsageError(f"{place}: `{name}` must be a list of texts")
    return tuple(value)


def read_equivalents(text: str, *, origin: str) -> Equivalents:
    """Parse ``{"gold id": ["id", …]}``; raises ``UsageError`` for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{origin}: not JSON ({error})") from error
    if not isinstance(found, dict):
        raise UsageError(f"{origin}: must be an object that gives each skill a list of skills")
    return {name: _texts(found, name, origin) for name in found}


def judge(
    queries: Iterable[Query], ids: Collection[SkillId], equivalents: Equivalents, *, name: str
) -> QuerySet:
    """Say which skills of a library each query wants. A gold id without its root label means any root's.

    Gold skills that do as well as one another are one: whoever has one of them needs no other.
    """
    find = _Finder(frozenset(ids))
    queries = list(queries)
    tasks = []
    for query, cluster in zip(queries, _clusters(queries), strict=True):
        groups = [frozenset(find(gold, *equivalents.get(gold, ()))) for gold in query.gold]
        tasks.append(
            Task(
                query_id=query.query_id,
                query=query.query,
                gold=_distinct([group for group in groups if group]),
                missing=tuple(g for g, group in zip(query.gold, groups, strict=True) if not group),
                not_gold=frozenset(find(*query.not_gold)),
                rejects=bool(query.not_gold),
                tags=query.tags,
                cluster=cluster,
            )
        )
    return QuerySet(name, tuple(tasks))


def _clusters(queries: Sequence[Query]) -> list[str]:
    """The unit of resampling of each query, called by the task, else the id, of the first query in it."""
    keys = [{("text", normalised(q.query)), ("task", q.task or q.query_id)} for q in queries]
    return [queries[first].task or queries[first].query_id for first in joined(keys)]


def _distinct(groups: Sequence[frozenset[SkillId]]) -> tuple[frozenset[SkillId], ...]:
    """The groups, those that overlap made one."""
    found: dict[int, frozenset[SkillId]] = {}
    for first, group in zip(joined(groups), groups, strict=True):
        found[first] = found.get(first, frozenset()) | group
    return tuple(found.values())


@dataclass(frozen=True)
class _Finder:
    ids: frozenset[SkillId]
    _rest: dict[str, list[SkillId]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for skill_id in sorted(self.ids):
            self._rest[skill_id.partition("/")[2]].append(skill_id)

    def __call__(self, *names: str) -> list[SkillId]:
        return [skill_id for name in names for skill_id in self._one(name)]

    def _one(self, name: str) -> Sequence[SkillId]:
        """The skill with this id; else those with this id under any root; else with their own first part."""
        if name in self.ids:
            return (SkillId(name),)
        return self._rest.get(name) or self._rest.get(name.partition("/")[2]) or ()

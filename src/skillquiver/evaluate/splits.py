"""Folds that share nothing: items joined by what they have in common, and spread evenly."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from skillquiver.errors import UsageError
from skillquiver.evaluate.joining import joined
from skillquiver.evaluate.qrels import Equivalents, Query
from skillquiver.retrieve.trained_on import normalised

__all__ = ["Item", "folds_of", "query_items"]


@dataclass(frozen=True, slots=True)
class Item:
    """What is put into a fold. Items with a key in common share a fold; each ``stratum`` is spread evenly.

    ``name`` orders groups before anything is drawn, so that the order of lines in a file does not matter.
    """

    name: str
    keys: frozenset[Hashable]
    stratum: str = ""


def query_items(queries: Iterable[Query], equivalents: Equivalents, *, stratum: str) -> list[Item]:
    """Queries as items: joined by a gold skill or an equivalent of one, by their text, and by their task."""
    found = []
    for query in queries:
        skills = {name for gold in query.gold for name in (gold, *equivalents.get(gold, ()))}
        keys: set[Hashable] = {("skill", name) for name in skills} | {("text", normalised(query.query))}
        if query.task:
            keys.add(("task", stratum, query.task))
        found.append(Item(query.gold[0] if query.gold else query.query_id, frozenset(keys), stratum))
    return found


def folds_of(items: Sequence[Item], count: int, *, seed: int) -> list[int]:
    """A fold, from 0, for each item.

    Largest groups first, each into the fold with the fewest items of its stratum (longest processing time
    first; Graham, 1969); groups of one size in an order drawn with ``seed``. Raises ``UsageError`` for fewer
    groups than folds.
    """
    members: dict[int, list[int]] = defaultdict(list)
    for at, first in enumerate(joined([item.keys for item in items])):
        members[first].append(at)
    if not 2 <= count <= len(members):
        raise UsageError(
            f"cannot make {count} folds: at least 2, and no more than {len(members)} groups of "
            "queries that share no gold skill"
        )
    groups = sorted(members.values(), key=lambda group: items[group[0]].name)
    random.Random(seed).shuffle(groups)  # noqa: S311 - no secret
    groups.sort(key=lambda group: -len(group))
    load = [Counter[str]() for _ in range(count)]
    folds = [0] * len(items)
    for group in groups:
        stratum = items[group[0]].stratum
        fold = min(range(count), key=lambda f: (load[f][stratum], load[f].total(), f))
        for at in group:
            folds[at] = fold
            load[fold][items[at].stratum] += 1
    return folds

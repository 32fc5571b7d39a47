"""Whether a query repeats the description of a skill that answers it (docs/decisions/0058).

A query made of the skill's own words tells how well an index reads back what was put in, not how well it
finds a skill for a person who does not know the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from skillquiver.evaluate.qrels import QuerySet, Task
from skillquiver.index.analyze import analyze
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = [
    "ECHO_LIMIT",
    "ECHO_PAIRS",
    "ECHO_RUN",
    "ECHO_SHARE",
    "Echo",
    "card_terms",
    "echo_of",
    "echo_warnings",
    "echoes",
    "is_echo",
    "without_echoes",
]

ECHO_SHARE = 0.5
"""Share of a query's pairs of neighbouring terms that stand in the card, from which it is an echo."""

ECHO_PAIRS = 2
"""Least pairs in common: two or three words in common are the subject, not a quotation."""

ECHO_RUN = 8
"""Terms in one run out of the card, from which a query of any length is an echo."""

ECHO_LIMIT = 0.1
"""Share of echoes from which a set is called one: below, they raise its hit@1 by less than its interval."""


@dataclass(frozen=True, slots=True)
class Echo:
    """What a query has in common with a card: share and number of pairs of terms, and the longest run."""

    share: float = 0.0
    pairs: int = 0
    run: int = 0


def card_terms(skill: Skill) -> list[str]:
    """Terms of what a listing shows of a skill: name, description, when-to-use."""
    return analyze(f"{skill.name}. {skill.description} {skill.when_to_use}")


def echo_of(query: Sequence[str], card: Sequence[str]) -> Echo:
    """Compare terms of a query with those of a card, both in order, stop words gone, stemmed.

    share = |pairs(query) and pairs(card)| / |pairs(query)|, where pairs are distinct neighbouring terms.

    >>> echo_of(["merg", "pdf", "file", "fast"], ["tool", "merg", "pdf", "file"])
    Echo(share=0.6666666666666666, pairs=2, run=3)
    """
    own, common = set(pairwise(query)), set(pairwise(query)) & set(pairwise(card))
    return Echo(len(common) / len(own) if own else 0.0, len(common), _longest_run(query, card))


def _longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest run of terms that both have."""
    places: dict[str, list[int]] = {}
    for at, term in enumerate(other):
        places.setdefault(term, []).append(at)
    best, ending = 0, dict[int, int]()
    for term in one:
        ending = {at: ending.get(at - 1, 0) + 1 for at in places.get(term, ())}
        best = max(best, *ending.values()) if ending else best
    return best


def is_echo(found: Echo) -> bool:
    """Whether so much in common is a repetition."""
    return (found.share >= ECHO_SHARE and found.pairs >= ECHO_PAIRS) or found.run >= ECHO_RUN


def echoes(task: Task, skills: Mapping[SkillId, Skill]) -> bool:
    """Whether a task repeats the card of any skill that answers it."""
    words = analyze(task.query)
    right = sorted({skill_id for group in task.gold for skill_id in group})
    return any(is_echo(echo_of(words, card_terms(skills[i]))) for i in right if i in skills)


def without_echoes(
    sets: Sequence[QuerySet], skills: Mapping[SkillId, Skill]
) -> tuple[tuple[QuerySet, ...], tuple[str, ...]]:
    """The sets without their echoes, and one sentence for each set that says how many were left out."""
    kept, said = [], []
    for queries in sets:
        left = tuple(task for task in queries.tasks if not echoes(task, skills))
        kept.append(replace(queries, tasks=left))
        gone = len(queries.tasks) - len(left)
        said.append(f"{queries.name}: {gone} of {len(queries.tasks)} queries repeat a description: left out")
    return tuple(kept), tuple(said)


def echo_warnings(sets: Sequence[QuerySet], skills: Mapping[SkillId, Skill]) -> tuple[str, ...]:
    """One warning for each set of which more than ``ECHO_LIMIT`` are echoes."""
    found = []
    for queries in sets:
        tasks = queries.answerable
        count = sum(echoes(task, skills) for task in tasks)
        if tasks and count / len(tasks) > ECHO_LIMIT:
            found.append(
                f"{queries.name}: an echo set: {count} of {len(tasks)} queries repeat the description of a "
                "skill that answers them, so every ranker looks better than it is; --reject-echo leaves "
                "them out"
            )
    return tuple(found)

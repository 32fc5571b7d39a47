"""The library as a list of skills, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillquiver.serve.usecases.library import Library
from skillquiver.skills.records import Kind, Skill

__all__ = ["Page", "skills_page"]


@dataclass(frozen=True, slots=True)
class Page:
    """Skills in order of id; ``after`` is the id to go on from, empty on the last page."""

    skills: tuple[Skill, ...]
    after: str
    generation: int


def skills_page(library: Library, *, after: str, size: int, hidden: bool = True) -> Page:
    """Return up to ``size`` skills whose ids follow ``after``; commands and agents are no skills.

    The page begins behind an id, not at a number: skills that come and go meanwhile neither repeat nor hide
    others, and a page costs the same wherever it begins.
    """
    found: list[Skill] = []
    for skill in _following(library, after, size):
        if len(found) == size:
            return Page(tuple(found), found[-1].id, library.store.generation)
        if skill.kind is Kind.SKILL and (hidden or not skill.hidden):
            found.append(skill)
    return Page(tuple(found), "", library.store.generation)


def _following(library: Library, after: str, size: int) -> Iterator[Skill]:
    """Every skill behind ``after``, in blocks of one more than a page, to see whether it is the last."""
    while block := library.store.following(after, size + 1):
        yield from block
        after = block[-1].id

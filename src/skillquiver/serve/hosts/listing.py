"""Which skills a host's own list shows whole, cuts, or drops: its budget rules as arithmetic. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from skillquiver.serve.hosts.facts import Listing, Rule
from skillquiver.types import SkillId

__all__ = ["CHARACTERS_PER_TOKEN", "FITTERS", "Entry", "Outcome", "Shown", "budget_of", "fit"]

CHARACTERS_PER_TOKEN = 4
"""What both hosts take a token for: 1 % of 200,000 tokens is 8,000 characters."""


class Outcome(StrEnum):
    """What is left of an entry's text."""

    WHOLE = "whole"
    SHORTENED = "shortened"
    NAME_ONLY = "name-only"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Entry:
    """One skill as the host would list it: ``characters`` of text, ``path`` characters of its file as shown.

    ``uses`` and ``last_used`` are the host's own record, 0 where it has none.
    """

    id: SkillId
    name: str
    characters: int
    path: int = 0
    uses: int = 0
    last_used: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """What the host shows of an entry: ``characters`` of its text."""

    entry: Entry
    outcome: Outcome
    characters: int


def budget_of(listing: Listing, window: int) -> int:
    """Characters that the whole list may have in a context window of ``window`` tokens."""
    return round(listing.share * window * CHARACTERS_PER_TOKEN)


def fit(entries: Sequence[Entry], listing: Listing, budget: int, *, own: int = 0) -> list[Shown]:
    """Return what is shown of each entry, by name; ``own`` characters are taken by the host's own entries."""
    ordered = sorted(entries, key=lambda entry: (entry.name, entry.id))
    return FITTERS[listing.rule](ordered, listing.max_text, budget - own)


def _names_stay(entries: Sequence[Entry], max_text: int, budget: int) -> list[Shown]:
    """Lines ``- name: text``: all names first, then texts in order of use, each that still fits."""
    room = budget - sum(len("- ") + len(entry.name) for entry in entries) - (len(entries) - 1)
    by_use = sorted(entries, key=lambda entry: (-entry.uses, -entry.last_used, entry.name, entry.id))
    shown = {}
    for entry in by_use:
        length = min(entry.characters, max_text or entry.characters)
        cost = len(": ") + length if length else 0
        if cost <= room:
            room -= cost
            shown[entry.id] = length
    return [_verdict(entry, shown.get(entry.id, 0), listed=True) for entry in entries]


def _shorten_all(entries: Sequence[Entry], max_text: int, budget: int) -> list[Shown]:
    """Lines ``- name: text (file: path)``, paid in whole tokens: all texts get the same longest length."""
    tokens = budget // CHARACTERS_PER_TOKEN

    def cost(entry: Entry, length: int) -> int:
        fixed = len("- :  (file: )\n") + len(entry.name) + entry.path
        return -(-(fixed + min(entry.characters, length)) // CHARACTERS_PER_TOKEN)

    listed = list(entries)
    while listed and sum(cost(entry, 0) for entry in listed) > tokens:
        listed.pop()
    longest = max((entry.characters for entry in listed), default=0)
    longest = min(longest, max_text or longest)
    length = _largest(longest, lambda tried: sum(cost(entry, tried) for entry in listed) <= tokens)
    names = {entry.id for entry in listed}
    return [
        _verdict(entry, min(entry.characters, length) if entry.id in names else 0, listed=entry.id in names)
        for entry in entries
    ]


def _largest(high: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``high`` that ``fits``; 0 is taken to fit."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _verdict(entry: Entry, characters: int, *, listed: bool) -> Shown:
    if not listed:
        return Shown(entry, Outcome.LEFT_OUT, 0)
    if characters == entry.characters:
        return Shown(entry, Outcome.WHOLE, characters)
    return Shown(entry, Outcome.SHORTENED if characters else Outcome.NAME_ONLY, characters)


FITTERS: Mapping[Rule, Callable[[Sequence[Entry], int, int], list[Shown]]] = {
    Rule.NAMES_STAY: _names_stay,
    Rule.SHORTEN_ALL: _shorten_all,
}

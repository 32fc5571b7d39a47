"""Figures in sentences, which claim no more than the interval does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from skillquiver.evaluate.results import Interval
from skillquiver.evaluate.significance import Paired, holm, wilson
from skillquiver.settings import EvalSettings

__all__ = [
    "Tested",
    "cell",
    "family",
    "gap_text",
    "interval_text",
    "least_changes",
    "p_text",
    "share_text",
    "unchanged",
    "verdict",
]


@dataclass(frozen=True, slots=True)
class Tested:
    """A comparison; ``adjusted`` is its p-value after Holm's correction over its family of ``tests``."""

    found: Paired
    adjusted: float
    tests: int


_Key = TypeVar("_Key")


def family(found: Mapping[_Key, Paired]) -> Mapping[_Key, Tested]:
    """Correct the p-values of comparisons that are read together."""
    adjusted = holm([one.p for one in found.values()])
    return {key: Tested(one, p, len(found)) for (key, one), p in zip(found.items(), adjusted, strict=True)}


def verdict(what: str, measure: str, tested: Tested, settings: EvalSettings) -> str:
    """Say whether ``what`` changes ``measure``.

    An interval that holds 0 is "no evidence", with the effect that the data could have shown: half the
    interval's width or, where no task changed, the upper Wilson bound of the share of tasks that change.
    """
    found, gap, n = tested.found, tested.found.difference, tested.found.difference.n
    if n == 0:
        return f"{what}: no task tells anything about {measure}"
    figures = f"{gap_text(gap)}, better in {found.won} and worse in {found.lost} of {n} tasks"
    if gap.low <= 0 <= gap.high:
        return f"no evidence that {what} changes {measure} ({figures}; {_power(found, settings)})"
    verb = "raises" if gap.value > 0 else "lowers"
    corrected = f"{p_text(tested.adjusted)} after Holm's correction for {tested.tests} tests"
    if tested.adjusted > 1 - settings.level:
        return f"a hint, but no evidence, that {what} {verb} {measure} ({figures}; {corrected})"
    return f"{what} {verb} {measure} ({figures}; {corrected})"


def interval_text(found: Interval) -> str:
    """An estimate with its interval.

    >>> interval_text(Interval(0.5, 0.25, 0.75, 12))
    '0.500 [0.250, 0.750]'
    """
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def unchanged(what: str, measures: str, n: int, settings: EvalSettings) -> str:
    """Say that no task changes, and how many could without one of them here."""
    most = wilson(0, n, level=settings.level).high
    return (
        f"{what} changes {measures} of none of {n} tasks (up to {most:.1%} of such tasks could change "
        "without one of them here)"
    )


def share_text(found: Interval) -> str:
    """A share in per cent, with its interval.

    >>> share_text(Interval(0.5, 0.25, 0.75, 12))
    '50.0% [25.0%, 75.0%]'
    """
    return f"{found.value:.1%} [{found.low:.1%}, {found.high:.1%}]"


def gap_text(found: Interval) -> str:
    """A difference with its interval, signs shown.

    >>> gap_text(Interval(0.5, -0.25, 0.75, 12))
    '+0.500 [-0.250, +0.750]'
    """
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def p_text(p: float) -> str:
    """A p-value as text, never as 0.

    >>> p_text(0.04), p_text(0.00002)
    ('p = 0.0400', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def cell(interval: Interval) -> Interval | None:
    """The interval as a cell of a table; ``None`` where nothing was measured."""
    return interval if interval.n else None


def least_changes(level: float) -> int:
    """Fewest tasks, all changed one way, that an exact sign test tells from chance: 6 for 0.95."""
    return 1 + math.ceil(-math.log2(1 - level))


def _power(found: Paired, settings: EvalSettings) -> str:
    """What the data could have shown."""
    n, changed = found.difference.n, found.won + found.lost
    if not changed:
        most = wilson(0, n, level=settings.level).high
        return f"up to {most:.1%} of such tasks could change without one of them here"
    half = (found.difference.high - found.difference.low) / 2
    few = least_changes(settings.level)
    told = f"the interval reaches {half:.3f} to either side"
    return f"{told}, and fewer than {few} changed tasks show nothing" if changed < few else told

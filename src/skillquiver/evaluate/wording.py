"""Figures in sentences."""

from __future__ import annotations

from skillquiver.evaluate.results import Interval

__all__ = ["gap_text", "interval_text", "p_text"]


def interval_text(found: Interval) -> str:
    """An estimate with its interval.

    >>> interval_text(Interval(0.5, 0.25, 0.75, 12))
    '0.500 [0.250, 0.750]'
    """
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def gap_text(found: Interval) -> str:
    """A difference with its interval, signs shown.

    >>> gap_text(Interval(0.5, -0.25, 0.75, 12))
    '+0.500 [-0.250, +0.750]'
    """
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def p_text(p: float) -> str:
    """A p-value; below 0.001 only that.

    >>> p_text(0.04), p_text(0.0002)
    ('p = 0.040', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"

"""When a query is rewritten."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RewriteSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteSettings:
    """When a query is rewritten, and how long a person who searches waits for a model."""

    long_characters: int = 400
    """Shorter queries stay as they are: one window of the dense channel holds them whole."""

    cjk_share: float = 0.2
    """Tasks with more Chinese, Japanese or Korean letters stay as they are: the rules read English."""

    shown_characters: int = 12_000
    """Characters of a task that a model is shown; the longest public one has 10,473."""

    timeout_seconds: float = 30.0
    """A guess: someone is waiting for the answer."""

    max_attempts: int = 2
    """Tries per call while the provider is busy or unreachable; then the rules do it."""

    max_wait_seconds: float = 5.0
    """Longest wait between the two tries."""

    unserved_calls: int = 2
    """Calls in a row that nobody served, after which a run of many queries asks no more."""

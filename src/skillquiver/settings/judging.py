"""What is asked of a language model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LlmSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """How a language model is asked. Prices in dollars per million tokens, sizes in characters."""

    concurrency: int = 8
    """Calls in flight: 10,000 calls of 20 s take seven hours. Raise it where the provider allows more."""

    timeout_seconds: float = 120.0
    """A guess with room: 2,000 tokens at 20 tokens a second, and a queue before them."""

    max_attempts: int = 5
    """Tries per call while the provider is busy or unreachable: with the backoff below, about a minute."""

    max_answers: int = 2
    """Tries per call while answers do not follow the schema: each costs money."""

    backoff_seconds: float = 2.0
    """First wait; it doubles with every try."""

    max_wait_seconds: float = 120.0
    """Longest wait, and the longest Retry-After that is obeyed before the call counts as failed."""

    thinking_tokens: int = 2_000
    """Room in an answer's limit for models that think first; paid only when used."""

    max_candidates: int = 64
    """Candidates per call: 99.6 % of public skills have fewer; a hub with more is asked in several calls."""

    focus_chars: int = 6_000
    """Text shown of the skill a call is about: the median public skill fits whole."""

    subject_chars: int = 1_600
    """Text shown of each skill a swap check is about."""

    candidate_chars: int = 1_000
    """Text shown of a candidate: its card and the passages that state needs and hand-overs."""

    input_price: float | None = None
    """Dollars per million input tokens; needed for prices and for ``max_spend``."""

    output_price: float | None = None
    """Dollars per million output tokens."""

    max_spend: float | None = None
    """Dollars one run may cost at most; no call starts that could exceed it."""

"""How libraries are evaluated: by experiments, and by agents at work."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AgentSettings", "EvalSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSettings:
    """How experiments count and resample."""

    seed: int = 0
    """Of everything that is drawn: the same inputs give the same report."""

    draws: int = 10_000
    """Bootstrap and randomisation draws: the ends of an interval then vary by less than 0.005."""

    level: float = 0.95
    """Coverage of intervals."""

    top_k: int = 8
    """Cutoff of recall and completeness, and most skills of an arm: as many as the published comparison."""

    budget: int = 8_000
    """Tokens of a bundle, as `quiver bundle` has it."""

    ranker: str = "second stage"
    """Ranker of `evaluate.subject.RANKERS` that experiments start from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """What the arms of an agent benchmark give, and how an agent is driven through a game."""

    budget: int = 8_000
    """Tokens of skills that the vector and the Skillquiver arm may give: that of `quiver bundle`."""

    max_skills: int = 8
    """Most skills of these two arms: as many as the published comparison."""

    all_skills: int = 200
    """Most skills of the arm that gives everything: hosts cut their listings long before."""

    all_tokens: int = 100_000
    """Most tokens of the same where it is given as text: half of a context window of 200,000."""

    max_steps: int = 50
    """Commands an agent may give in one game, as in the published runs of household games."""

    answer_tokens: int = 300
    """Room for one command with a short reason; models that think get `LlmSettings.thinking_tokens` more."""

    observation_chars: int = 2_000
    """Characters of an observation that an agent is shown: games of one's own may print books."""

    say_order: bool = False
    """Whether instructions name the skills in order: off, arms differ by their skills alone."""

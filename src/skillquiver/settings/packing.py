"""What a bundle takes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PackSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackSettings:
    """Which candidates a bundle takes, and how it spreads its budget."""

    min_confidence: float = 0.005
    """A match less likely than one in two hundred costs an agent more attention than it brings."""

    confidence_ratio: float = 0.02
    """Below this share of the best match's confidence the list has dropped: half as many skills hold
    nearly all that twelve would (decisions/0006)."""

    reach_ratio: float = 0.1
    """The same for a skill that only relations lead to: below, they point at company, not at need
    (decisions/0048)."""

    max_skills: int = 12
    """Above a dozen skills an agent reads a catalogue, not instructions."""

    breadth_share: float = 0.25
    """Share of the budget that cards of the lower ranks may take before higher ranks get their bodies."""

    duplicate_body: float = 0.85
    """Overlap of word shingles from which bodies under different names are copies (decisions/0021)."""

    duplicate_description: float = 0.95
    """Overlap of words from which descriptions under different names are the same."""

    duplicate_namesake_body: float = 0.3
    """The same for bodies of skills with the same name: forks drift apart, their purpose does not."""

    duplicate_namesake_description: float = 0.5
    """The same for descriptions of skills with the same name whose bodies have something in common."""

    requires_confidence: float = 0.6
    """A requirement at least this sure brings the required skill along if there is room: every `requires`
    that the rules read out of texts (decisions/0048)."""

    hard_requires_confidence: float = 0.75
    """From here on a skill does not come without what it requires; below, texts say "using X", not
    "X first", and a good match is worth more than a doubtful need."""

    exclusion_confidence: float = 0.5
    """From here on `conflicts_with` and `supersedes` keep a skill out: more likely right than not."""

    alternative_confidence: float = 0.8
    """Least confidence from which one of two alternatives is enough: copies under one name were right ten
    times in ten."""

    derived_alternative_confidence: float = 0.9
    """The same where a text is the source: five times in ten "use X instead" means another task, so only
    the plainest statements leave a match out."""

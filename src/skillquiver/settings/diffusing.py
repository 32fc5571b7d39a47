"""How relevance flows along relations."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DiffuseSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffuseSettings:
    """How relevance flows from matched skills along relations (decisions/0045).

    The weights of a type estimate how likely the other end is needed if this one is. *Up* leads to the end
    that comes first, *down* to the one that comes later; multiplied with the relation's confidence.
    """

    restart_prob: float = 0.3
    """Share of the mass that starts again at the seeds with each step."""

    tolerance: float = 1e-9
    """Iteration ends when no score moves by more: far below what an order could depend on."""

    max_iter: int = 200
    """Bound on iterations: 0.7 to the 200th is far below the tolerance."""

    hops: int = 2
    """Relations between a match and what it leads to: a third one multiplies three guesses."""

    max_nodes: int = 256
    """Skills of a neighbourhood at most: hubs must not make the cost grow with the library."""

    max_seeds: int = 12
    """As many as a bundle holds."""

    min_seed: float = 0.005
    """Least confidence of a seed: that of a match in a bundle."""

    seed_ratio: float = 0.2
    """Least share of the best match's confidence: weaker ones lead to noise; 0.1 to 0.8 do as well."""

    min_reach: float = 0.02
    """Least confidence of what the graph adds, as a share of the best match's: as for matches in a bundle."""

    topical_lift: float = 20.0
    """What a match's odds gain per confidence that flows in along topical relations; harms above 50."""

    requires_up: float = 0.6
    """What a needed skill requires is needed, if the words were read right."""

    requires_down: float = 0.1
    """A login is required by many; who needs it needs hardly any one of them."""

    feeds_into_up: float = 0.4
    """Something must make the input, but it may be there already."""

    feeds_into_down: float = 0.2
    """What is made is made for somebody, not always for this one."""

    precedes_up: float = 0.25
    """The step before is often done already."""

    precedes_down: float = 0.25
    """The next step is often another task."""

    routes_to_up: float = 0.1
    """Who does the job needs no dispatcher."""

    routes_to_down: float = 0.25
    """A dispatcher hands over to one of several."""

    verifies_up: float = 0.2
    """A check needs something to check, which is often there."""

    verifies_down: float = 0.4
    """What is made should be checked."""

    specializes_up: float = 0.3
    """The general skill holds what the special one leaves out."""

    specializes_down: float = 0.1
    """One of several special cases."""

    supersedes_up: float = 0.0
    """Nobody needs what was replaced."""

    supersedes_down: float = 0.6
    """Who found the old one wants the new one."""

    complements: float = 0.15
    """Used together, at times."""

    alternative_to: float = 0.05
    """Either does the job: needed only if the match was the wrong one."""

    similar_to: float = 0.05
    """The ranker has seen these already: its own neighbours add little."""

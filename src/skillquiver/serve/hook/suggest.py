"""From a prompt to suggestions: the one place that decides whether to say anything."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from skillquiver.serve.hook.advice import Suggestion
from skillquiver.serve.hook.limits import ALSO_CONFIDENCE, HIT_CONFIDENCE, SUGGESTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from skillquiver.retrieve.ranking import Ranking
    from skillquiver.serve.live import LiveLibrary

__all__ = ["lexical_suggestions", "live_suggestions", "suggestions"]


def suggestions(ranking: Ranking) -> list[Suggestion]:
    """Return the skills worth a hint, best first: none unless the best confidence is that of a ``hit``.

    In a library of fewer than ``FEW`` skills both bars fall with the root of its size: confidence grows with
    the number of skills that a match stands out from, and in proportion, long tasks about other things would
    pass (decisions/0056). Hidden skills never come.
    """
    from skillquiver.retrieve.confidence import FEW

    small = math.sqrt(min(1.0, ranking.places / FEW))
    if ranking.confidence < HIT_CONFIDENCE * small:
        return []
    return [
        Suggestion(result.id, result.description)
        for result in ranking.results[:SUGGESTIONS]
        if not result.hidden and result.confidence >= ALSO_CONFIDENCE * small
    ]


def lexical_suggestions(folder: Path, prompt: str) -> list[Suggestion]:
    """Open the library for this one prompt. Raises ``LibraryError``; numpy and the encoder stay out."""
    from skillquiver.serve.usecases.lexical import open_lexical

    with open_lexical(folder) as ranker:
        return suggestions(ranker.rank(prompt, top_k=SUGGESTIONS, hidden=False))


def live_suggestions(live: LiveLibrary, prompt: str) -> tuple[list[Suggestion], str]:
    """Ask an open library; also says why the answer is lexical only. Raises ``LibraryError``."""
    ranking = live.search(prompt, top_k=SUGGESTIONS, hidden=False)
    return suggestions(ranking), ranking.degraded

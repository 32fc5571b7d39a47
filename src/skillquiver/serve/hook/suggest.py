"""From a prompt to suggestions: the one place that decides whether to say anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillquiver.serve.hook.advice import Suggestion
from skillquiver.serve.hook.limits import ALSO_CONFIDENCE, SUGGESTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from skillquiver.retrieve.ranking import Ranking
    from skillquiver.serve.live import LiveLibrary

__all__ = ["lexical_suggestions", "live_suggestions", "suggestions"]


def suggestions(ranking: Ranking) -> list[Suggestion]:
    """Return the skills worth a hint, best first: none unless the status is ``hit``.

    Hidden skills never come. The others must be likely enough by themselves: a hint that is wrong costs the
    agent attention, one that is missing costs nothing it had before.
    """
    if ranking.status.value != "hit":
        return []
    return [
        Suggestion(result.id, result.description)
        for result in ranking.results
        if not result.hidden and result.confidence >= ALSO_CONFIDENCE
    ]


def lexical_suggestions(folder: Path, prompt: str) -> list[Suggestion]:
    """Open the library for this one prompt. Raises ``LibraryError``; numpy and the encoder stay out."""
    from skillquiver.serve.usecases.library import open_library

    with open_library(folder, lexical=True) as library:
        return suggestions(library.ranker.rank(prompt, top_k=SUGGESTIONS, hidden=False))


def live_suggestions(live: LiveLibrary, prompt: str) -> list[Suggestion]:
    """Ask an open library. Raises ``LibraryError``."""
    return suggestions(live.search(prompt, top_k=SUGGESTIONS, hidden=False))

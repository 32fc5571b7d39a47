"""Whether figures flatter: queries that the second stage was trained on."""

from __future__ import annotations

from collections.abc import Sequence

from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.subject import RANKERS, Subject

__all__ = ["leak_warnings"]


def leak_warnings(subject: Subject, sets: Sequence[QuerySet], ranker: str) -> tuple[str, ...]:
    """One warning for each set whose queries the second stage was trained on, or may have been.

    None if ``ranker`` does without it.

    Queries are compared by their words; a query that only shares a gold skill with a training query is not
    found, which costs little: no feature of the second stage names a skill (decisions/0008).
    """
    found: list[str] = []
    for queries in sets if RANKERS[ranker].rerank_depth else ():
        learned = [subject.learned(task.query) for task in queries.tasks]
        told = f"of {len(learned)} queries"
        if any(learned):
            found.append(
                f"{queries.name}: the second stage was trained on {sum(map(bool, learned))} {told}, so its "
                "figures flatter; use --ranker hybrid, or models that did not see them (--second-stage)"
            )
        elif None in learned:
            found.append(
                f"{queries.name}: the second stage does not say what it was trained on, so its figures on "
                f"{learned.count(None)} {told} may flatter"
            )
    return tuple(found)

"""The table of experiments, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from skillquiver.errors import UsageError
from skillquiver.evaluate.labels import OrderEdge, Reference
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Section
from skillquiver.evaluate.sheet import Verdicts
from skillquiver.evaluate.subject import Subject
from skillquiver.settings import EvalSettings

__all__ = ["EXPERIMENTS", "FROM_RANKER", "WITHOUT_QUERIES", "Experiment", "Inputs", "OrderEdge", "experiment"]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a run is given. ``audit`` is a reader's verdicts; ``notes`` tell what of files was left out."""

    sets: tuple[QuerySet, ...]
    order: tuple[OrderEdge, ...] = ()
    references: tuple[Reference, ...] = ()
    audit: Verdicts | None = None
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By kind of file: ``order``, ``references``, ``audit``."""
    settings: EvalSettings


Experiment = Callable[[Subject, Inputs], Section]
"""Runs over the subject; equal inputs give an equal section, but for times."""

EXPERIMENTS: Mapping[str, str] = {
    "rankers": "How good is each ranker, by tag?",
    "echo": "How much better do rankers look on queries that repeat descriptions?",
    "misses": "What does a task not get, why, and what would mend it?",
    "arms": "Does the graph complete what is retrieved, at equal size?",
    "ladder": "Do graph neighbours help to find the entry, and which of them?",
    "ablation": "What does each part of the product bring?",
    "topology": "How far does the graph reach, and beyond what the embedding knows?",
    "census": "Which relations are there, who proposed them, and is their direction right?",
    "audit": "How many of the relations does a reader find right?",
    "stability": "How much of the graph stays when skills, order or settings change?",
    "sequence": "Does knowing the step before find the next one better than searching does?",
    "tokens": "What does a task cost an agent in tokens, by the way skills reach it?",
    "scaling": "What happens to time, quality and the list of skills as the library grows?",
}
"""Name and question of every experiment, in the order of a report. Its module has a function ``run``."""

WITHOUT_QUERIES = frozenset({"topology", "census", "audit", "stability", "sequence"})
"""Experiments that can do without a query file: the graph is their subject."""

FROM_RANKER = frozenset({"arms", "ladder", "ablation", "sequence"})
"""Experiments that start from the ranker of the settings; the others measure what users get."""


def experiment(name: str) -> Experiment:
    """The experiment of this name, imported now. Raises ``UsageError`` that lists the names."""
    if name not in EXPERIMENTS:
        raise UsageError(f"no experiment called {name!r}; there are {', '.join(EXPERIMENTS)}")
    found: Experiment = import_module(f"skillquiver.evaluate.{name}").run
    return found

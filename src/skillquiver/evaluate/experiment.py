"""The table of experiments, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from skillquiver.errors import UsageError
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Section
from skillquiver.evaluate.subject import Subject
from skillquiver.settings import EvalSettings

__all__ = ["EXPERIMENTS", "Experiment", "Inputs", "OrderEdge", "experiment"]


@dataclass(frozen=True, slots=True)
class OrderEdge:
    """A pair whose order is known. ``corpus`` is the unit of resampling; ends are ids of the library."""

    before: str
    after: str
    relation: str
    corpus: str


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a run is given. ``audit`` maps (source, target, type) to whether a reader found the edge right."""

    sets: tuple[QuerySet, ...]
    order: tuple[OrderEdge, ...] = ()
    audit: Mapping[tuple[str, str, str], bool] | None = None
    settings: EvalSettings


Experiment = Callable[[Subject, Inputs], Section]
"""Runs over the subject; equal inputs give an equal section, but for times."""

EXPERIMENTS: Mapping[str, str] = {
    "rankers": "How good is each ranker, by tag?",
    "arms": "Does the graph complete what is retrieved, at equal size?",
    "ladder": "Do graph neighbours help to find the entry, and which of them?",
    "ablation": "What does each part of the product bring?",
}
"""Name and question of every experiment, in the order of a report. Its module has a function ``run``."""


def experiment(name: str) -> Experiment:
    """The experiment of this name, imported now. Raises ``UsageError`` that lists the names."""
    if name not in EXPERIMENTS:
        raise UsageError(f"no experiment called {name!r}; there are {', '.join(EXPERIMENTS)}")
    found: Experiment = import_module(f"skillquiver.evaluate.{name}").run
    return found

"""Experiments on a user's library: the product's own use cases, handed to `evaluate`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from skillquiver.errors import UsageError
from skillquiver.evaluate.experiment import Inputs, experiment
from skillquiver.evaluate.qrels import Equivalents, QuerySet, judge, read_equivalents, read_queries
from skillquiver.evaluate.results import Section
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state
from skillquiver.retrieve.bundle import Bundle
from skillquiver.retrieve.diffuse import Arm
from skillquiver.retrieve.ranking import Ranking
from skillquiver.serve.usecases.graphs import load_graph
from skillquiver.serve.usecases.library import Library, open_library
from skillquiver.serve.usecases.searching import bundle
from skillquiver.settings import EvalSettings, RankSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["LibrarySubject", "QueryFiles", "open_subject", "read_sets", "run_experiment"]


@dataclass(frozen=True, slots=True)
class QueryFiles:
    """Files that a run reads; ``equivalents`` and the others are optional."""

    queries: tuple[Path, ...]
    equivalents: Path | None = None


@dataclass(frozen=True)
class LibrarySubject:
    """The product on one open library: what ``evaluate.subject.Subject`` asks for."""

    library: Library

    @cached_property
    def skills(self) -> Mapping[SkillId, Skill]:
        """Every skill that a search can return, without its body, by id, sorted."""
        found = (skill for _, skill in self.library.store.all_skills(body=False))
        return {skill.id: skill for skill in sorted(found, key=lambda skill: skill.id)}

    @cached_property
    def graph(self) -> SkillGraph:
        """The stored graph; without relations if none was built."""
        if graph_state(self.library.store) is GraphState.MISSING:
            return SkillGraph.of(self.skills, ())
        return load_graph(self.library.store)[0]

    def rank(self, query: str, *, top_k: int, settings: RankSettings | None = None) -> Ranking:
        """Search as the product does, or with other weights."""
        ranker = self.library.ranker if settings is None else self.library.ranker.weighted(settings)
        return ranker.rank(query, top_k=top_k)

    def bundle(self, query: str, *, arm: Arm, budget: int, max_skills: int) -> Bundle:
        """Rank, expand and pack as the product does."""
        return bundle(self.library, query, budget=budget, max_skills=max_skills, arm=arm)[0]

    def vectors(self) -> npt.NDArray[np.float32] | None:
        """Unit rows in the order of ``graph.ids``, shape (n, d); ``None`` unless every skill has one."""
        from skillquiver.serve.usecases.graph_inputs import skill_vectors

        rows = self.library.store.rows_of(self.graph.ids)
        if len(rows) < len(self.graph.ids):
            return None
        return skill_vectors(self.library.store, [rows[skill_id] for skill_id in self.graph.ids])

    def read(self, skill_id: SkillId) -> Skill | None:
        """One skill with its body."""
        return self.library.store.skill(skill_id)


@contextmanager
def open_subject(folder: Path) -> Iterator[LibrarySubject]:
    """Open the library at ``folder`` for experiments."""
    with open_library(folder) as library:
        yield LibrarySubject(library)


def read_sets(files: QueryFiles, ids: Sequence[SkillId]) -> tuple[QuerySet, ...]:
    """Read and judge every query file. Raises ``UsageError`` for a file that cannot be read."""
    same: Equivalents = {}
    if files.equivalents is not None:
        same = read_equivalents(_text(files.equivalents), origin=str(files.equivalents))
    return tuple(
        judge(read_queries(_text(file), origin=str(file)), ids, same, name=file.name.partition(".")[0])
        for file in files.queries
    )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error


def run_experiment(
    subject: LibrarySubject, name: str, files: QueryFiles, settings: EvalSettings, *, command: str
) -> Section:
    """Run one experiment; its section says how long it took and which command makes it."""
    run = experiment(name)
    started = time.perf_counter()
    section = run(subject, Inputs(sets=read_sets(files, list(subject.skills)), settings=settings))
    return replace(section, command=command, seconds=round(time.perf_counter() - started, 2))

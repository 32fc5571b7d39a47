"""The two protocols of the graph: who proposes pairs, and who decides about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from skillquiver.graph.facts import SkillFacts, read_facts
from skillquiver.graph.names import NameIndex
from skillquiver.graph.relations import NO_EVIDENCE, Evidence, Provenance, Relation, RelationType
from skillquiver.skills.records import Skill
from skillquiver.types import Finding, SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["SOURCE_GROUP", "Candidate", "CandidateSource", "Corpus", "Judge", "Judgement"]

SOURCE_GROUP = "skillquiver.candidate_sources"
"""Entry-point group of candidate sources; an entry is a callable without arguments."""


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Candidate:
    """A pair worth judging, as one source proposed it.

    ``claim`` is the type that the evidence itself states for *source → target*; ``None`` means "these
    two have something to do with each other" and leaves type and direction to a judge that can read.
    ``weight`` in (0, 1] is the proposing source's own strength of evidence; it orders the candidates of
    one source and is not comparable between sources.
    """

    source: SkillId
    target: SkillId
    proposed_by: str
    weight: float
    claim: RelationType | None = None
    provenance: Provenance = Provenance.DERIVED
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, slots=True)
class Corpus:
    """The library as the graph sees it: skills in order of id, with their vectors if there are any.

    ``position`` maps ids to places in ``skills``; ``facts`` stand in the same order. ``vectors`` has shape
    ``(len(skills), dimension)``, rows of L2 norm 1 in the order of ``skills``.
    """

    skills: tuple[Skill, ...]
    position: Mapping[SkillId, int]
    facts: tuple[SkillFacts, ...]
    names: NameIndex
    vectors: npt.NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls,
        skills: Sequence[Skill],
        vectors: npt.NDArray[np.float32] | None = None,
        known: Mapping[str, SkillFacts] = MappingProxyType({}),
    ) -> Corpus:
        """Sort ``skills`` by id; read the facts of those whose content hash is not among ``known``.

        ``vectors``, if given, are rows in the order of sorted ids.
        """
        ordered = tuple(sorted(skills, key=lambda skill: skill.id))
        facts = tuple(known.get(skill.content_hash) or read_facts(skill) for skill in ordered)
        position = {skill.id: i for i, skill in enumerate(ordered)}
        return cls(ordered, position, facts, NameIndex(ordered, facts), vectors)

    def skill(self, skill_id: SkillId) -> Skill:
        """Return the skill with this id; ``KeyError`` if there is none."""
        return self.skills[self.position[skill_id]]


@runtime_checkable
class CandidateSource(Protocol):
    """Proposes pairs at a cost of O(N·k): from inverted indexes, never from all pairs."""

    @property
    def name(self) -> str:
        """Stable name, written into every relation that comes of a candidate."""
        ...

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose pairs between skills of ``corpus``; the same corpus gives the same candidates."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge made of its candidates."""

    relations: tuple[Relation, ...] = ()
    findings: tuple[Finding, ...] = ()


@runtime_checkable
class Judge(Protocol):
    """Turns candidates into relations. It sees the union of all sources' candidates, sorted.

    Relations of all judges are resolved together (``resolve.py``), so that a judge need not care about
    contradictions, cycles or edges that others have decided with more trust.
    """

    @property
    def name(self) -> str:
        """Stable name for reports."""
        ...

    def judge(self, corpus: Corpus, candidates: Sequence[Candidate]) -> Judgement:
        """Decide about each candidate; a candidate may yield no relation."""
        ...

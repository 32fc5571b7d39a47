"""What a relation is: eleven types, what each direction means, and how far each origin is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from skillquiver.types import SkillId

__all__ = [
    "NO_EVIDENCE",
    "RELATION_TYPES",
    "End",
    "Evidence",
    "Family",
    "Provenance",
    "Relation",
    "RelationType",
    "TypeInfo",
    "pair_of",
]


class RelationType(StrEnum):
    """The eleven relation types. ``RELATION_TYPES`` says what each means."""

    REQUIRES = "requires"
    FEEDS_INTO = "feeds_into"
    PRECEDES = "precedes"
    ROUTES_TO = "routes_to"
    VERIFIES = "verifies"
    SPECIALIZES = "specializes"
    SUPERSEDES = "supersedes"
    COMPLEMENTS = "complements"
    ALTERNATIVE_TO = "alternative_to"
    CONFLICTS_WITH = "conflicts_with"
    SIMILAR_TO = "similar_to"


class Family(StrEnum):
    """Coarse groups of types; the first four are those of Graph-of-Skills."""

    DEPENDENCY = "dependency"
    WORKFLOW = "workflow"
    SEMANTIC = "semantic"
    ALTERNATIVE = "alternative"
    REPLACEMENT = "replacement"
    CONFLICT = "conflict"


class End(StrEnum):
    """One of the two ends of a directed relation."""

    SOURCE = "source"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """What a relation type means.

    ``reads`` is a sentence over *source* and *target*. ``upstream`` is the end that comes first in
    time, or ``None`` where the type says nothing about time. ``symmetric`` types are stored once, with
    the smaller id as source. ``acyclic`` types may not form a cycle in the published graph.
    ``inverse`` names the relation as it is seen from the target.
    """

    reads: str
    inverse: str
    family: Family
    symmetric: bool = False
    acyclic: bool = False
    upstream: End | None = None


RELATION_TYPES: Mapping[RelationType, TypeInfo] = MappingProxyType(
    {
        RelationType.REQUIRES: TypeInfo(
            "source needs target first",
            "required_by",
            Family.DEPENDENCY,
            acyclic=True,
            upstream=End.TARGET,
        ),
        RelationType.FEEDS_INTO: TypeInfo(
            "source's output is target's input",
            "fed_by",
            Family.DEPENDENCY,
            acyclic=True,
            upstream=End.SOURCE,
        ),
        RelationType.PRECEDES: TypeInfo(
            "source usually comes before target",
            "follows",
            Family.WORKFLOW,
            acyclic=True,
            upstream=End.SOURCE,
        ),
        RelationType.ROUTES_TO: TypeInfo(
            "source hands the task to target",
            "routed_from",
            Family.WORKFLOW,
            upstream=End.SOURCE,
        ),
        RelationType.VERIFIES: TypeInfo(
            "source checks what target made",
            "verified_by",
            Family.WORKFLOW,
            upstream=End.TARGET,
        ),
        RelationType.SPECIALIZES: TypeInfo(
            "source is a special case of target",
            "generalizes",
            Family.SEMANTIC,
            acyclic=True,
        ),
        RelationType.SUPERSEDES: TypeInfo(
            "source replaces target",
            "superseded_by",
            Family.REPLACEMENT,
            acyclic=True,
        ),
        RelationType.COMPLEMENTS: TypeInfo("used together", "complements", Family.WORKFLOW, symmetric=True),
        RelationType.ALTERNATIVE_TO: TypeInfo(
            "either does the job", "alternative_to", Family.ALTERNATIVE, symmetric=True
        ),
        RelationType.CONFLICTS_WITH: TypeInfo(
            "must not be loaded together", "conflicts_with", Family.CONFLICT, symmetric=True
        ),
        RelationType.SIMILAR_TO: TypeInfo(
            "embedding neighbours", "similar_to", Family.SEMANTIC, symmetric=True
        ),
    }
)
"""One row per relation type; the table of docs/relations.md."""


class Provenance(StrEnum):
    """Where a relation comes from, most trusted first."""

    CURATED = "curated"
    """Declared: frontmatter, or a ``relations.yaml`` in a root."""
    DERIVED = "derived"
    """The text of one skill names the other."""
    ARTIFACT = "artifact"
    """What one writes is what the other reads."""
    LEARNED = "learned"
    """Seen in use."""
    LLM = "llm"
    """A model said so."""
    INFERRED = "inferred"
    """Neighbours in the embedding."""

    @property
    def trust(self) -> int:
        """Higher is more trusted: 5 for ``curated`` down to 0 for ``inferred``."""
        return _TRUST[self]


_TRUST = {p: len(Provenance) - 1 - rank for rank, p in enumerate(Provenance)}


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
    """Text anyone can look up: ``quote`` stands at ``place``.

    ``quote`` is verbatim, on one line, of at most 300 characters, and untrusted. ``place`` reads
    ``<skill id>:<line in body>`` with the heading in brackets, ``<skill id>#<frontmatter field>``, or
    the path of a relations file.
    """

    quote: str = ""
    place: str = ""


NO_EVIDENCE = Evidence()
"""What an edge carries that no text supports."""


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Relation:
    """One typed edge, read ``source`` *type* ``target`` as ``RELATION_TYPES[type].reads`` says.

    ``confidence`` lies in (0, 1]. ``proposed_by`` lists the candidate sources that proposed it, sorted.
    ``source_hash`` and ``target_hash`` are the content hashes of both ends when it was judged: an edge
    whose hashes differ from the library's is stale.
    """

    source: SkillId
    target: SkillId
    type: RelationType
    provenance: Provenance
    confidence: float
    evidence: Evidence = NO_EVIDENCE
    proposed_by: tuple[str, ...] = ()
    source_hash: str = ""
    target_hash: str = ""

    @property
    def upstream(self) -> SkillId | None:
        """The end that comes first in time, or ``None`` where the type does not say."""
        end = RELATION_TYPES[self.type].upstream
        return None if end is None else self.source if end is End.SOURCE else self.target

    @property
    def downstream(self) -> SkillId | None:
        """The end that comes later, or ``None`` where the type does not say."""
        first = self.upstream
        return None if first is None else self.target if first == self.source else self.source

    @property
    def pair(self) -> tuple[SkillId, SkillId]:
        """Both ends, smaller id first."""
        return pair_of(self.source, self.target)


def pair_of(a: SkillId, b: SkillId) -> tuple[SkillId, SkillId]:
    """Return the two ids, smaller first."""
    return (a, b) if a <= b else (b, a)

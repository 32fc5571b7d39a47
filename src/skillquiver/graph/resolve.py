"""From judged relations to the published graph: no unknown end, no contradiction, no forbidden cycle.

Every edge that is dropped on the way is a finding. The result depends only on the set of relations, not on
their order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillquiver.graph.cycles import break_cycles
from skillquiver.graph.relations import RELATION_TYPES, End, Relation, pair_of
from skillquiver.graph.relations import RelationType as T
from skillquiver.types import Finding, Severity, SkillId

__all__ = [
    "ORDER_TYPES",
    "Claim",
    "Resolution",
    "contradictions",
    "contradicts",
    "dropped_claim",
    "resolve",
    "strength",
]

ORDER_TYPES = (T.REQUIRES, T.FEEDS_INTO, T.PRECEDES)
"""Acyclic types that say what comes first. They are kept acyclic *together*, so that any set of skills can
be put in order."""

_EXCLUSIVE = frozenset({T.ALTERNATIVE_TO, T.CONFLICTS_WITH, T.SUPERSEDES})
"""Types that say "one of the two"."""
_JOINT = frozenset({T.REQUIRES, T.FEEDS_INTO, T.PRECEDES, T.VERIFIES})
"""Types that say "both". ``complements`` is too vague to contradict anything: it yields instead."""
_DROPPED = frozenset({"relation-overridden", "relation-contradiction", "relation-cycle"})
_ENDS = re.compile(r" (?:yields to|contradicts|is dropped with|closes the cycle) ")
"""Words that follow the target in a finding."""
_RANK = {type_: rank for rank, type_ in enumerate(T)}


@dataclass(frozen=True, slots=True)
class Resolution:
    """The relations that stand, sorted, and a finding for each that does not."""

    relations: tuple[Relation, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A relation that was proposed and did not stand; ``code`` is that of the finding which tells it."""

    code: str
    source: SkillId
    target: SkillId
    type: T

    @property
    def upstream(self) -> SkillId | None:
        """The end that comes first in time, or ``None`` where the type does not say."""
        end = RELATION_TYPES[self.type].upstream
        return None if end is None else self.source if end is End.SOURCE else self.target


def dropped_claim(finding: Finding, ids: Container[str]) -> Claim | None:
    """The relation between two skills of ``ids`` that ``finding`` tells the end of; ``None`` for others.

    Findings are what is kept of relations that were dropped, in the words of ``resolve``.
    """
    if finding.code not in _DROPPED:
        return None
    for type_ in T:
        source, found, rest = finding.message.partition(f" {type_} ")
        if found and source in ids:
            target = next(
                (rest[: at.start()] for at in _ENDS.finditer(rest) if rest[: at.start()] in ids), None
            )
            if target is not None:
                return Claim(finding.code, SkillId(source), SkillId(target), type_)
    return None


def resolve(relations: Iterable[Relation], paths: Mapping[SkillId, str]) -> Resolution:
    """Resolve ``relations`` between the skills of ``paths`` (id to file, for the findings)."""
    findings: list[Finding] = []
    known = list(_known(relations, paths, findings))
    by_pair: dict[tuple[SkillId, SkillId], list[Relation]] = defaultdict(list)
    for relation in _merged(known):
        by_pair[relation.pair].append(relation)
    standing: list[Relation] = []
    for pair in sorted(by_pair):
        standing += _settle(by_pair[pair], paths, findings)
    kept = _acyclic(standing, paths, findings)
    return Resolution(tuple(sorted(kept)), tuple(sorted(set(findings))))


def contradicts(a: Relation, b: Relation) -> bool:
    """Whether two relations about one pair cannot both hold.

    They contradict each other if they disagree about which end comes first, if a directed type stands in
    both directions, or if one says "either" and the other "both".
    """
    if a.pair != b.pair:
        return False
    if a.upstream is not None and b.upstream is not None and a.upstream != b.upstream:
        return True
    if a.type == b.type:
        return a.source != b.source and not RELATION_TYPES[a.type].symmetric
    return (a.type in _EXCLUSIVE and b.type in _JOINT) or (b.type in _EXCLUSIVE and a.type in _JOINT)


def strength(relation: Relation) -> tuple[int, float, int, str, str]:
    """Sort key, strongest last: trust, confidence, then type and ids so that no two are equal."""
    return (
        relation.provenance.trust,
        relation.confidence,
        -_RANK[relation.type],
        relation.source,
        relation.target,
    )


def _known(
    relations: Iterable[Relation], paths: Mapping[SkillId, str], findings: list[Finding]
) -> Iterable[Relation]:
    for relation in relations:
        missing = [end for end in (relation.source, relation.target) if end not in paths]
        if missing:
            told = f"{_told(relation)} names {missing[0]!r}, which is no skill of this library"
            findings.append(_drop("relation-unknown-skill", relation, paths, told, "correct the name"))
        elif relation.source == relation.target:
            told = f"{_told(relation)} relates a skill to itself"
            findings.append(_drop("relation-self-loop", relation, paths, told, "remove it"))
        elif RELATION_TYPES[relation.type].symmetric and relation.target < relation.source:
            yield replace(
                relation,
                source=relation.target,
                target=relation.source,
                source_hash=relation.target_hash,
                target_hash=relation.source_hash,
            )
        else:
            yield relation


def _merged(relations: Iterable[Relation]) -> list[Relation]:
    """One relation per (source, target, type): the strongest, with everyone who proposed it."""
    groups: dict[tuple[SkillId, SkillId, T], list[Relation]] = defaultdict(list)
    for relation in relations:
        groups[relation.source, relation.target, relation.type].append(relation)
    merged = []
    for group in groups.values():
        best = max(group, key=lambda r: (r.provenance.trust, r.confidence, r))
        proposers = sorted({name for r in group for name in r.proposed_by})
        merged.append(replace(best, proposed_by=tuple(proposers)))
    return merged


def _settle(
    relations: Sequence[Relation], paths: Mapping[SkillId, str], findings: list[Finding]
) -> list[Relation]:
    """What stands about one pair: the most trusted origin's claims, contradictions decided."""
    top = max(r.provenance.trust for r in relations)
    for relation in relations:
        if relation.provenance.trust < top:
            told = f"{_told(relation)} yields to a more trusted relation of the same two skills"
            findings.append(
                _drop("relation-overridden", relation, paths, told, "nothing to do", Severity.INFO)
            )
    rivals = sorted((r for r in relations if r.provenance.trust == top), key=strength, reverse=True)
    kept: list[Relation] = []
    tied: list[Relation] = []
    for relation in rivals:
        against = next((k for k in kept if contradicts(k, relation)), None)
        if against is None:
            kept.append(relation)
            continue
        findings.append(_contradiction(relation, against, paths))
        if against.confidence == relation.confidence and against.type != relation.type:
            tied.append(against)
    for relation in tied:
        if relation in kept:
            kept.remove(relation)
            findings.append(_contradiction(relation, relation, paths))
    return _without_subsumed(kept)


def _without_subsumed(kept: list[Relation]) -> list[Relation]:
    """``complements`` says nothing beside a type that says more."""
    if len(kept) > 1 and any(r.type not in (T.COMPLEMENTS, T.SIMILAR_TO) for r in kept):
        return [r for r in kept if r.type not in (T.COMPLEMENTS, T.SIMILAR_TO)]
    return kept


def _acyclic(
    standing: Sequence[Relation], paths: Mapping[SkillId, str], findings: list[Finding]
) -> list[Relation]:
    """Break the cycles of the order types together and of each other acyclic type by itself."""
    kept = [r for r in standing if not RELATION_TYPES[r.type].acyclic]
    others = [(t,) for t, info in RELATION_TYPES.items() if info.acyclic and t not in ORDER_TYPES]
    for types in (ORDER_TYPES, *others):
        edges = sorted((r for r in standing if r.type in types), key=strength, reverse=True)
        ends = [(r.upstream or r.source, r.downstream or r.target) for r in edges]
        closing = break_cycles(ends)
        for i, relation in enumerate(edges):
            if i not in closing:
                kept.append(relation)
                continue
            told = f"{_told(relation)} closes the cycle {' → '.join(closing[i])}"
            findings.append(
                _drop(
                    "relation-cycle", relation, paths, told, "remove the relation of the cycle that is wrong"
                )
            )
    return kept


def _contradiction(loser: Relation, winner: Relation, paths: Mapping[SkillId, str]) -> Finding:
    if loser is winner:
        told = f"{_told(loser)} is dropped with the equally strong claim against it"
    else:
        told = f"{_told(loser)} contradicts {_told(winner)}"
    remedy = "declare the right one in relations.yaml"
    return _drop("relation-contradiction", loser, paths, told, remedy)


def _told(relation: Relation) -> str:
    return f"{relation.source} {relation.type} {relation.target}"


def _drop(
    code: str,
    relation: Relation,
    paths: Mapping[SkillId, str],
    told: str,
    remedy: str,
    severity: Severity = Severity.WARNING,
) -> Finding:
    where = paths.get(relation.source) or paths.get(relation.target) or relation.evidence.place
    return Finding(code, where, f"{told} ({relation.provenance}, {relation.confidence:g})", remedy, severity)


def contradictions(relations: Iterable[Relation]) -> list[tuple[Relation, Relation]]:
    """Return every contradictory pair of relations; a resolved graph has none."""
    by_pair: dict[tuple[SkillId, SkillId], list[Relation]] = defaultdict(list)
    for relation in relations:
        by_pair[pair_of(relation.source, relation.target)].append(relation)
    return [
        (a, b)
        for group in by_pair.values()
        for i, a in enumerate(group)
        for b in group[i + 1 :]
        if contradicts(a, b)
    ]

"""The rule judge: deterministic, always on, and no wiser than the claim its evidence makes."""

from __future__ import annotations

from collections.abc import Sequence

from skillquiver.graph.relations import RELATION_TYPES, Relation, RelationType
from skillquiver.graph.sources import Candidate, Corpus, Judgement
from skillquiver.types import SkillId

__all__ = ["RuleJudge"]

_CONFIRMATION = 0.03
"""What each further piece of evidence for the same edge adds: two sentences are better than one, but they
are one author's."""

_CEILING = 0.95
"""Rules are never certain; only declared edges reach 1."""


class RuleJudge:
    """Accepts what the evidence claims; a candidate without a claim stays for judges that can read."""

    name = "rules"

    def judge(self, corpus: Corpus, candidates: Sequence[Candidate]) -> Judgement:
        """Return one relation per (source, target, type, provenance), best evidence first."""
        groups: dict[tuple[str, str, RelationType, str], list[Candidate]] = {}
        for candidate in candidates:
            if candidate.claim is not None:
                source, target = _oriented(candidate, candidate.claim)
                key = (source, target, candidate.claim, candidate.provenance.value)
                groups.setdefault(key, []).append(candidate)
        return Judgement(tuple(_relation(corpus, group) for _, group in sorted(groups.items())))


def _oriented(candidate: Candidate, claim: RelationType) -> tuple[SkillId, SkillId]:
    source, target = candidate.source, candidate.target
    if RELATION_TYPES[claim].symmetric and target < source:
        return target, source
    return source, target


def _relation(corpus: Corpus, group: Sequence[Candidate]) -> Relation:
    best = min(group, key=lambda c: (-c.weight, c.evidence, c.proposed_by))
    assert best.claim is not None
    source, target = _oriented(best, best.claim)
    pieces = {(c.evidence.quote, c.proposed_by) for c in group}
    ceiling = max(best.weight, _CEILING)
    confidence = min(ceiling, best.weight + _CONFIRMATION * (len(pieces) - 1))
    return Relation(
        source=source,
        target=target,
        type=best.claim,
        provenance=best.provenance,
        confidence=round(confidence, 4),
        evidence=best.evidence,
        proposed_by=tuple(sorted({c.proposed_by for c in group})),
        source_hash=corpus.skill(source).content_hash,
        target_hash=corpus.skill(target).content_hash,
    )

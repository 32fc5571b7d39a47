"""What a graph says about the health of its library."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from skillquiver.graph.report import isolated
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import Finding, Severity, SkillId

if TYPE_CHECKING:
    from skillquiver.graph.llm.report import LlmReport

__all__ = ["GRAPH_FINDINGS", "isolated_findings", "open_findings", "stale_findings"]

GRAPH_FINDINGS: Mapping[str, str] = {
    "relation-target-missing": "a declared relation names a skill that the library does not hold",
    "relation-unknown-skill": "a judge returned a skill that the library does not hold",
    "relation-self-loop": "a relation of a skill to itself",
    "relation-contradiction": "two relations of one pair that cannot both hold; the weaker is dropped",
    "relation-cycle": "a relation that closes a cycle in what must be done first; the weakest is dropped",
    "relation-overridden": "a relation that yields to a more trusted one of the same two skills",
    "relations-schema": "an entry of relations.yaml that does not follow the schema",
    "relations-syntax": "a relations.yaml that is not plain YAML",
    "llm-unjudged": "pairs that a model was not asked about: calls failed, or the spend limit was reached",
    "llm-unchecked": "claims of a model that were not asked again with the skills swapped; they are left out",
    "completion-stale": "a completion whose skill changed or went; it is not applied",
    "skill-isolated": "a skill that no typed relation joins to another",
}
"""Every finding code of this layer and what it means."""


def isolated_findings(graph: SkillGraph, paths: Mapping[SkillId, str]) -> tuple[Finding, ...]:
    """Return one finding per skill without a typed relation, in order of id. They are information only."""
    return tuple(
        Finding(
            "skill-isolated",
            paths.get(SkillId(skill_id), skill_id),
            f"{skill_id} has no typed relation",
            "name related skills in its text, or in relations.yaml; nothing is wrong with a skill on its own",
            Severity.INFO,
        )
        for skill_id in isolated(graph)
    )


def open_findings(report: LlmReport) -> tuple[Finding, ...]:
    """One finding for all pairs that got no judgment, and one for all claims that were not checked."""
    why = "the spend limit was reached" if report.stopped_by_limit else "calls failed"
    remedy = "build again with the same model; what was judged is kept"
    found = []
    if report.unjudged_pairs:
        told = f"{report.unjudged_pairs} of {report.pairs} pairs were not judged: {why}"
        found.append(Finding("llm-unjudged", report.model, told, remedy))
    if report.unchecked_claims:
        told = f"{report.unchecked_claims} claims were not checked with the skills swapped: {why}"
        found.append(Finding("llm-unchecked", report.model, told, remedy))
    return tuple(found)


def stale_findings(
    completed: Collection[SkillId], stale: Sequence[SkillId], paths: Mapping[SkillId, str], file: str
) -> tuple[Finding, ...]:
    """One finding per skill that changed after its completion, and one for all that are gone.

    ``completed`` are the skills with an entry in the manifest ``file``, ``paths`` those of the library.
    """
    remedy = "run `quiver graph complete` again"
    found = [
        Finding(
            "completion-stale",
            paths[skill_id],
            f"{skill_id} changed after it was completed; its entry is not applied",
            remedy,
        )
        for skill_id in stale
    ]
    gone = sum(skill_id not in paths for skill_id in completed)
    if gone:
        told = f"{gone} entries are about skills that the library does not hold"
        found.append(Finding("completion-stale", file, told, remedy))
    return tuple(found)

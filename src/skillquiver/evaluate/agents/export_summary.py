"""What an export gave each arm, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from skillquiver.evaluate.agents.export import Exported, Manifest
from skillquiver.evaluate.results import Cell, Section, Table

__all__ = ["export_section"]


def export_section(manifests: Sequence[Manifest]) -> Section:
    """Skills, tokens, cost of ranking and relevant skills of every arm; no agent has run yet."""
    known = sum(one.wanted > 0 for manifest in manifests[:1] for one in manifest.tasks)
    return Section(
        name="export",
        title="Task packs",
        question="What is each arm given?",
        source="Arms of Graph-of-Skills (all skills, vector, graph), packs for the `harbor` runner.",
        answer=_answer(manifests),
        tables=(
            Table(
                caption=f"per task, means over the tasks; relevant skills are known of {known} tasks",
                columns=(
                    "arm",
                    "packs",
                    "skills",
                    "tokens",
                    "relevant given",
                    "without any skill",
                    "ranking ms (median)",
                ),
                rows=tuple(map(_row, manifests)),
            ),
        ),
        warnings=tuple(_warnings(manifests)),
    )


def _row(manifest: Manifest) -> tuple[Cell, ...]:
    tasks = manifest.tasks
    if not tasks:
        return (manifest.arm, 0, None, None, None, None, None)
    shares = [one.needed / one.wanted for one in tasks if one.wanted]
    return (
        manifest.arm,
        len(tasks),
        round(fmean(len(one.skills) for one in tasks), 1),
        round(fmean(one.tokens for one in tasks)),
        round(fmean(shares), 3) if shares else None,
        sum(not one.skills for one in tasks),
        round(median(one.ranking_ms for one in tasks), 1),
    )


def _answer(manifests: Sequence[Manifest]) -> str:
    arms = ", ".join(manifest.arm for manifest in manifests)
    packs = sum(len(manifest.tasks) for manifest in manifests)
    return f"{packs} packs written for the arms {arms}. No agent has run: there is no reward yet."


def _warnings(manifests: Sequence[Manifest]) -> list[str]:
    found = []
    for manifest in manifests:
        for task, why in manifest.skipped:
            found.append(f"{manifest.arm}: {task} was skipped: {why}")
        capped = manifest.arm == "all" and manifest.library_skills > manifest.max_skills
        if capped:
            found.append(
                f"all: at most {manifest.max_skills} of {manifest.library_skills} skills, the relevant ones "
                "among them where they are known, the others by the hash of their ids"
            )
        found += _about(manifest.arm, manifest.tasks)
    return found


def _about(arm: str, tasks: Sequence[Exported]) -> list[str]:
    kinds = {
        "skills whose files could not be read": sum(len(one.unreadable) for one in tasks),
        "skills that changed since they were indexed": sum(s.changed for one in tasks for s in one.skills),
        "files of skills left out (links, sizes)": sum(len(s.left_out) for one in tasks for s in one.skills),
        "files of packs left out (links, sizes)": sum(len(one.left_out) for one in tasks),
        "other SKILL.md files in the environments, which every arm has": sum(len(one.stays) for one in tasks),
    }
    return [f"{arm}: {count} {what}; see {arm}.json" for what, count in kinds.items() if count]

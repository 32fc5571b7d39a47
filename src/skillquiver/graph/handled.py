"""What each skill does with each named thing: what its frontmatter declares, else what its text says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.artifact_facts import Role
from skillquiver.graph.facts import SkillFacts
from skillquiver.skills.facts import declared_artifacts
from skillquiver.skills.records import Skill

__all__ = ["Handled", "handled_by"]


@dataclass(frozen=True, slots=True)
class Handled:
    """A file, or a data object that somebody declared by ``name``, in one skill.

    ``role`` is ``None`` where the skill both reads and writes it. ``field`` names the frontmatter field that
    declares it, and is empty if none does; ``start`` is its offset in the body, -1 if it is declared.
    """

    name: str
    role: Role | None
    start: int = -1
    field: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a file, not a data object."""
        return "." in self.name


def handled_by(skills: Sequence[Skill], facts: Sequence[SkillFacts]) -> Iterator[Mapping[str, Handled]]:
    """Yield for each skill what it handles, by name; ``facts`` stand in the order of ``skills``.

    A declaration outweighs the text. Where some skill declares a file, the others may also handle it in ways
    that only the facts of the record know (``Skill.inputs``, ``Skill.outputs``), if their text names it.
    """
    declared = [_declared(skill) for skill in skills]
    wanted = {one.name for found in declared for one in found.values() if one.is_file}
    for skill, known, own in zip(skills, facts, declared, strict=True):
        yield {**_recorded(skill, wanted), **_said(known), **own}


def _declared(skill: Skill) -> dict[str, Handled]:
    """File types are left out: that two skills read tables says nothing about the two."""
    if not skill.metadata:
        return {}
    reads, writes = map(set, declared_artifacts(skill.metadata))
    found = {}
    for name in sorted(reads | writes):
        if not name.startswith("."):
            role = None if name in reads & writes else Role.READS if name in reads else Role.WRITES
            found[name] = Handled(name, role, field="inputs" if name in reads else "outputs")
    return found


def _said(facts: SkillFacts) -> dict[str, Handled]:
    roles: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for artifact in facts.artifacts:
        roles[artifact.name].append((artifact.role, artifact.start))
    return {
        name: Handled(name, Role(found[0][0]) if len(found) == 1 else None, found[0][1])
        for name, found in roles.items()
    }


def _recorded(skill: Skill, wanted: Collection[str]) -> dict[str, Handled]:
    reads, writes = set(skill.inputs) & set(wanted), set(skill.outputs) & set(wanted)
    found = {}
    for name in sorted(reads | writes):
        start = skill.body.lower().find(name)
        if start >= 0:
            role = None if name in reads & writes else Role.READS if name in reads else Role.WRITES
            found[name] = Handled(name, role, start)
    return found

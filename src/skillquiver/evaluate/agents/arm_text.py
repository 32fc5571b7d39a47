"""What an arm gives, as text for an agent that has no files: skills quoted in fences nothing can close."""

from __future__ import annotations

import time
from dataclasses import dataclass

from skillquiver.evaluate.agents.arms import AgentArm, choose
from skillquiver.evaluate.subject import Subject
from skillquiver.retrieve.bundle import Candidate, Tier
from skillquiver.retrieve.bundle_text import Block
from skillquiver.retrieve.diffuse import Arm
from skillquiver.settings import AgentSettings
from skillquiver.skills.tokens import count_tokens
from skillquiver.types import SkillId

__all__ = ["ArmText", "arm_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmText:
    """Skills as text. ``tokens`` counts ``text``; ``left_out`` is the number of skills that had no room."""

    text: str = ""
    skills: tuple[SkillId, ...] = ()
    tokens: int = 0
    left_out: int = 0
    ms: float = 0.0


def arm_text(subject: Subject, task: str, arm: AgentArm, settings: AgentSettings) -> ArmText:
    """The text that ``arm`` gives for ``task``.

    Skillquiver's is the text of its bundle, as every face of the product gives it. The others quote whole
    skills in the same blocks, within ``all_tokens`` or ``budget``, and pass over what does not fit.
    """
    started = time.perf_counter()
    if arm is AgentArm.SKILLQUIVER:
        bundle = subject.bundle(task, arm=Arm.REVERSE, budget=settings.budget, max_skills=settings.max_skills)
        skills: tuple[SkillId, ...] = tuple(entry.id for entry in bundle.entries)
        text, left_out = (bundle.text if skills else ""), len(bundle.omitted)
    else:
        choice = choose(subject, task, arm, settings)
        room = settings.all_tokens if arm is AgentArm.ALL else settings.budget
        text, skills = _quoted(subject, [given.skill.id for given in choice.skills], room)
        left_out = len(choice.skills) + len(choice.left_out) - len(skills)
    return ArmText(
        text=text,
        skills=skills,
        tokens=count_tokens(text),
        left_out=left_out,
        ms=round((time.perf_counter() - started) * 1000, 2),
    )


def _quoted(subject: Subject, ids: list[SkillId], room: int) -> tuple[str, tuple[SkillId, ...]]:
    """Whole skills one after the other, and which; each block ends a line, so the counts add up."""
    blocks: list[str] = []
    taken: list[SkillId] = []
    for skill_id in ids:
        skill = subject.read(skill_id)
        if skill is None:
            continue
        block = Block.of(Candidate(skill=skill, score=0.0, confidence=0.0)).text(len(blocks) + 1, Tier.BODY)
        if (cost := count_tokens(block)) <= room:
            blocks.append(block)
            taken.append(skill_id)
            room -= cost
    return "".join(blocks).rstrip("\n") + "\n" if blocks else "", tuple(taken)

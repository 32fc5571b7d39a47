"""What a user can do about a miss: the words that a skill's text lacks, and advice in one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from skillquiver.evaluate.causes import Cause, Lost, Miss
from skillquiver.evaluate.qrels import Task
from skillquiver.evaluate.subject import Subject
from skillquiver.index.analyze import analyze
from skillquiver.retrieve.bundle import Omission
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["Gap", "Mender"]

SHOWN_WORDS = 8
"""Words of advice: a description takes in no more at once."""

COMMON = 0.03
"""Share of the library's cards above which a word tells no skill from another: it is no advice to add it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Words of a query that a skill lacks, most telling first: in no field, or only outside its card."""

    nowhere: tuple[str, ...]
    body_only: tuple[str, ...]


class Mender:
    """Gives advice on one library; counts its words once."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def advice(self, miss: Miss) -> str:
        """What to do about it, in one line."""
        match miss.cause:
            case Cause.UNWANTED if miss.task.off_topic:
                return "narrow the descriptions of the skills that came"
            case Cause.UNWANTED:
                return "say in their descriptions what these skills are not for"
            case Cause.ABSENT:
                return f"install {_some(miss.task.missing)}, or correct the ids in the query file"
            case Cause.ORDER:
                first, then = miss.pair or ("", "")
                return f"declare `prerequisite-skills: {first}` in {then}, then `quiver graph build`"
            case _:
                return self._found_badly(miss)

    def gap(self, task: Task, skill_id: SkillId, *, part: str = "") -> Gap:
        """Which words of ``task``, or of a ``part`` of it, the skill's text lacks.

        Words that many cards hold are left out, and those that another gold skill of the task accounts for.
        """
        skill = self._subject.read(skill_id)
        if skill is None:
            return Gap((), ())
        others = [gold for group in task.gold if skill_id not in group for gold in sorted(group)[:1]]
        taken = {term for other in others if (held := self._subject.read(other)) for term in _terms(held)}
        card, full = set(analyze(_card(skill))), _terms(skill)
        words = [(word, term) for word, term in self._telling(part or task.query) if term not in taken - full]
        nowhere = [word for word, term in words if term not in full]
        body_only = [word for word, term in words if term in full and term not in card]
        return Gap(tuple(nowhere), tuple(body_only))

    def _found_badly(self, miss: Miss) -> str:
        lost = min(miss.lost, key=lambda one: (one.rank or 10_000, one.skill))
        by_graph = _BY_REASON.get(lost.reason)
        if by_graph and miss.cause is Cause.PARTIAL:
            return by_graph
        wording = self._wording(miss, lost)
        if miss.came:
            declare = f"declare `prerequisite-skills: {lost.skill}` there"
            return f"if {miss.came[0]} needs it, {declare}; else {wording}"
        return wording

    def _wording(self, miss: Miss, lost: Lost) -> str:
        gap = self.gap(miss.task, lost.skill, part=lost.part)
        if gap.nowhere:
            return f"describe {lost.skill} in the words of such tasks, as it lacks: {_words(gap.nowhere)}"
        if gap.body_only:
            return f"name in the description of {lost.skill} what only its body has: {_words(gap.body_only)}"
        if miss.rivals:
            return f"its text has the words: say what sets {lost.skill} apart from {_some(miss.rivals)}"
        return f"the task says little: name {lost.skill} in it, or what it works on"

    def _telling(self, query: str) -> list[tuple[str, str]]:
        """(word as it stands, term) of the query's terms: those that some card has, most frequent first."""
        counts: Counter[str] = Counter()
        words: dict[str, str] = {}
        for word in _WORD.findall(query):
            terms = analyze(word)
            counts.update(terms)
            for term in terms:
                words.setdefault(term, word if len(terms) == 1 else term)
        known, limit = self._cards, COMMON * len(self._subject.skills)
        telling = [
            term for term in counts if known[term] <= max(limit, 1) and len(term) > 1 and not term.isdigit()
        ]
        telling.sort(key=lambda term: (known[term] == 0, -counts[term], known[term], term))
        return [(words[term], term) for term in telling]

    @cached_property
    def _cards(self) -> Counter[str]:
        """Term → number of cards that hold it."""
        counts: Counter[str] = Counter()
        for skill in self._subject.skills.values():
            counts.update(set(analyze(_card(skill))))
        return counts


_WORD = re.compile(r"[^\W_]+")

_BY_REASON: Mapping[str, str] = {
    Omission.OVER_BUDGET: "raise `--budget`, or shorten what takes the room",
    Omission.MAX_SKILLS: "raise `--max-skills`",
    Omission.HIDDEN: "take `disable-model-invocation` out of the skill",
    Omission.NEAR_DUPLICATE: "remove one of the two copies, or accept both as gold (`--equivalents`)",
    Omission.ALTERNATIVE: "check the relation `alternative_to`: if both are needed it is wrong",
    Omission.SUPERSEDED: "check the relation `supersedes`: if the older one is still needed it is wrong",
    Omission.CONFLICT: "check the relation `conflicts_with`: if both can be loaded it is wrong",
    Omission.MISSING_REQUIREMENT: "raise `--budget`, or check what the skill requires",
}
"""What helps against the bundle's own reasons; for the others the skill's wording counts."""


def _card(skill: Skill) -> str:
    return " ".join((skill.name, skill.description, skill.when_to_use))


def _terms(skill: Skill) -> set[str]:
    """Terms of every field that is searched."""
    return set(analyze(" ".join((_card(skill), *skill.tags, skill.category, skill.body))))


def _words(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN_WORDS])


def _some(ids: Sequence[str]) -> str:
    more = len(ids) - 3
    return ", ".join(ids[:3]) + (f" and {more} more" if more > 0 else "")

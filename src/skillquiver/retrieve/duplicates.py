"""Near-duplicates among the candidates of one query: copies of a skill take one place.

Work is proportional to the text of the candidates at hand; nothing is computed over the library. The
rules and their precision on pairs of public skills are in docs/decisions/0021.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from skillquiver.settings import PackSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["Distinct"]

SHINGLE = 4
"""Words in a shingle: shorter ones meet by chance in texts about the same tool."""

LONGEST = 40_000
"""Characters of a body that are compared; a copy that differs only beyond them is still a copy."""

TELLING_WORDS = 8
"""Distinct words from which equal descriptions mean equal skills; shorter ones repeat by chance."""

SHARED_LINES = 0.2
"""Bodies that share fewer of their lines than this are not compared word by word."""

LIKE_LENGTH = 0.7
"""Bodies whose lengths differ by more than this ratio cannot overlap by ``duplicate_body``."""

COMMON_TEXT = 0.1
"""Least body overlap of namesakes with like descriptions: the set-up of two services has less."""

_WORD = re.compile(r"\w+")


class Distinct:
    """Skills no two of which are copies, best first; asks about one more at a time.

    Two skills are copies if one of these holds, overlaps being |A & B| / |A | B| (Jaccard):

    - their bodies are equal;
    - their descriptions have the same words (``duplicate_description``), at least ``TELLING_WORDS``;
    - they share the name and a third of their body (``duplicate_namesake_body``), or half of their
      description (``duplicate_namesake_description``) and some of their body (``COMMON_TEXT``);
    - their bodies' word shingles overlap by ``duplicate_body``.
    """

    def __init__(self, settings: PackSettings) -> None:
        self._settings = settings
        self._kept: dict[SkillId, _Text] = {}
        self._texts: dict[SkillId, _Text] = {}

    def twin(self, skill: Skill) -> SkillId | None:
        """Return the first kept skill that ``skill`` is a copy of, if there is one."""
        text = self._texts.setdefault(skill.id, _Text(skill))
        return next((at for at, kept in self._kept.items() if _is_copy(text, kept, self._settings)), None)

    def keep(self, skill: Skill) -> None:
        """Add ``skill``: later ones are compared with it."""
        self._kept[skill.id] = self._texts.setdefault(skill.id, _Text(skill))


@dataclass(frozen=True)
class _Text:
    """One skill's sets, each made when first compared."""

    skill: Skill

    @cached_property
    def name(self) -> str:
        return self.skill.name.casefold()

    @cached_property
    def described(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.skill.description.casefold()))

    @cached_property
    def lines(self) -> frozenset[str]:
        return frozenset(self.skill.body[:LONGEST].split("\n")) - {""}

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        words = _WORD.findall(self.skill.body[:LONGEST].casefold())
        return frozenset(zip(*(words[offset:] for offset in range(SHINGLE)), strict=False))


def _is_copy(left: _Text, right: _Text, settings: PackSettings) -> bool:
    if left.skill.body_hash and left.skill.body_hash == right.skill.body_hash:
        return True
    described = _overlap(left.described, right.described)
    telling = min(len(left.described), len(right.described)) >= TELLING_WORDS
    if telling and described >= settings.duplicate_description:
        return True
    if left.name == right.name:
        alike = described >= settings.duplicate_namesake_description
        enough = COMMON_TEXT if alike else settings.duplicate_namesake_body
        return _overlap(left.shingles, right.shingles) >= enough
    return _may_overlap(left, right) and _overlap(left.shingles, right.shingles) >= settings.duplicate_body


def _may_overlap(left: _Text, right: _Text) -> bool:
    """Cheap tests that copies pass: bodies of like length that share lines."""
    shorter, longer = sorted((len(left.skill.body), len(right.skill.body)))
    if shorter < LIKE_LENGTH * longer:
        return False
    fewest = min(len(left.lines), len(right.lines))
    return len(left.lines & right.lines) >= SHARED_LINES * fewest


def _overlap(left: frozenset[object], right: frozenset[object]) -> float:
    """Jaccard overlap of two sets; 0 when both are empty."""
    common = len(left & right)
    union = len(left) + len(right) - common
    return common / union if union else 0.0

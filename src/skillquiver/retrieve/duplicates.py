"""Near-duplicates among the candidates of one query: copies of a skill take one place.

Work is proportional to the text of the candidates at hand; nothing is computed over the library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from skillquiver.settings import PackSettings
from skillquiver.skills.records import Skill

__all__ = ["find_duplicates"]

SHINGLE = 4
"""Words in a shingle: shorter ones meet by chance in texts about the same tool."""

LONGEST = 3_000
"""Words of a body that are compared; a copy that differs only beyond them is still a copy."""

_WORD = re.compile(r"\w+")


def find_duplicates(skills: Sequence[Skill], settings: PackSettings) -> dict[int, int]:
    """Map the position of each near-duplicate to the earlier position that stands for it.

    Two skills are copies when the Jaccard overlap of their bodies' word shingles reaches
    ``duplicate_body``, and they share the name or ``duplicate_description`` of their description's words.
    The second condition keeps apart skills that only share a preamble. ``skills`` come best first; the
    representative is never itself a duplicate.
    """
    if len(skills) < 2:
        return {}
    overlap = _body_overlap(skills)
    winners: list[int] = []
    found: dict[int, int] = {}
    for position, skill in enumerate(skills):
        twin = next((w for w in winners if _is_copy(skill, skills[w], overlap[position, w], settings)), None)
        if twin is None:
            winners.append(position)
        else:
            found[position] = twin
    return found


def _is_copy(left: Skill, right: Skill, overlap: float, settings: PackSettings) -> bool:
    if left.body_hash and left.body_hash == right.body_hash:
        return True
    if overlap < settings.duplicate_body:
        return False
    if left.name.casefold() == right.name.casefold():
        return True
    return _word_overlap(left.description, right.description) >= settings.duplicate_description


def _word_overlap(left: str, right: str) -> float:
    """Jaccard overlap of two word sets; 0 when both are empty."""
    first, second = set(_WORD.findall(left.casefold())), set(_WORD.findall(right.casefold()))
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def _body_overlap(skills: Sequence[Skill]) -> npt.NDArray[np.float64]:
    """Jaccard overlap of the bodies' shingle sets, shape ``(n, n)``; an empty body overlaps nothing."""
    numbers: dict[str, int] = {}
    rows = [_shingles(skill.body, numbers) for skill in skills]
    sizes = np.array([len(row) for row in rows], dtype=np.float64)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    values = np.concatenate(rows)
    _, column, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared = counts[column] > 1
    _, column = np.unique(column[shared], return_inverse=True)
    member = np.zeros((len(rows), int(column.max(initial=-1)) + 1), dtype=np.float32)
    member[owner[shared], column] = 1.0
    common = (member @ member.T).astype(np.float64)
    union = sizes[:, None] + sizes[None, :] - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def _shingles(text: str, numbers: dict[str, int]) -> npt.NDArray[np.uint64]:
    """Distinct shingles as 64-bit mixes of word numbers: the same text gives the same set.

    ``numbers`` is shared by the texts that are compared. A text shorter than one shingle is one shingle.
    """
    words = _WORD.findall(text[: LONGEST * 12].casefold())[:LONGEST]
    for word in words:
        numbers.setdefault(word, len(numbers) + 1)
    codes = np.array([numbers[word] for word in words], dtype=np.uint64)
    if not len(codes):
        return codes
    width = max(len(codes) - SHINGLE + 1, 1)
    mixed = np.zeros(width, dtype=np.uint64)
    for offset in range(min(SHINGLE, len(codes))):
        mixed = mixed * np.uint64(_MULTIPLIER) + codes[offset : offset + width]
    return np.unique(mixed)


_MULTIPLIER = 6_364_136_223_846_793_005
"""Knuth's MMIX multiplier: spreads sums of small numbers over 64 bits; collisions are ~1e-12 here."""

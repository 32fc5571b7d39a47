"""What is kept of a judgment, and which of its claims survive the same question with the skills swapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from skillquiver.errors import LibraryError
from skillquiver.graph.llm.answers import Claim, Reject
from skillquiver.graph.llm.cache import JudgmentKey
from skillquiver.graph.llm.prompts import PROMPT_VERSION
from skillquiver.graph.relations import RELATION_TYPES
from skillquiver.skills.records import Skill

__all__ = ["JUDGE", "SWAP", "Verdict", "agreed", "is_directed", "key_of", "read_verdict", "write_verdict"]

JUDGE = "judge"
"""Round of the first question."""

SWAP = "swap"
"""Round of the question with the skills swapped."""


class Verdict(msgspec.Struct, frozen=True):
    """Every claim about one pair, possibly none.

    ``main_first`` is true where the skill the call was about has the smaller hash of the two: claims are
    relative to that skill, and hashes, unlike ids, stay when a skill is moved.
    """

    main_first: bool
    claims: tuple[Claim, ...] = ()


def key_of(a: Skill, b: Skill, model: str, round_: str) -> JudgmentKey:
    """Where the judgment about ``a`` and ``b`` is kept, in either order."""
    first, second = sorted((a.content_hash, b.content_hash))
    return JudgmentKey(first, second, model, PROMPT_VERSION, round_)


def write_verdict(main: Skill, other: Skill, claims: tuple[Claim, ...]) -> bytes:
    """Claims about ``main`` and ``other`` as they are kept."""
    return msgspec.json.encode(Verdict(main.content_hash < other.content_hash, claims))


def read_verdict(value: bytes) -> Verdict:
    """The verdict kept as ``value``; raises ``LibraryError`` if it is damaged."""
    try:
        return msgspec.json.decode(value, type=Verdict)
    except msgspec.MsgspecError as error:
        raise LibraryError(f"a kept judgment is damaged ({error}); empty the table `judgments`") from error


def is_directed(claim: Claim) -> bool:
    """Whether ``claim`` says which end is which, and so must be asked again."""
    return not RELATION_TYPES[claim.type].symmetric


def agreed(first: Verdict, second: Verdict, rejected: Counter[str]) -> Iterator[Claim]:
    """Directed claims of ``first`` that ``second`` makes too, with the lower of both confidences.

    Both verdicts are relative to the same skill: the swap asks about the earlier focus as its reference.
    Same type and same direction, or the claim is dropped and counted by the kind of disagreement.
    """
    again = {claim.type: claim for claim in second.claims}
    for claim in filter(is_directed, first.claims):
        other = again.get(claim.type)
        if other is None:
            rejected[Reject.SWAP_TYPE if second.claims else Reject.SWAP_ABSENT] += 1
        elif other.forward != claim.forward:
            rejected[Reject.SWAP_REVERSED] += 1
        else:
            sure = min(claim.confidence, other.confidence)
            yield msgspec.structs.replace(claim if claim.quote else other, confidence=sure)

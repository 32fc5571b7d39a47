"""Candidate source ``reference``: one skill's text names another, and the words around it say how."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from skillquiver.graph.context import (
    evidence_at,
    in_code,
    label_of,
    lead_in,
    plain,
    section_title,
    sentence_around,
    text_of,
)
from skillquiver.graph.cues import Claim, claim_of_frame, claim_of_lead, claim_of_title
from skillquiver.graph.facts import Form, Mention, SkillFacts
from skillquiver.graph.names import key_of
from skillquiver.graph.relations import RelationType
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.skills.records import Skill

__all__ = ["Reference", "ReferenceSource", "find_references"]

_BOILERPLATE = 5
"""Skills that hold the same three lines around a reference from which on the text is a shared preamble."""

_LISTING = re.compile(
    r"skill|related|see also|next|prerequisite|integrat|cross-ref|depend|hand-?off|companion", re.IGNORECASE
)
"""Titles of sections whose list items may be bare skill names."""

_VAGUE = 0.7
"""A sentence that claims no more than this ("see …", "use …") yields to the heading it stands under."""

_MERE = Claim(RelationType.COMPLEMENTS, confidence=0.5)
"""A skill that names another without saying why."""

_CHAIN_WEIGHT = 0.85
"""``a → b → c``: as clear as "then use", whoever says it."""

_ARROW = re.compile(r"^\W*(?:→|->|=>|-->|⇒)\W*$")
_CHAINED = re.compile(r"[§¤]\W{0,6}(?:→|->|=>|⇒)\W{0,6}[§¤]")
_AFTER_ARROW = re.compile(r"(?:→|->|=>|⇒)\W{0,3}§")

_CERTAIN = frozenset({Form.PATH, Form.WIKI, Form.QUALIFIED})
"""Forms that leave no doubt that a skill is meant."""

_EXAMPLE = re.compile(
    r"^\W*(?:bad|good|examples?)\b\W{0,3}:|[✅❌✓✗]\s*(?:good|bad|do|don't)\b", re.IGNORECASE
)
"""Sentences that show how to write, rather than say what to use."""

_INSTALL = re.compile(
    r"\b(?:pip3?|npm|npx|brew|apt|apt-get|cargo|conda|uv|install(?:s|ed|ing|ation)?|import|package|librar(?:y|ies)|"
    r"binary|executable|CLI|SDK|on PATH|version)\b"
)
"""Words beside a name that speak of the program or package of that name."""

_MECHANISM = re.compile(
    r"\b(?:tools?|commands?|functions?|methods?|endpoints?|APIs?|parameters?|options?|flags?|presets?|templates?|fields?)\b",
    re.IGNORECASE,
)
"""Words beside an ordinary word that make it the name of a part of some program."""

_LISTING_SKILLS = re.compile(r"\bskills?\b|\brelated\b|see also|next steps", re.IGNORECASE)
"""Titles of sections in which even an ordinary word is a skill's name."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A resolved mention: positions of both skills, and the bounds of its sentence."""

    source: int
    target: int
    mention: Mention
    bounds: tuple[int, int]


class ReferenceSource:
    """Proposes every resolved reference with the type its sentence, list or section claims."""

    name = "reference"

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose one candidate per reference; several about one pair are left to the judge."""
        sentences: dict[tuple[int, int, int], list[Reference]] = {}
        for ref in find_references(corpus):
            sentences.setdefault((ref.source, ref.mention.field, ref.bounds[0]), []).append(ref)
        for group in sentences.values():
            group.sort(key=lambda ref: ref.mention.start)
            for ref in group:
                candidate = _candidate(corpus, ref, group) if ref.target != ref.source else None
                if candidate is not None:
                    yield candidate
            yield from _chain(corpus, group)


def find_references(corpus: Corpus) -> list[Reference]:
    """Resolve every skill's mentions, boilerplate left out, in order of source and place."""
    found: list[Reference] = []
    for i in range(len(corpus.skills)):
        found += _of_skill(corpus, i)
    return _without_boilerplate(corpus, found)


def _of_skill(corpus: Corpus, i: int) -> Iterator[Reference]:
    skill, facts = corpus.skills[i], corpus.facts[i]
    taken: set[tuple[int, int, int]] = set()
    for mention in facts.mentions:
        if not _may_be_name(corpus, facts, mention):
            continue
        resolved = corpus.names.resolve(mention, i)
        if resolved is None:
            continue
        target, offset = resolved
        if offset:
            mention = msgspec.structs.replace(mention, start=mention.start + offset)
        bounds = sentence_around(text_of(skill, mention.field), mention.start, mention.end)
        if (target, mention.field, bounds[0]) not in taken:
            taken.add((target, mention.field, bounds[0]))
            yield Reference(i, target, mention, bounds)


def _may_be_name(corpus: Corpus, facts: SkillFacts, mention: Mention) -> bool:
    """Whether a string in this form, at this place, can be meant as a skill's name at all."""
    if mention.form == Form.ITEM and _LISTING.search(section_title(facts, mention)):
        return True
    if mention.form in (Form.ITEM, Form.BARE):
        return not corpus.names.is_ordinary(key_of(mention.raw))
    return True


def _without_boilerplate(corpus: Corpus, found: Sequence[Reference]) -> list[Reference]:
    keys = [(ref.target, _block_key(corpus.skills[ref.source], ref)) for ref in found]
    holders: dict[tuple[int, int], set[int]] = {}
    for ref, key in zip(found, keys, strict=True):
        holders.setdefault(key, set()).add(ref.source)
    return [ref for ref, key in zip(found, keys, strict=True) if len(holders[key]) < _BOILERPLATE]


def _block_key(skill: Skill, ref: Reference) -> int:
    """The sentence and its neighbouring lines as a number that is the same in every process."""
    text, (low, high) = text_of(skill, ref.mention.field), ref.bounds
    head = text[max(0, low - 300) : low].rstrip().rpartition("\n")[2].strip()
    tail = text[high : high + 300].lstrip().partition("\n")[0].strip()
    body = " ".join(text[low:high].split())
    return zlib.crc32(f"{head}\n{body}\n{tail}".encode("utf-8", "surrogatepass"))


def _frame(corpus: Corpus, ref: Reference, group: Sequence[Reference]) -> str:
    """The sentence without markup, ``§`` for the referred skill, ``¤`` for others referred to."""
    text, (at, stop) = text_of(corpus.skills[ref.source], ref.mention.field), ref.bounds
    pieces = []
    for other in group:
        start, end = max(other.mention.start, at), min(other.mention.end, stop)
        if end > start:
            pieces += [text[at:start], "§" if other.target == ref.target else "¤"]
            at = end
    return plain("".join([*pieces, text[at:stop]]))


def _candidate(corpus: Corpus, ref: Reference, group: Sequence[Reference]) -> Candidate | None:
    skill, facts = corpus.skills[ref.source], corpus.facts[ref.source]
    title = section_title(facts, ref.mention)
    text = text_of(skill, ref.mention.field)
    frame = _frame(corpus, ref, group)
    if not _is_meant(corpus, ref, frame, title):
        return None
    low = ref.bounds[0]
    claim = _claim(frame, label_of(text, low, ref.mention.start), lead_in(text, low), title)
    ends = (skill.id, corpus.skills[ref.target].id)
    source, target = ends[::-1] if claim.reverse else ends
    return Candidate(
        source=source,
        target=target,
        proposed_by=ReferenceSource.name,
        weight=claim.confidence,
        claim=claim.type,
        evidence=evidence_at(skill, ref.mention, ref.bounds, title),
    )


def _is_meant(corpus: Corpus, ref: Reference, frame: str, title: str) -> bool:
    """Whether the skill is meant, rather than a word, a program or a package of the same name."""
    if _EXAMPLE.search(frame) or _CHAINED.search(frame):
        return False
    form = ref.mention.form
    if in_code(corpus.facts[ref.source], ref.mention) and form not in _CERTAIN:
        return form == Form.COMMAND or bool(_AFTER_ARROW.search(frame))
    if form in _CERTAIN or form == Form.CUED or _INSTALL.search(frame):
        return form in _CERTAIN or form == Form.CUED
    name = key_of(corpus.skills[ref.target].name)
    if "-" in name and not corpus.names.is_ordinary(name):
        return True
    if _LISTING_SKILLS.search(title):
        return True
    claim = claim_of_frame(frame)
    return claim is not None and claim.confidence >= _VAGUE and not _MECHANISM.search(frame)


def _claim(frame: str, label: str, lead: str, title: str) -> Claim:
    """The announcement of a list decides, then the sentence, then, if that is vague, what it stands under."""
    announced = claim_of_lead(label) or claim_of_lead(lead)
    if announced:
        return announced
    own = claim_of_frame(frame)
    around = [claim for claim in map(claim_of_title, (label, lead, title)) if claim]
    later = next((claim for claim in around if claim.type == RelationType.PRECEDES), None)
    if own and own.type == RelationType.REQUIRES and later:
        return later  # "required", but for what comes after
    if own and own.confidence > _VAGUE:
        return own
    if around and around[0].type != RelationType.COMPLEMENTS and not frame.startswith("|"):
        return around[0]
    return own or next(iter(around), _MERE)


def _chain(corpus: Corpus, group: Sequence[Reference]) -> Iterator[Candidate]:
    """``a → b → c``: each comes before the next."""
    skill = corpus.skills[group[0].source]
    text = text_of(skill, group[0].mention.field)
    for left, right in itertools.pairwise(group):
        between = text[left.mention.end : right.mention.start]
        if left.target != right.target and _ARROW.match(between):
            title = section_title(corpus.facts[left.source], left.mention)
            yield Candidate(
                source=corpus.skills[left.target].id,
                target=corpus.skills[right.target].id,
                proposed_by=ReferenceSource.name,
                weight=_CHAIN_WEIGHT,
                claim=RelationType.PRECEDES,
                evidence=evidence_at(skill, left.mention, left.bounds, title),
            )

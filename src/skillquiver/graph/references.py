"""Candidate source ``reference``: one skill's text names another, and the words around it say how."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from skillquiver.graph.cues import Claim, claim_of_frame, claim_of_title
from skillquiver.graph.facts import Field, Form, Mention, SkillFacts
from skillquiver.graph.relations import Evidence, Provenance, RelationType
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["Reference", "ReferenceSource", "find_references"]

_BOILERPLATE = 5
"""Skills that hold the same three lines around a reference from which on the text is a shared preamble."""

_LISTING = re.compile(
    r"skill|related|see also|next|prerequisite|integrat|cross-ref|depend|hand-?off|companion", re.IGNORECASE
)
"""Titles of sections whose list items may be bare skill names."""

_WORDLESS = frozenset({Form.MARKED, Form.COMMAND, Form.BARE, Form.ITEM})
_STOP = frozenset(
    ["a", "an", "the", "this", "that", "each", "every", "other", "another", "new", "your", "my", "our", "which", "any", "agent", "claude", "custom"]
)
_MAX_QUOTE = 300
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`\[(])|\n\s*\n|\n(?=\s*(?:[-*+|>#]|\d+[.)])\s)|\n(?=\s*#)")
_MARKUP = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)|[`*_]{1,3}|(?<=\s)#+\s")


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention that was resolved: positions of both skills, the sentence, and where it stands."""

    source: int
    target: int
    mention: Mention
    low: int
    high: int


def find_references(corpus: Corpus) -> list[Reference]:
    """Resolve every skill's mentions, boilerplate left out, in order of source and place."""
    found: list[Reference] = []
    for i, (skill, facts) in enumerate(zip(corpus.skills, corpus.facts, strict=True)):
        found.extend(_of_skill(corpus, i, skill, facts))
    return _without_boilerplate(corpus, found)


def text_of(skill: Skill, field: int) -> str:
    """Return the text a mention's offsets refer to."""
    if field == Field.BODY:
        return skill.body
    return skill.description if field == Field.DESCRIPTION else skill.when_to_use


def _of_skill(corpus: Corpus, i: int, skill: Skill, facts: SkillFacts) -> Iterator[Reference]:
    names = corpus.names
    taken: set[tuple[int, int]] = set()
    for mention in facts.mentions:
        if mention.form in _WORDLESS and not _may_be_name(corpus, facts, mention):
            continue
        if mention.form == Form.CUED and mention.raw.lower() in _STOP:
            continue
        resolved = names.resolve(mention, i)
        if resolved is None or resolved[0] == i:
            continue
        target, offset = resolved
        if offset:
            mention = msgspec.structs.replace(mention, start=mention.start + offset)
        text = text_of(skill, mention.field)
        low, high = sentence_around(text, mention.start, mention.end)
        if (target, low) not in taken:
            taken.add((target, low))
            yield Reference(i, target, mention, low, high)


def _may_be_name(corpus: Corpus, facts: SkillFacts, mention: Mention) -> bool:
    key = mention.raw.strip().lower()
    if mention.form == Form.ITEM:
        title = section_title(facts, mention) if mention.field == Field.BODY else ""
        return bool(_LISTING.search(title)) or ("-" in key and not corpus.names.is_ordinary(key))
    if mention.form == Form.BARE:
        return not corpus.names.is_ordinary(key)
    return True


def section_title(facts: SkillFacts, mention: Mention) -> str:
    """Return the title of the section the mention stands in; empty before the first heading."""
    if mention.field != Field.BODY:
        return ""
    at = bisect_right(facts.sections, (mention.start, 9, "")) - 1
    return facts.sections[at][2] if at >= 0 else ""


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence, list item or table row that holds ``text[start:end]``."""
    floor, ceiling = max(0, start - 400), min(len(text), end + 400)
    low, high = floor, ceiling
    for match in _SENTENCE_END.finditer(text, floor, ceiling):
        if match.end() <= start:
            low = match.end()
        elif match.start() >= end:
            high = match.start()
            break
    return low, high


def _without_boilerplate(corpus: Corpus, found: Sequence[Reference]) -> list[Reference]:
    keys = [_block_key(corpus.skills[r.source], r) for r in found]
    holders: dict[tuple[int, int], set[int]] = {}
    for ref, key in zip(found, keys, strict=True):
        holders.setdefault((ref.target, key), set()).add(ref.source)
    return [r for r, key in zip(found, keys, strict=True) if len(holders[r.target, key]) < _BOILERPLATE]


def _block_key(skill: Skill, ref: Reference) -> int:
    """Three non-empty lines around the reference, as a number that is the same in every process."""
    text = text_of(skill, ref.mention.field)
    before = text[: ref.low].rstrip()
    head = before[before.rfind("\n") + 1 :].strip()
    after = text[ref.high :].lstrip()
    tail = after.split("\n", 1)[0].strip()
    body = " ".join(text[ref.low : ref.high].split())
    import zlib

    return zlib.crc32(f"{head}\n{body}\n{tail}".encode("utf-8", "surrogatepass"))


class ReferenceSource:
    """Proposes every resolved reference, with the type that its sentence or its section claims."""

    name = "reference"

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose one candidate per reference; several about one pair are left to the judge."""
        by_sentence: dict[tuple[int, int, int], list[Reference]] = {}
        references = find_references(corpus)
        for ref in references:
            by_sentence.setdefault((ref.source, ref.mention.field, ref.low), []).append(ref)
        for group in by_sentence.values():
            for ref in group:
                yield _candidate(corpus, ref, group)
            yield from _chain(corpus, group)


def frame_of(corpus: Corpus, ref: Reference, others: Sequence[Reference]) -> str:
    """Return the sentence without markup, ``§`` for the referred skill, ``¤`` for others referred to."""
    text = text_of(corpus.skills[ref.source], ref.mention.field)
    pieces, at = [], ref.low
    for other in sorted(others, key=lambda r: r.mention.start):
        start, end = max(other.mention.start, at), min(other.mention.end, ref.high)
        if end <= start:
            continue
        pieces += [text[at:start], "§" if other is ref or other.target == ref.target else "¤"]
        at = end
    pieces.append(text[at : ref.high])
    plain = _MARKUP.sub(lambda m: m[1] or "", "".join(pieces))
    return " ".join(plain.split())


def _candidate(corpus: Corpus, ref: Reference, group: Sequence[Reference]) -> Candidate:
    facts = corpus.facts[ref.source]
    title = section_title(facts, ref.mention)
    lead = lead_in(text_of(corpus.skills[ref.source], ref.mention.field), ref.low)
    claim = _claim(frame_of(corpus, ref, group), lead, title)
    source, target = corpus.skills[ref.source].id, corpus.skills[ref.target].id
    if claim.reverse:
        source, target = target, source
    return Candidate(
        source=source,
        target=target,
        proposed_by="reference",
        weight=claim.confidence,
        claim=claim.type,
        provenance=Provenance.DERIVED,
        evidence=_evidence(corpus, ref, title),
    )


_MERE = Claim(RelationType.COMPLEMENTS, confidence=0.5)
"""A skill that names another without saying why."""


def _claim(frame: str, lead: str, title: str) -> Claim:
    """The sentence decides, unless it is vague and stands below words that are not."""
    own = claim_of_frame(frame)
    above = claim_of_title(lead) or claim_of_title(title)
    if own and own.confidence > _VAGUE:
        return own
    if above and above.type != RelationType.COMPLEMENTS:
        return above
    return own or above or _MERE


_VAGUE = 0.7
"""A sentence that claims no more than this ("see …", "use …") yields to the heading it stands under."""

_LABEL = re.compile(r"[ \t>*+-]*\*\*([^*\n]{3,40}?):?\*\*:?")


def lead_in(text: str, low: int) -> str:
    """Return the words that announce the item at ``low``: its own bold label, or the line above its list."""
    label = _LABEL.match(text, low)
    if label and ("§" not in label[1]):
        own = label[1]
        if claim_of_title(own):
            return own
    above = text[max(0, low - 900) : low]
    above = above[above.rfind("\n#") + 1 :]
    block = _last_list(above)
    return block


def _last_list(above: str) -> str:
    """The line ending in a colon that the list at the end of ``above`` hangs on, or nothing."""
    for line in reversed(above.split("\n")):
        plain = line.strip(" \t>*_")
        if not plain:
            continue
        if re.match(r"[ \t>]*(?:[-*+|]|\d+[.)])[ \t]", line) or line.startswith(("  ", "\t")):
            continue
        return plain[:-1] if plain.endswith(":") else ""
    return ""


_ARROW = re.compile(r"^\W*(?:→|->|=>|-->|⇒)\W*$")


def _chain(corpus: Corpus, group: Sequence[Reference]) -> Iterator[Candidate]:
    """``a → b → c``: each comes before the next, whoever says so."""
    ordered = sorted(group, key=lambda r: r.mention.start)
    text = text_of(corpus.skills[ordered[0].source], ordered[0].mention.field)
    for left, right in zip(ordered, ordered[1:], strict=False):
        between = text[left.mention.end : right.mention.start]
        if left.target != right.target and _ARROW.match(between):
            yield Candidate(
                source=corpus.skills[left.target].id,
                target=corpus.skills[right.target].id,
                proposed_by="reference",
                weight=0.85,
                claim=RelationType.PRECEDES,
                evidence=_evidence(corpus, left, section_title(corpus.facts[left.source], left.mention)),
            )


def _evidence(corpus: Corpus, ref: Reference, title: str) -> Evidence:
    skill = corpus.skills[ref.source]
    text = text_of(skill, ref.mention.field)
    quote = " ".join(text[ref.low : ref.high].split())
    if len(quote) > _MAX_QUOTE:
        quote = quote[: _MAX_QUOTE - 1] + "…"
    return Evidence(quote, place_of(skill.id, text, ref.mention, title))


def place_of(skill_id: SkillId, text: str, mention: Mention, title: str) -> str:
    """Return ``id:line [heading]`` for the body and ``id#field`` for a field of the frontmatter."""
    if mention.field != Field.BODY:
        return f"{skill_id}#{Field(mention.field).name.lower()}"
    line = text.count("\n", 0, mention.start) + 1
    return f"{skill_id}:{line} [{title}]" if title else f"{skill_id}:{line}"


def count_forms(references: Iterable[Reference]) -> Counter[str]:
    """Count references by form, for reports."""
    return Counter(Form(ref.mention.form).name.lower() for ref in references)

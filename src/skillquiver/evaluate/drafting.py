"""A first query file for a library, out of the prompts that its skills quote as their own.

A prompt stands between quotation marks, in a description, in a when-to-use, or in a section of the body
about use. It is written by the skill's author, in the skill's words: an upper bound, and tagged so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillquiver.evaluate.qrels import Query
from skillquiver.index.analyze import analyze
from skillquiver.retrieve.trained_on import normalised, query_hash
from skillquiver.skills.records import Skill
from skillquiver.skills.sanitize import plain

__all__ = ["DRAFT_TAGS", "EACH", "drafted", "prompts_of_body", "prompts_of_card"]

DRAFT_TAGS = ("direct", "echo-prone")
"""Of every drafted query."""

EACH = 3
"""Most prompts of one skill: one that lists forty triggers must not be a tenth of the file."""

CARD_WORDS = 3
"""Least words of a prompt in a description: "create a tour"; shorter ones are names and keywords."""

CARD_TERMS = 2
"""Least terms that are no stop words, in any prompt."""

BODY_WORDS = 6
"""Least words of a prompt in a body, where shorter quotations are labels, options and titles."""

LONGEST_SECTION = 4_000
"""Characters of a section that are looked at: prompts stand at its head."""

_QUOTED = re.compile(r"[\"“”]([^\"“”\n]{8,160})[\"“”]|(?<!\w)'([^'\n]{8,160})'(?!\w)|「([^「」\n]{4,160})」")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"\n(?=#+ )")
_ABOUT_USE = re.compile(r"when to|trigger|example|usage|use case|activat|prompt", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:use|when|if|say|says|saying|ask|asks|asked|asking|request|requests|mention|mentions|want|wants|like|"
    r"trigger|triggers|triggered|phrase|phrases|prompt|prompts|query|queries|activate|activates|e\.g)\b",
    re.IGNORECASE,
)
"""What stands before prompts in a description; without any of it, quotation marks mean something else."""

_PLACEHOLDER = re.compile(r"[\]<>{}|`]|\.\.\.|…")
"""In a template or in code, not in what a person says."""


def prompts_of_body(body: str) -> list[str]:
    """The prompts that sections about use quote, each once, in order; code blocks do not count."""
    found: dict[str, None] = {}
    for section in _SECTION.split(_FENCED.sub("", body)):
        if _ABOUT_USE.search(section.split("\n", 1)[0]):
            quoted = _quoted(section[:LONGEST_SECTION])
            found.update(dict.fromkeys(p for p in quoted if len(p.split()) >= BODY_WORDS))
    return list(found)


def prompts_of_card(skill: Skill) -> list[str]:
    """The prompts that a description and a when-to-use quote, each once, in order."""
    found: dict[str, None] = {}
    for text in (skill.description, skill.when_to_use):
        said = _SAYS.search(text)
        quoted = _quoted(text[said.start() :]) if said else ()
        # No spaces stand between Chinese or Japanese words, whose terms are pairs of characters.
        found.update(
            dict.fromkeys(
                p for p in quoted if len(p.split()) >= CARD_WORDS or len(analyze(p)) > 2 * CARD_WORDS
            )
        )
    return list(found)


def _quoted(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        prompt = next(group for group in match.groups() if group).strip(" ,.")
        if prompt and prompt[0].isalpha() and "[" not in prompt:
            yield prompt


def _is_said(prompt: str) -> bool:
    """Whether a person may say so: enough words of its own, and no template."""
    return len(analyze(prompt)) >= CARD_TERMS and not _PLACEHOLDER.search(prompt)


def drafted(skills: Iterable[Skill], *, limit: int) -> list[Query]:
    """At most ``limit`` queries, tagged ``DRAFT_TAGS``; gold are all skills that quote the prompt.

    The first prompt of every skill comes before the second of any, in an order drawn by the prompts' hashes,
    so that a limit takes from the whole library; the same library gives the same file.
    """
    gold: dict[str, list[str]] = {}
    text: dict[str, str] = {}
    turn: dict[str, int] = {}
    for skill in skills:
        quoted = (*prompts_of_card(skill), *prompts_of_body(skill.body))
        prompts = {normalised(prompt): prompt for prompt in quoted if _is_said(prompt)}
        for at, (words, prompt) in enumerate(prompts.items()):
            gold.setdefault(words, []).append(skill.id)
            text.setdefault(words, prompt)
            turn[words] = min(at, turn.get(words, at))
    first = sorted((w for w in gold if turn[w] < EACH), key=lambda w: (turn[w], query_hash(w), w))
    return [
        Query(
            query_id=f"draft/{query_hash(words)}",
            query=plain(text[words]),
            gold=tuple(sorted(gold[words])),
            tags=DRAFT_TAGS,
        )
        for words in first[:limit]
    ]

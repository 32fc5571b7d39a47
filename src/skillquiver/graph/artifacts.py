"""Candidate source ``artifact``: what one skill writes, another one nearby reads.

Only rare names prove anything: a file that many skills handle (``output.json``) joins nobody, and one that
a skill both reads and writes has no direction. File types prove nothing by themselves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from skillquiver.graph.artifact_facts import Role
from skillquiver.graph.context import sentence_around
from skillquiver.graph.handled import Handled, handled_by
from skillquiver.graph.relations import Evidence, Provenance, RelationType
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.skills.findings import clip

__all__ = ["ArtifactSource"]

_PLACEHOLDERS = frozenset(
    {
        *("output", "input", "data", "result", "results", "file", "example", "sample", "test", "config"),
        *("report", "document", "readme", "skill", "index", "template", "temp", "tmp", "image", "video"),
        *("audio", "page", "table", "changelog", "package", "tsconfig", "settings", "requirements", "claude"),
        *("agents", "memory", "license", "contributing", "yyyy", "robots", "metadata", "summary", "notes"),
        *("main", "my"),
    }
)
"""First words of file names that stand for any file, or for one that every project has."""

_RARE, _COMMON = 0.75, 0.6
"""Weight of a file that just two skills handle, and of one at the limit of rarity."""

_SMALL = 15
"""Skills under the common folder up to which a file of any distinct name is taken for a hand-over: one
plugin's parts. In larger folders the file must be named after its writer."""

_AFFINITY = 4
"""Letters that a word of the file's name and one of the writer's name must begin with in common."""

_DECLARED = 0.05
"""What each end adds that declares the file: a declaration is meant, a sentence may be an example."""


class ArtifactSource:
    """Proposes ``writer feeds_into reader`` for each rare thing both handle."""

    name = "artifact"

    def __init__(self, rare_holders: int = 8) -> None:
        self._rare = rare_holders

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose at most ``rare_holders``² / 4 pairs per name."""
        holders: dict[str, dict[int, Handled]] = defaultdict(dict)
        for i, found in enumerate(handled_by(corpus.skills, corpus.facts)):
            for name, handled in found.items():
                holders[name][i] = handled
        for name in sorted(holders):
            held = holders[name]
            if 2 <= len(held) <= self._rare:
                yield from self._pairs(corpus, held)

    def _pairs(self, corpus: Corpus, held: dict[int, Handled]) -> Iterator[Candidate]:
        writers = {i: one for i, one in held.items() if one.role == Role.WRITES}
        readers = {i: one for i, one in held.items() if one.role == Role.READS}
        weight = _RARE - (_RARE - _COMMON) * (len(held) - 2) / max(1, self._rare - 2)
        for i, written in writers.items():
            for j, read in readers.items():
                if _is_handed_over(corpus, (i, written), (j, read)):
                    yield Candidate(
                        source=corpus.skills[i].id,
                        target=corpus.skills[j].id,
                        proposed_by=self.name,
                        weight=round(weight + _DECLARED * (bool(written.field) + bool(read.field)), 4),
                        claim=RelationType.FEEDS_INTO,
                        provenance=Provenance.ARTIFACT,
                        evidence=_evidence(corpus, (i, written), (j, read)),
                    )


def _is_handed_over(corpus: Corpus, writer: tuple[int, Handled], reader: tuple[int, Handled]) -> bool:
    """Whether declarations, the file's name, or the smallness of the plugin say that both mean the same."""
    (i, written), (j, read) = writer, reader
    a, b = corpus.skills[i], corpus.skills[j]
    if a.name == b.name or not corpus.names.are_near(i, j):
        return False
    is_any = _words(read.name)[0] in _PLACEHOLDERS
    if written.field and read.field:
        return not is_any and (written.is_file or "-" in written.name)  # a single word is no name of a thing
    if not written.is_file:
        return False
    if _is_named_after(written.name, a.name):
        return True
    in_code = any(
        start <= handled.start < end
        for k, handled in (writer, reader)
        for start, end, _ in corpus.facts[k].code
    )
    return corpus.names.common_size(i, j) <= _SMALL and not in_code and not is_any


def _words(name: str) -> list[str]:
    return re.split(r"[^a-z0-9]+", name.lower().rpartition(".")[0] or name.lower())


def _is_named_after(file: str, skill: str) -> bool:
    """``energies.json`` is named after ``energy-calculator``: both have a word that begins with *ener*."""
    heads = {word[:_AFFINITY] for word in _words(skill + ".") if len(word) >= _AFFINITY}
    return any(word[:_AFFINITY] in heads and word not in _PLACEHOLDERS for word in _words(file))


def _evidence(corpus: Corpus, writer: tuple[int, Handled], reader: tuple[int, Handled]) -> Evidence:
    quotes = [_quote(corpus, i, handled) for i, handled in (writer, reader)]
    i, written = writer
    skill = corpus.skills[i]
    place = f"#{written.field}" if written.start < 0 else f":{skill.line_of(written.start)}"
    return Evidence(f"{quotes[0]} ⇒ {quotes[1]}", f"{skill.id}{place}")


def _quote(corpus: Corpus, i: int, handled: Handled) -> str:
    if handled.start < 0:
        return clip(f"{handled.field}: {handled.name}", 140)
    body = corpus.skills[i].body
    low, high = sentence_around(body, handled.start, handled.start + len(handled.name))
    at = handled.start - low
    text = body[low:high]
    return clip(text[max(0, at - 90) : at + 50], 140)

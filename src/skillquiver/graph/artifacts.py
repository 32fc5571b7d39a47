"""Candidate source ``artifact``: what one skill writes, another one nearby reads.

Only rare names prove anything: a file that many skills handle (``output.json``) joins nobody, and one that
a skill both reads and writes has no direction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from skillquiver.graph.artifact_facts import Artifact, Role
from skillquiver.graph.context import sentence_around
from skillquiver.graph.relations import Evidence, Provenance, RelationType
from skillquiver.graph.sources import Candidate, Corpus

__all__ = ["ArtifactSource"]

_PLACEHOLDERS = frozenset(
    (
        "output",
        "input",
        "data",
        "result",
        "results",
        "file",
        "example",
        "sample",
        "test",
        "config",
        "report",
        "document",
        "readme",
        "skill",
        "index",
        "template",
        "temp",
        "tmp",
        "image",
        "video",
        "audio",
        "page",
        "table",
        "changelog",
        "package",
        "tsconfig",
        "settings",
        "requirements",
        "claude",
        "agents",
        "memory",
        "license",
        "contributing",
    )
)
"""Stems that stand for any file, or for one that every project has."""

_RARE, _SINGLE = 0.75, 0.6
"""Weight of a file that just two skills handle, and of one at the limit of rarity."""


class ArtifactSource:
    """Proposes ``writer feeds_into reader`` for each rare file both handle."""

    name = "artifact"

    def __init__(self, rare_holders: int = 8) -> None:
        self._rare = rare_holders

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose at most ``rare_holders``² / 4 pairs per file name."""
        holders: dict[str, dict[int, list[Artifact]]] = defaultdict(lambda: defaultdict(list))
        for i, facts in enumerate(corpus.facts):
            for artifact in facts.artifacts:
                holders[artifact.name][i].append(artifact)
        for name in sorted(holders):
            held = holders[name]
            if 2 <= len(held) <= self._rare and _stem(name) not in _PLACEHOLDERS:
                yield from self._pairs(corpus, held)

    def _pairs(self, corpus: Corpus, held: dict[int, list[Artifact]]) -> Iterator[Candidate]:
        alone = {i: found[0] for i, found in held.items() if len(found) == 1}
        writers = {i: a for i, a in alone.items() if a.role == Role.WRITES}
        readers = {i: a for i, a in alone.items() if a.role == Role.READS}
        weight = _RARE - (_RARE - _SINGLE) * (len(held) - 2) / max(1, self._rare - 2)
        for i, written in writers.items():
            for j, read in readers.items():
                if corpus.names.are_near(i, j) and corpus.skills[i].name != corpus.skills[j].name:
                    yield Candidate(
                        source=corpus.skills[i].id,
                        target=corpus.skills[j].id,
                        proposed_by=self.name,
                        weight=round(weight, 4),
                        claim=RelationType.FEEDS_INTO,
                        provenance=Provenance.ARTIFACT,
                        evidence=_evidence(corpus, (i, written), (j, read)),
                    )


def _stem(name: str) -> str:
    return name.rpartition(".")[0].replace("-", "_").split("_")[0] if name.count(".") == 1 else name


def _evidence(corpus: Corpus, writer: tuple[int, Artifact], reader: tuple[int, Artifact]) -> Evidence:
    (i, written), (j, read) = writer, reader
    quotes = [_line(corpus.skills[i].body, written), _line(corpus.skills[j].body, read)]
    place = f"{corpus.skills[i].id}:{corpus.skills[i].body.count(chr(10), 0, written.start) + 1}"
    return Evidence(f"{quotes[0]} ⇒ {quotes[1]}", place)


def _line(body: str, artifact: Artifact) -> str:
    low, high = sentence_around(body, artifact.start, artifact.start + len(artifact.name))
    at = artifact.start - low
    text = body[low:high]
    return " ".join(text[max(0, at - 90) : at + 50].split())

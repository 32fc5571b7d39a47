"""Candidate sources that propose pairs without a sentence that says what joins them.

Of these the rule judge publishes embedding neighbours (``similar_to``) and namesakes (``alternative_to``);
the other pairs feed judges that can read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from skillquiver.graph.lexicon import RareIndex, words_of
from skillquiver.graph.names import key_of
from skillquiver.graph.relations import NO_EVIDENCE, Evidence, Provenance, RelationType
from skillquiver.graph.sources import Candidate, Corpus
from skillquiver.skills.findings import clip

__all__ = ["LexicalSource", "NamesakeSource", "NeedSource", "PluginSource", "SimilarSource", "ToolSource"]

_BLOCK = 1024
"""Rows of the similarity matrix held at once: 36 MB at 8,800 skills."""


def _pair(corpus: Corpus, ends: tuple[int, int], name: str, weight: float, evidence: Evidence) -> Candidate:
    """A pair without a claim."""
    i, j = ends
    return Candidate(
        source=corpus.skills[i].id,
        target=corpus.skills[j].id,
        proposed_by=name,
        weight=round(weight, 4),
        provenance=Provenance.INFERRED,
        evidence=evidence,
    )


class SimilarSource:
    """Embedding neighbours: the first K by cosine, at least ``floor``. No vectors, no pairs."""

    name = "similar"

    def __init__(self, k: int = 8, floor: float = 0.5) -> None:
        self._k, self._floor = k, floor

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose each pair once. The cosine orders nothing later: it stays out of the published graph."""
        for i, j in sorted({(min(pair), max(pair)) for pair in self._pairs(corpus)}):
            yield Candidate(
                source=corpus.skills[i].id,
                target=corpus.skills[j].id,
                proposed_by=self.name,
                weight=0.5,
                claim=RelationType.SIMILAR_TO,
                provenance=Provenance.INFERRED,
            )

    def _pairs(self, corpus: Corpus) -> Iterator[tuple[int, int]]:
        import numpy as np

        vectors = corpus.vectors
        if vectors is None or len(vectors) < 2:
            return
        k = min(self._k, len(vectors) - 1)
        for low in range(0, len(vectors), _BLOCK):
            scores = vectors[low : low + _BLOCK] @ vectors.T
            rows = np.arange(len(scores))
            scores[rows, low + rows] = -2.0  # a skill is not its own neighbour
            best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
            for i in rows:
                for j in best[i]:
                    if scores[i, j] >= self._floor:
                        yield low + int(i), int(j)


class LexicalSource:
    """Skills whose descriptions share the rarest words."""

    name = "lexical"

    def __init__(self, k: int = 8) -> None:
        self._k = k

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose up to K pairs per skill, weighted by the share of rare words in common."""
        texts = [f"{skill.name} {skill.description} {skill.when_to_use}" for skill in corpus.skills]
        index = RareIndex(texts)
        for i, text in enumerate(texts):
            for j, score in index.search(words_of(text), self._k, without=i):
                yield _pair(corpus, (i, j), self.name, score, NO_EVIDENCE)


class NeedSource:
    """What a skill says it needs or leads to, as a query against what others say they offer.

    The query is the text of sections such as *Prerequisites*, *Inputs*, *Next steps*; the offers are names,
    descriptions and outputs. The two sides differ, so the pairs are not those of a similarity.
    """

    name = "need"

    def __init__(self, k: int = 3) -> None:
        self._k = k

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose up to K offers per section of needs."""
        index = RareIndex(f"{s.name} {s.description} {' '.join(s.outputs)}" for s in corpus.skills)
        for i, (skill, facts) in enumerate(zip(corpus.skills, corpus.facts, strict=True)):
            for start, end, title in facts.needs:
                text = skill.body[start:end]
                for j, score in index.search(words_of(text), self._k, without=i):
                    line = skill.line_of(start)
                    evidence = Evidence(clip(text, 300), f"{skill.id}:{line} [{clip(title, 80)}]")
                    yield _pair(corpus, (i, j), self.name, score, evidence)


class ToolSource:
    """Skills that share a tool or a package few others use."""

    name = "tool"

    def __init__(self, rare_holders: int = 8) -> None:
        self._rare = rare_holders

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose all pairs of the at most ``rare_holders`` skills that use one tool."""
        holders: dict[str, list[int]] = defaultdict(list)
        for i, skill in enumerate(corpus.skills):
            for tool in dict.fromkeys(tool.lower() for tool in skill.tools):
                holders[tool].append(i)
        for tool in sorted(holders):
            held = holders[tool]
            if 2 <= len(held) <= self._rare:
                for pair in combinations(held, 2):
                    yield _pair(corpus, pair, self.name, 1.0 / len(held), Evidence(clip(tool, 80), ""))


class PluginSource:
    """Skills of one small folder: whoever made a plugin of a handful of skills made them to work together."""

    name = "plugin"

    def __init__(self, largest: int = 12) -> None:
        self._largest = largest

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose all pairs of each folder of at most ``largest`` skills."""
        folders: dict[str, list[int]] = defaultdict(list)
        for i, skill in enumerate(corpus.skills):
            folders[skill.id.rpartition("/")[0]].append(i)
        for folder in sorted(folders):
            members = folders[folder]
            if 2 <= len(members) <= self._largest:
                for pair in combinations(members, 2):
                    yield _pair(corpus, pair, self.name, 1.0 / len(members), Evidence("", folder))


class NamesakeSource:
    """Skills of one name whose descriptions agree: copies that have grown apart, either does the job."""

    name = "namesake"

    def __init__(self, agreement: float = 0.35, largest: int = 20) -> None:
        self._agreement, self._largest = agreement, largest

    def candidates(self, corpus: Corpus) -> Iterable[Candidate]:
        """Propose ``alternative_to`` where the Jaccard index of the descriptions' words is high enough."""
        named: dict[str, list[int]] = defaultdict(list)
        for i, skill in enumerate(corpus.skills):
            named[key_of(skill.name)].append(i)
        words = [frozenset(words_of(skill.description)) for skill in corpus.skills]
        for name in sorted(named):
            for i, j in combinations(named[name][: self._largest], 2):
                both, either = len(words[i] & words[j]), len(words[i] | words[j])
                if both >= self._agreement * max(1, either):
                    yield self._candidate(corpus, i, j, both / either)

    def _candidate(self, corpus: Corpus, i: int, j: int, agreement: float) -> Candidate:
        here, there = corpus.skills[i], corpus.skills[j]
        quote = f"{here.description[:140]} ⇔ {there.description[:140]}"
        return Candidate(
            source=here.id,
            target=there.id,
            proposed_by=self.name,
            weight=round(0.5 + 0.4 * agreement, 4),
            claim=RelationType.ALTERNATIVE_TO,
            provenance=Provenance.INFERRED,
            evidence=Evidence(clip(quote, 300), f"{here.id}#description"),
        )

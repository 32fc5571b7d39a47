"""Ranker: a query becomes lexical and dense scores, these one ranking, and its head is ranked again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from skillquiver.index.analyze import analyze, cjk_share
from skillquiver.index.lexical import K1, Field, LexicalIndex
from skillquiver.retrieve.confidence import confidence, status_of
from skillquiver.retrieve.fuse import POOL, fuse, standardise
from skillquiver.retrieve.ranking import Evidence, Ranked, Ranking
from skillquiver.retrieve.scores import FirstScores
from skillquiver.retrieve.windows import split_windows
from skillquiver.settings import RankSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.index.dense import DenseIndex
    from skillquiver.index.heads import HeadStore, SkillHead
    from skillquiver.retrieve.features import CardTerms
    from skillquiver.retrieve.second_stage import SecondStage
    from skillquiver.types import Encoder, SkillId

__all__ = ["Ranker"]


@dataclass(frozen=True, slots=True)
class _Place:
    """A skill on its way into a ranking; ``score`` orders, ``first_score`` and ``first_rank`` were before."""

    score: float
    row: int
    skill: SkillHead
    first_score: float
    first_rank: int
    second: float | None = None


class Ranker:
    """Ranks one library. Holds open indexes; safe to keep for many queries, in one thread."""

    def __init__(
        self,
        store: HeadStore,
        lexical: LexicalIndex,
        dense: tuple[DenseIndex, Encoder] | None,
        *,
        settings: RankSettings,
        second: SecondStage | None = None,
        degraded: str = "",
    ) -> None:
        self._store, self._lexical, self._settings = store, lexical, settings
        self._dense = dense
        self._degraded = degraded
        self._second = second
        self._library = store.count()
        self._places = min(POOL, self._library)

    def rank(self, query: str, *, top_k: int, explain: bool = False, hidden: bool = True) -> Ranking:
        """Rank the library for ``query``; any text is legal.

        ``explain`` adds the matched terms. Without ``hidden``, skills whose author asks that no model be
        offered them are left out.
        """
        query = query.encode("utf-8", "replace").decode()  # no encoder takes a lone surrogate
        scores = self._score(query)
        count = max(top_k, self._settings.judged)
        places = self._places_of(scores, count, hidden=hidden)
        places = [place for place in places if hidden or not place.skill.hidden][:count]
        results = tuple(
            self._result(scores, rank, place, explain=explain and rank <= top_k)
            for rank, place in enumerate(places, start=1)
        )
        best = max((r.confidence for r in results[: self._settings.judged]), default=0.0)
        return Ranking(
            query=query,
            status=status_of(best, self._settings, places=self._places),
            confidence=best,
            terms=len(scores.terms),
            places=self._places,
            results=results[: max(top_k, 0)],
            degraded=self._degraded,
        )

    @property
    def settings(self) -> RankSettings:
        """Weights of this ranker."""
        return self._settings

    @property
    def reranks(self) -> bool:
        """Whether a second stage has a say in this library's rankings."""
        depth = self._settings.rerank_depth
        return self._second is not None and self._dense is not None and 0 < depth <= self._library

    @property
    def encoder(self) -> Encoder | None:
        """What encodes queries; ``None`` without a dense channel."""
        return self._dense[1] if self._dense else None

    def weighted(
        self, settings: RankSettings, *, second: SecondStage | None = None, encoder: Encoder | None = None
    ) -> Ranker:
        """The same open indexes with other weights, and perhaps another second stage or encoder.

        A second stage or an encoder comes only where this ranker has one.
        """
        return Ranker(
            self._store,
            self._lexical,
            (self._dense[0], encoder or self._dense[1]) if self._dense else None,
            settings=settings,
            second=(second or self._second) if self._second else None,
            degraded=self._degraded,
        )

    def over(self, store: HeadStore, lexical: LexicalIndex, dense: DenseIndex | None) -> Ranker:
        """The same encoder, weights and second stage over another library; lexical only without ``dense``."""
        return Ranker(
            store,
            lexical,
            (dense, self._dense[1]) if dense is not None and self._dense is not None else None,
            settings=self._settings,
            second=self._second,
            degraded=self._degraded,
        )

    def candidates(self, query: str) -> tuple[list[SkillId], npt.NDArray[np.float64]]:
        """What the second stage sees: ids of the first candidates and their features, for training it.

        Raises ``ValueError`` without a dense channel, or for a query without words.
        """
        scores = self._score(query.encode("utf-8", "replace").decode())
        from skillquiver.retrieve.features import candidate_features

        if self._dense is None or scores.cosines is None:
            raise ValueError("the second stage needs the dense channel and a query with words")
        first = self._first(_fuse(scores), self._settings.rerank_depth, hidden=True)
        return [skill.id for _, _, skill in first], candidate_features(
            scores, first, self._dense[0], self._cards
        )

    @cached_property
    def _cards(self) -> CardTerms:
        from skillquiver.retrieve.features import CardTerms  # a search by words does without

        return CardTerms(self._lexical)

    def _places_of(self, scores: FirstScores, count: int, *, hidden: bool) -> list[_Place]:
        """The places of ``count`` or more skills, hidden ones too, the head in the second stage's order."""
        depth = self._settings.rerank_depth
        again = self._second if scores.cosines is not None and 0 < depth <= self._library else None
        first = self._first(_fuse(scores), max(count, depth if again else 0), hidden=hidden)
        plain = [_Place(score, row, skill, score, rank) for rank, (score, row, skill) in enumerate(first, 1)]
        if again is None or self._dense is None:
            return plain
        head, tail = plain[:depth], plain[depth:]
        second = again.scores(scores, first[:depth], self._dense[0], self._cards)
        floor, lowest = head[-1].score, min(second)
        lifted = [
            replace(place, score=floor + value - lowest, second=value)
            for place, value in zip(head, second, strict=True)
        ]
        return sorted(lifted, key=lambda place: (-place.score, place.skill.id)) + tail

    def _first(
        self, fused: Sequence[tuple[int, float]], count: int, *, hidden: bool
    ) -> list[tuple[float, int, SkillHead]]:
        """(score, row, skill) best first, ties by id, until ``count`` of them may be shown.

        Hidden skills keep their places here, so that the second stage sees the same whoever asks. Rows
        that went meanwhile are skipped.
        """
        found: list[tuple[float, int, SkillHead]] = []
        for block in _blocks(fused, count):
            skills = self._store.heads([row for row, _ in block])
            found += [(score, row, skills[row]) for row, score in block if row in skills]
            if sum(hidden or not skill.hidden for _, _, skill in found) >= count:
                break
        found.sort(key=lambda entry: (-entry[0], entry[2].id))
        shown = (at for at, (_, _, skill) in enumerate(found, 1) if hidden or not skill.hidden)
        return found[: next(islice(shown, count - 1, None), len(found))]

    def _result(self, scores: FirstScores, rank: int, place: _Place, *, explain: bool) -> Ranked:
        evidence = self._evidence(scores, place, explain=explain)
        skill = place.skill
        return Ranked(
            rank=rank,
            row=place.row,
            id=skill.id,
            name=skill.name,
            description=skill.description,
            path=skill.path,
            kind=skill.kind,
            hidden=skill.hidden,
            score=place.score,
            confidence=confidence(evidence, terms=len(scores.terms), rank=rank, places=self._places),
            evidence=evidence,
        )

    # --- channels ----------------------------------------------------------------------------

    def _score(self, query: str) -> FirstScores:
        words = analyze(query)
        counts = Counter(words)
        scores = FirstScores(words=words, terms=self._lexical.rarest(counts))
        self._score_lexical(scores, counts)
        scores.windows = split_windows(query)
        if self._dense is not None and scores.windows:
            self._score_dense(scores, query, *self._dense)
        return scores

    def _score_lexical(self, scores: FirstScores, counts: Counter[str]) -> None:
        weights = self._settings
        full = self._lexical.search(scores.terms, Field.FULL, top_k=POOL)
        card = self._lexical.search(scores.terms, Field.CARD, top_k=POOL)
        damped = {term: 1 + math.log(count) for term, count in scores.terms.items()}
        name = self._lexical.search(damped, Field.NAME, top_k=POOL)
        scores.bm25 = {Field.FULL: dict(full), Field.CARD: dict(card), Field.NAME: dict(name)}
        scores.lexical_ranks = {row: rank for rank, (row, _) in enumerate(full, start=1)}
        unknown = set(counts) - set(scores.terms)
        scores.best_bm25 = math.fsum(
            weight * self._lexical.idf(term) * (K1 + 1)
            for term, weight in {**scores.terms, **dict.fromkeys(unknown, 1)}.items()
        )
        for channel, found, weight in (
            ("full text", full, weights.full_weight),
            ("card", card, weights.card_weight),
            ("name", name, weights.name_weight),
        ):
            scores.channels[channel] = standardise(found, library=self._library, weight=weight)

    def _score_dense(self, scores: FirstScores, query: str, dense: DenseIndex, encoder: Encoder) -> None:
        import numpy as np

        cosines = dense.cosines(encoder.encode(scores.windows))
        best = cosines.max(axis=1)
        scores.cosines = cosines
        count = min(POOL, len(best))
        top = np.argpartition(-best, count - 1)[:count] if count else np.empty(0, dtype=np.int64)
        top = top[np.lexsort((dense.rows[top], -best[top]))]
        pairs = [(int(dense.rows[i]), float(best[i])) for i in top]
        scores.dense_ranks = {row: rank for rank, (row, _) in enumerate(pairs, start=1)}
        weight = self._settings.dense_weight * (1.0 - cjk_share(query))
        scores.channels["dense"] = standardise(pairs, library=self._library, weight=weight)

    # --- what a result says about itself -------------------------------------------------------

    def _cosine(self, scores: FirstScores, row: int) -> tuple[float, int] | None:
        if scores.cosines is None or self._dense is None:
            return None
        import numpy as np

        at = int(np.searchsorted(self._dense[0].rows, row))
        if at >= len(self._dense[0].rows) or int(self._dense[0].rows[at]) != row:
            return None
        window = int(scores.cosines[at].argmax())
        return float(scores.cosines[at, window]), window

    def _evidence(self, scores: FirstScores, place: _Place, *, explain: bool) -> Evidence:
        row = place.row
        cosine = self._cosine(scores, row)
        coverage = scores.bm25[Field.FULL].get(row, 0.0) / scores.best_bm25 if scores.best_bm25 else 0.0
        return Evidence(
            channels={name: round(channel.of(row), 4) for name, channel in scores.channels.items()},
            first_score=place.first_score,
            first_rank=place.first_rank,
            second=place.second,
            coverage=round(coverage, 4),
            lexical_rank=scores.lexical_ranks.get(row),
            dense_rank=scores.dense_ranks.get(row),
            cosine=round(cosine[0], 4) if cosine else None,
            window=scores.windows[cosine[1]] if cosine else "",
            terms=self._lexical.term_scores(scores.terms, Field.FULL, row) if explain else None,
        )


def _fuse(scores: FirstScores) -> list[tuple[int, float]]:
    """Fused scores of every row that any channel found, also where no channel tells rows apart."""
    channels = list(scores.channels.values())
    fused = fuse(channels)
    told = {row for row, _ in fused}
    floor = math.fsum(channel.floor for channel in channels)
    return fused + [(row, floor) for row in sorted({*scores.bm25[Field.FULL], *scores.dense_ranks} - told)]


def _blocks(fused: Sequence[tuple[int, float]], size: int) -> Iterator[Sequence[tuple[int, float]]]:
    """Consecutive blocks of at least ``size`` rows that end where the score falls: ties stay together."""
    start = 0
    while start < len(fused):
        end = min(start + size, len(fused))
        while end < len(fused) and fused[end][1] == fused[end - 1][1]:
            end += 1
        yield fused[start:end]
        start = end

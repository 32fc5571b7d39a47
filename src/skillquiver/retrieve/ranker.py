"""Ranker: the first stage. A query becomes lexical and dense scores, and these one ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillquiver.index.analyze import cjk_share
from skillquiver.index.lexical import K1, Field, LexicalIndex, query_terms
from skillquiver.index.store import Store
from skillquiver.retrieve.confidence import confidence, status_of
from skillquiver.retrieve.fuse import POOL, Channel, fuse, standardise
from skillquiver.retrieve.ranking import Evidence, Ranked, Ranking
from skillquiver.retrieve.windows import split_windows
from skillquiver.settings import RankSettings
from skillquiver.skills.records import Skill
from skillquiver.types import Encoder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.index.dense import DenseIndex

__all__ = ["Ranker"]


@dataclass(slots=True)
class _Scores:
    """Everything one query produced, before it is cut to ``top_k``."""

    terms: Mapping[str, float]
    windows: Sequence[str] = ()
    channels: dict[str, Channel] = field(default_factory=dict)
    full: dict[int, float] = field(default_factory=dict)
    lexical_ranks: dict[int, int] = field(default_factory=dict)
    dense_ranks: dict[int, int] = field(default_factory=dict)
    cosines: npt.NDArray[np.float32] | None = None
    best_bm25: float = 0.0
    """The highest BM25 score any text could reach with these terms."""


class Ranker:
    """Ranks one library. Holds open indexes; safe to keep for many queries, in one thread."""

    def __init__(
        self,
        store: Store,
        lexical: LexicalIndex,
        dense: tuple[DenseIndex, Encoder] | None,
        *,
        settings: RankSettings,
        degraded: str = "",
    ) -> None:
        self._store, self._lexical, self._settings = store, lexical, settings
        self._dense = dense
        self._degraded = degraded
        self._library = store.count()
        self._places = min(POOL, self._library)

    def rank(self, query: str, *, top_k: int, explain: bool = False, hidden: bool = True) -> Ranking:
        """Rank the library for ``query``; any text is legal.

        ``explain`` adds the matched terms. Without ``hidden``, skills whose author asks that no model be
        offered them are left out.
        """
        query = query.encode("utf-8", "replace").decode()  # no encoder takes a lone surrogate
        scores = self._score(query)
        fused = _fuse(scores)
        first = self._first(fused, max(top_k, self._settings.judged), hidden=hidden)
        results = tuple(
            self._result(scores, rank, row, skill, score, explain=explain and rank <= top_k)
            for rank, (score, row, skill) in enumerate(first, start=1)
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

    def _first(
        self, fused: Sequence[tuple[int, float]], count: int, *, hidden: bool
    ) -> list[tuple[float, int, Skill]]:
        """(score, row, skill) of the ``count`` best, ties by id; rows that went meanwhile are skipped."""
        found: list[tuple[float, int, Skill]] = []
        for block in _blocks(fused, count):
            skills = self._store.skills([row for row, _ in block], body=False)
            found += [
                (score, row, skills[row])
                for row, score in block
                if row in skills and (hidden or not skills[row].hidden)
            ]
            if len(found) >= count:
                break
        return sorted(found, key=lambda entry: (-entry[0], entry[2].id))[:count]

    def _result(
        self, scores: _Scores, rank: int, row: int, skill: Skill, score: float, *, explain: bool
    ) -> Ranked:
        evidence = self._evidence(scores, row, explain=explain)
        return Ranked(
            rank=rank,
            row=row,
            id=skill.id,
            name=skill.name,
            description=skill.description,
            path=skill.path,
            kind=skill.kind.value,
            hidden=skill.hidden,
            score=score,
            confidence=confidence(
                evidence, score=score, terms=len(scores.terms), rank=rank, places=self._places
            ),
            evidence=evidence,
        )

    # --- channels ----------------------------------------------------------------------------

    def _score(self, query: str) -> _Scores:
        counts = query_terms(query)
        scores = _Scores(terms=self._lexical.rarest(counts))
        self._score_lexical(scores, counts)
        scores.windows = split_windows(query)
        if self._dense is not None and scores.windows:
            self._score_dense(scores, query, *self._dense)
        return scores

    def _score_lexical(self, scores: _Scores, counts: Counter[str]) -> None:
        weights = self._settings
        full = self._lexical.search(scores.terms, Field.FULL, top_k=POOL)
        card = self._lexical.search(scores.terms, Field.CARD, top_k=POOL)
        damped = {term: 1 + math.log(count) for term, count in scores.terms.items()}
        name = self._lexical.search(damped, Field.NAME, top_k=POOL)
        scores.full = dict(full)
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

    def _score_dense(self, scores: _Scores, query: str, dense: DenseIndex, encoder: Encoder) -> None:
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

    def _cosine(self, scores: _Scores, row: int) -> tuple[float, int] | None:
        if scores.cosines is None or self._dense is None:
            return None
        import numpy as np

        at = int(np.searchsorted(self._dense[0].rows, row))
        if at >= len(self._dense[0].rows) or int(self._dense[0].rows[at]) != row:
            return None
        window = int(scores.cosines[at].argmax())
        return float(scores.cosines[at, window]), window

    def _evidence(self, scores: _Scores, row: int, *, explain: bool) -> Evidence:
        cosine = self._cosine(scores, row)
        coverage = scores.full.get(row, 0.0) / scores.best_bm25 if scores.best_bm25 else 0.0
        return Evidence(
            channels={name: round(channel.of(row), 4) for name, channel in scores.channels.items()},
            coverage=round(coverage, 4),
            lexical_rank=scores.lexical_ranks.get(row),
            dense_rank=scores.dense_ranks.get(row),
            cosine=round(cosine[0], 4) if cosine else None,
            window=scores.windows[cosine[1]] if cosine else "",
            terms=self._lexical.term_scores(scores.terms, Field.FULL, row) if explain else None,
        )


def _fuse(scores: _Scores) -> list[tuple[int, float]]:
    """Fused scores of every row that any channel found, also where no channel tells rows apart."""
    channels = list(scores.channels.values())
    fused = fuse(channels)
    told = {row for row, _ in fused}
    floor = math.fsum(channel.floor for channel in channels)
    return fused + [(row, floor) for row in sorted({*scores.full, *scores.dense_ranks} - told)]


def _blocks(fused: Sequence[tuple[int, float]], size: int) -> Iterator[Sequence[tuple[int, float]]]:
    """Consecutive blocks of at least ``size`` rows that end where the score falls: ties stay together."""
    start = 0
    while start < len(fused):
        end = min(start + size, len(fused))
        while end < len(fused) and fused[end][1] == fused[end - 1][1]:
            end += 1
        yield fused[start:end]
        start = end

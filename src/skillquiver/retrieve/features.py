"""What the second stage looks at: one row of numbers for each of the first candidates of a query.

All of them compare a candidate with the query or with the other candidates. Nothing tells where a skill
comes from, how long it is or what it is about, so that nothing can be learned by heart about a library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from skillquiver.index.analyze import analyze
from skillquiver.index.heads import SkillHead
from skillquiver.index.lexical import Field, LexicalIndex, pair
from skillquiver.retrieve.scores import FirstScores

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from skillquiver.index.dense import DenseIndex

    Column = npt.NDArray[np.float64]

__all__ = ["FEATURES", "CardTerms", "candidate_features"]

CHANNELS = ("full text", "card", "name", "dense")

UNRANKED = 1500
"""Rank of what a channel's pool of 1,000 does not hold."""

REMEMBERED = 20_000
"""Texts whose terms are kept: those of a library of 10,000 skills, in some 10 MB."""

FEATURES = (
    *(f"{channel}: {what}" for channel in CHANNELS for what in ("z", "lead", "rank")),
    *("fused", "fused lead", "fused rank", "fused over tenth"),
    *("cosine", "cosine mean", "cosine first window", "cosine lead"),
    *(f"{field}: BM25 {what}" for field in ("name", "card", "full") for what in ("share", "ratio")),
    *("lexical rank", "dense rank", "like first", "like first five", "like all"),
    *("name coverage", "card coverage", "full coverage", "pair coverage", "pair coverage lead"),
    *("name told", "name terms told", "name told whole", "description told", "description told lead"),
    *("card pairs", "card pairs lead"),
)
"""Names of the columns.

*z* is a channel's weighted z-score, *lead* the distance to the best candidate (0 or less), *rank* the
logarithm of 1 + the place among the candidates. *Share* is BM25 over the highest any text could reach,
*ratio* over the best candidate's. *Coverage* is the idf of the query's terms, or pairs of neighbouring terms,
that a field holds, over that of all of them; *told* the same the other way round: how much of a name or a
description the query holds. *Like first* and the rest are cosines between cards of candidates.
"""


def candidate_features(
    first: FirstScores,
    candidates: Sequence[tuple[float, int, SkillHead]],
    dense: DenseIndex,
    cards: CardTerms,
) -> npt.NDArray[np.float64]:
    """Describe ``candidates``, (fused score, row, skill) best first: shape (candidates, ``FEATURES``)."""
    import numpy as np

    rows = [row for _, row, _ in candidates]
    columns: dict[str, Column] = {}
    fused = np.array([score for score, _, _ in candidates])
    _add_channels(columns, first, rows)
    columns["fused"], columns["fused lead"] = fused, fused - fused.max()
    columns["fused rank"] = np.log1p(np.arange(len(rows)))
    columns["fused over tenth"] = fused - fused[min(10, len(fused) - 1)]
    _add_cosines(columns, first, rows, dense)
    _add_bm25(columns, first, rows)
    for name, ranks in (("lexical rank", first.lexical_ranks), ("dense rank", first.dense_ranks)):
        columns[name] = np.log([float(ranks.get(row, UNRANKED)) for row in rows])
    lexical = cards.lexical
    told = _Told(first, lexical)
    _add_coverage(columns, told, rows, lexical)
    _add_told(columns, told, [skill for _, _, skill in candidates], cards)
    return np.column_stack([columns[name] for name in FEATURES])


def _add_channels(columns: dict[str, Column], first: FirstScores, rows: Sequence[int]) -> None:
    import numpy as np

    for name in CHANNELS:
        channel = first.channels[name]
        z = np.array([channel.of(row) for row in rows])
        place = np.argsort(np.argsort(-z, kind="stable"), kind="stable")
        columns[f"{name}: z"], columns[f"{name}: lead"] = z, z - z.max()
        columns[f"{name}: rank"] = np.log1p(place)


def _add_cosines(
    columns: dict[str, Column], first: FirstScores, rows: Sequence[int], dense: DenseIndex
) -> None:
    """Cosines with the query's windows, and between the candidates' cards; 0 for a skill without vector."""
    import numpy as np

    assert first.cosines is not None, "the second stage ranks with a dense channel only"
    at = np.searchsorted(dense.rows, rows)
    at[at == len(dense.rows)] = 0
    known = (dense.rows[at] == rows)[:, None]
    cosines = np.where(known, first.cosines[at], 0.0)
    best = cosines.max(axis=1)
    columns["cosine"], columns["cosine lead"] = best, best - best.max()
    columns["cosine mean"], columns["cosine first window"] = cosines.mean(axis=1), cosines[:, 0]
    vectors = np.where(known, dense.matrix[at], 0.0)
    like = vectors @ vectors.T
    count, own = len(rows), np.diagonal(like)
    few = min(5, count)
    columns["like first"] = like[:, 0]
    columns["like first five"] = (like[:, :few].sum(axis=1) - own * (np.arange(count) < few)) / few
    columns["like all"] = (like.sum(axis=1) - own) / max(count - 1, 1)


def _add_bm25(columns: dict[str, Column], first: FirstScores, rows: Sequence[int]) -> None:
    import numpy as np

    for field in (Field.NAME, Field.CARD, Field.FULL):
        scores = np.array([first.bm25[field].get(row, 0.0) for row in rows])
        columns[f"{field}: BM25 share"] = scores / (first.best_bm25 or 1.0)
        columns[f"{field}: BM25 ratio"] = scores / (scores.max() or 1.0)


class CardTerms:
    """Analysed names and descriptions with the idf they hold, kept from query to query."""

    def __init__(self, lexical: LexicalIndex) -> None:
        self.lexical = lexical
        self._known: dict[str, tuple[tuple[str, ...], frozenset[str], float]] = {}

    def of(self, text: str) -> tuple[tuple[str, ...], frozenset[str], float]:
        """Terms in order, distinct terms, and the idf of these together."""
        known = self._known.get(text)
        if known is None:
            terms = tuple(analyze(text))
            distinct = frozenset(terms)
            known = (terms, distinct, math.fsum(map(self.lexical.idf, distinct)))
            if len(self._known) < REMEMBERED:
                self._known[text] = known
        return known


class _Told:
    """What a query says: its terms and pairs of neighbouring terms, with their idf."""

    def __init__(self, first: FirstScores, lexical: LexicalIndex) -> None:
        self.terms = {term: lexical.idf(term) for term in first.terms}
        self.pairs = {
            (left, right): min(self.terms[left], self.terms[right])
            for left, right in dict.fromkeys(pairwise(first.words))
            if left in self.terms and right in self.terms
        }

    def share(self, distinct: frozenset[str], whole: float) -> float:
        """How much of these terms, ``whole`` by idf, the query holds."""
        return math.fsum(self.terms[t] for t in self.terms.keys() & distinct) / whole if whole else 0.0


def _add_coverage(
    columns: dict[str, Column], told: _Told, rows: Sequence[int], lexical: LexicalIndex
) -> None:
    import numpy as np

    pairs = {pair(left, right): weight for (left, right), weight in told.pairs.items()}
    asked: tuple[tuple[str, Field, Mapping[str, float]], ...] = (
        ("name coverage", Field.NAME, told.terms),
        ("card coverage", Field.CARD, told.terms),
        ("full coverage", Field.FULL, told.terms),
        ("pair coverage", Field.PAIRS, pairs),
    )
    for name, field, weights in asked:
        found = lexical.coverage(weights, field, rows)
        whole = math.fsum(weights.values()) or 1.0
        columns[name] = np.array([found.get(row, 0.0) / whole for row in rows])
    columns["pair coverage lead"] = columns["pair coverage"] - columns["pair coverage"].max()


def _add_told(columns: dict[str, Column], told: _Told, skills: Sequence[SkillHead], cards: CardTerms) -> None:
    import numpy as np

    names = [cards.of(skill.name) for skill in skills]
    described = [cards.of(skill.description) for skill in skills]
    held = [len(told.terms.keys() & distinct) for _, distinct, _ in names]
    columns["name told"] = np.array([told.share(distinct, whole) for _, distinct, whole in names])
    columns["name terms told"] = np.array(held, dtype=np.float64)
    columns["name told whole"] = np.array(
        [float(0 < count == len(distinct)) for count, (_, distinct, _) in zip(held, names, strict=True)]
    )
    share = np.array([told.share(distinct, whole) for _, distinct, whole in described])
    columns["description told"], columns["description told lead"] = share, share - share.max()
    whole = math.fsum(told.pairs.values()) or 1.0
    near = [
        told.pairs.keys() & {*pairwise(name), *pairwise(terms)}
        for (name, _, _), (terms, _, _) in zip(names, described, strict=True)
    ]
    pairs = np.array([math.fsum(told.pairs[one] for one in own) / whole for own in near])
    columns["card pairs"], columns["card pairs lead"] = pairs, pairs - pairs.max()

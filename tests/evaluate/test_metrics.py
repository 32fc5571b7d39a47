from __future__ import annotations

import math
from collections.abc import Sequence

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.evaluate.metrics import (
    RANKING_MEASURES,
    complete_at,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from skillquiver.evaluate.qrels import Task
from skillquiver.types import SkillId

RANKED = ["x", "a", "y", "b2", "c"]


def task(*gold: set[str]) -> Task:
    groups = tuple(frozenset(map(SkillId, group)) for group in gold)
    return Task(query_id="q", query="words", gold=groups)


def test_the_measures_of_a_ranking_are_those_worked_out_by_hand() -> None:
    wanted = task({"a"}, {"b", "b2"}, {"z"})  # at ranks 2, 4 and nowhere
    assert [hit_at(wanted, RANKED, k) for k in (1, 2, 5)] == [0, 1, 1]
    assert [recall_at(wanted, RANKED, k) for k in (1, 2, 4, 9)] == [0, 1 / 3, 2 / 3, 2 / 3]
    assert complete_at(wanted, RANKED, 9) == 0
    assert complete_at(task({"a"}, {"b", "b2"}), RANKED, 4) == 1
    assert complete_at(task({"a"}, {"b", "b2"}), RANKED, 3) == 0
    assert reciprocal_rank(wanted, RANKED) == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert ndcg_at(wanted, RANKED, 10) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert ndcg_at(wanted, RANKED, 2) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_a_second_equivalent_gains_nothing() -> None:
    wanted = task({"a", "b2"})
    assert recall_at(wanted, RANKED, 8) == 1
    assert ndcg_at(wanted, RANKED, 10) == pytest.approx(1 / math.log2(3))


def test_the_first_of_two_places_of_one_skill_counts() -> None:
    assert task({"a"}).places(["a", "x", "a"]) == (1,)


def test_an_empty_ranking_is_worth_nothing() -> None:
    assert {name: measure(task({"a"}, {"b"}), []) for name, measure in RANKING_MEASURES.items()} == (
        dict.fromkeys(RANKING_MEASURES, 0.0)
    )


THEIRS = {
    "hit@1": ir_measures.Success @ 1,
    "hit@5": ir_measures.Success @ 5,
    "recall@8": ir_measures.R @ 8,
    "MRR": ir_measures.RR,
    "nDCG@10": ir_measures.nDCG @ 10,
}
"""complete@k has no counterpart there: it is recall@k = 1."""


@given(st.permutations([f"s{i:02}" for i in range(20)]), st.sets(st.integers(0, 29), min_size=1))
def test_every_measure_agrees_with_an_independent_library(ranked: Sequence[str], gold: set[int]) -> None:
    wanted = task(*({f"s{i:02}"} for i in gold))
    qrels = [ir_measures.Qrel("q", f"s{i:02}", 1) for i in gold]
    run = [ir_measures.ScoredDoc("q", skill, -float(at)) for at, skill in enumerate(ranked)]
    theirs = ir_measures.calc_aggregate(THEIRS.values(), qrels, run)
    ours = {name: RANKING_MEASURES[name](wanted, ranked) for name in THEIRS}
    assert ours == pytest.approx({name: theirs[measure] for name, measure in THEIRS.items()})
    whole = RANKING_MEASURES["recall@8"](wanted, ranked) == 1
    assert RANKING_MEASURES["complete@8"](wanted, ranked) == whole

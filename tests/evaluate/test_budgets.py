"""Neighbours against as many ranks: what either side shows, and the exact test between them."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from skillquiver.evaluate import budgets
from skillquiver.evaluate.budgets import SIZES, Size, compare, corrected, recovery_rows, substitutions, units
from skillquiver.evaluate.layers import Layer
from skillquiver.evaluate.results import Interval
from tests.evaluate.graph_subjects import SETTINGS, relation
from tests.evaluate.ranked_subjects import layer, outcomes, query_set, task, world

BESIDE = layer(relation("a", "requires", "n"), relation("a", "precedes", "m"))
"""a has two neighbours, n before m."""


def shares(gold: str, size: Size, heads: str, cards: dict[str, int] | None = None) -> tuple[float, float]:
    """Whether neighbours and ranks alone show ``gold`` in one query."""
    queries = query_set(task("q", gold))
    (test,) = substitutions(world({"q": heads}, cards), [queries], [BESIDE], [size]).values()
    return test.one, test.other


# --- what is shown -----------------------------------------------------------------------------------


def test_the_first_size_is_the_published_one() -> None:
    assert (SIZES[0].base, SIZES[0].extra, SIZES[0].budget) == (1, 5, "skills")


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("a", (1, 1)),
        ("n", (1, 0)),  # a n m
        ("m", (1, 0)),
        ("b", (0, 1)),  # a b c: as many as a n m
        ("c", (0, 1)),
        ("d", (0, 0)),
    ],
)
def test_as_many_skills_are_as_many_as_there_were_neighbours(gold: str, expected: tuple[int, int]) -> None:
    assert shares(gold, Size(1, 5, "skills"), "a b c d e f") == expected


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("b", (0, 1)),  # a n m take 10 + 40 + 20: a 10 and b 30 leave 30
        ("c", (0, 0)),  # takes 35
        ("d", (0, 1)),  # takes 25
        ("e", (0, 1)),  # takes 5, and 5 are left
        ("f", (0, 0)),
    ],
)
def test_as_many_tokens_are_filled_with_whatever_ranks_fit(gold: str, expected: tuple[int, int]) -> None:
    cards = {"a": 10, "n": 40, "m": 20, "b": 30, "c": 35, "d": 25, "e": 5, "f": 1}
    assert shares(gold, Size(1, 5, "tokens"), "a b c d e f", cards) == expected


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("m", (1, 0)),
        ("d", (1, 1)),  # a n m b c d, and a b c d e f
        ("e", (0, 1)),
        ("g", (0, 0)),
    ],
)
def test_too_few_neighbours_are_filled_up_with_ranks(gold: str, expected: tuple[int, int]) -> None:
    assert shares(gold, Size(1, 5, "filled"), "a b c d e f g") == expected


def test_a_neighbour_that_is_a_rank_as_well_is_shown_once() -> None:
    assert shares("c", Size(1, 5, "filled"), "a n b m c d e") == (1, 1)  # a n m b c d, and a n b m c d
    assert shares("e", Size(1, 5, "filled"), "a n b m c d e") == (0, 0)


def test_neighbours_are_counted_on_average() -> None:
    queries = query_set(task("q", "n"), task("r", "n"))
    found = substitutions(world({"q": "a b", "r": "b a"}), [queries], [BESIDE], [Size(1, 5, "skills")])
    (test,) = found.values()
    assert test.neighbours == (2 + 0) / 2


# --- the test ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_comparison_is_mcnemars_of_statsmodels_with_wilson_shares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.random(60) < 0.6, rng.random(60) < 0.45
    queries = query_set(*(task(f"q{at}", "a") for at in range(60)))
    test = compare(outcomes(one.tolist()), outcomes(other.tolist()), queries, SETTINGS)
    first, second = int((one & ~other).sum()), int((other & ~one).sum())
    theirs = mcnemar([[int((one & other).sum()), first], [second, int((~one & ~other).sum())]], exact=True)
    assert test.found.p == pytest.approx(theirs.pvalue)
    assert (test.found.won, test.found.lost) == (first, second)
    assert (test.one, test.other) == (one.mean(), other.mean())
    assert test.found.difference.value == pytest.approx(one.mean() - other.mean())


def test_substitution_by_hand() -> None:
    """Six queries whose gold only neighbours show, one that only ranks show, three that both do."""
    gold = ["n"] * 6 + ["b"] + ["a"] * 3
    queries = query_set(*(task(f"q{at}", name) for at, name in enumerate(gold)))
    heads = {f"q{at}": "a b c" for at in range(10)}
    (test,) = substitutions(world(heads), [queries], [BESIDE], SIZES[:1]).values()
    assert (test.one, test.other) == (9 / 10, 4 / 10)
    assert (test.found.won, test.found.lost) == (6, 1)
    assert test.found.p == test.adjusted == 2 * (1 + 7) / 2**7
    assert test.by_gold == (1, 1)  # six times the same skill: by gold it is one against one
    assert test.p_by_gold == 1.0
    assert test.cells()[1:] == ("6 : 1", 0.125, 0.125, "1 : 1", 1.0)


def test_replicates_have_one_outcome_that_of_most_of_them() -> None:
    clusters = dict.fromkeys(("a1", "a2", "a3"), "a") | dict.fromkeys(("b1", "b2"), "b")
    values = {"a1": True, "a2": False, "a3": False, "b1": True, "b2": False, "c": True}
    assert units(values, clusters) == {"a": False, "b": True, "c": True}  # 1 of 3, 1 of 2, 1 of 1


def test_copies_of_queries_do_not_make_a_difference_surer() -> None:
    once = query_set(*(task(f"q{at}", "n") for at in range(6)))
    twice = query_set(*(task(f"q{at}", "n", cluster=f"q{at % 6}") for at in range(12)))
    hits, misses = outcomes([True] * 12), outcomes([False] * 12)
    few = compare(outcomes([True] * 6), outcomes([False] * 6), once, SETTINGS)
    assert compare(hits, misses, twice, SETTINGS).found == few.found
    assert few.found.p == 2 / 2**6


def test_all_tests_are_one_family_for_holm() -> None:
    queries = query_set(*(task(f"q{at}", "n") for at in range(10)))
    pairs = [(10, 0), (7, 0), (5, 4), (9, 1)]
    tests = {
        (str(at),): compare(
            outcomes([i < won for i in range(10)]),
            outcomes([i >= 10 - lost for i in range(10)]),
            queries,
            SETTINGS,
        )
        for at, (won, lost) in enumerate(pairs)
    }
    found = corrected(tests)
    theirs = multipletests([one.found.p for one in tests.values()], method="holm")[1]
    assert [one.adjusted for one in found.values()] == pytest.approx(list(theirs))


def test_no_query_is_no_evidence() -> None:
    test = compare({}, {}, query_set(), SETTINGS)
    assert (test.found.p, test.found.difference.n, test.by_gold) == (1.0, 0, (0, 0))


# --- layers and recovery -----------------------------------------------------------------------------


def test_each_layer_shows_only_its_own_neighbours() -> None:
    layers = [
        layer(relation("a", "requires", "n"), name="type requires"),
        layer(relation("a", "precedes", "m"), name="type precedes"),
    ]
    queries = query_set(*(task(f"q{at}", gold) for at, gold in enumerate("nnm")))
    tests = substitutions(world({f"q{at}": "a b c" for at in range(3)}), [queries], layers, SIZES[:1])
    table = budgets.layer_table("set", tests, layers)
    rows = {row[0]: row[1:5] for row in table.rows}
    assert rows == {"type requires": (1, 1.0, 2 / 3, 0.0), "type precedes": (1, 1.0, 1 / 3, 0.0)}
    both = budgets.substitution_table("set", tests, "hybrid")
    assert [row[0] for row in both.rows] == ["type requires 1 + 5, skills", "type precedes 1 + 5, skills"]
    assert budgets.layer_table("another set", tests, layers).rows == ()


def recovered(*gold: str, among: Layer = BESIDE) -> tuple[object, ...]:
    queries = query_set(*(task(f"q{at}", names) for at, names in enumerate(gold)))
    heads = {f"q{at}": "a b c d e f g" for at in range(len(gold))}
    return recovery_rows(world(heads), queries, among)


def test_recovery_asks_only_where_the_entry_is_wrong() -> None:
    # a is right once; n and m stand beside it, c is among ranks 2 to 6, g is the seventh
    row = recovered("a", "n", "c", "g", "m|c")
    name, wrong, beside, ranks, both, only_beside, only_ranks = row
    assert (name, wrong) == ("set, typed", 4)
    assert (both, only_beside, only_ranks) == (1, 1, 1)
    for share in (beside, ranks):
        assert isinstance(share, Interval)
        assert share.value == 2 / 4
        low, high = proportion_confint(2, 4, method="wilson")
        assert [share.low, share.high] == pytest.approx([low, high])


def test_where_no_entry_is_wrong_nothing_can_be_recovered() -> None:
    assert recovered("a", "a") == ("set, typed", 0, None, None, 0, 0, 0)

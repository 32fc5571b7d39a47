from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.errors import UsageError
from skillquiver.evaluate.joining import joined
from skillquiver.evaluate.qrels import Query
from skillquiver.evaluate.splits import Item, folds_of, query_items

SETS = st.lists(st.frozensets(st.integers(0, 12), max_size=3), max_size=25)


def query(query_id: str, *gold: str, text: str = "", task: str = "") -> Query:
    return Query(query_id=query_id, query=text or query_id, gold=gold, task=task)


@given(SETS)
def test_items_are_joined_exactly_if_a_chain_of_common_keys_leads_from_one_to_the_other(
    keys: list[frozenset[int]],
) -> None:
    first = joined(keys)
    groups: dict[int, set[int]] = defaultdict(set)
    for own, at in zip(keys, first, strict=True):
        groups[at] |= own
    members = list(groups.values())
    assert all(a.isdisjoint(b) for i, a in enumerate(members) for b in members[i + 1 :])
    assert all(first[at] == at for at in first)
    for at in set(first):  # one group cannot be parted: whatever is reached from its first item is all of it
        own = [i for i, one in enumerate(first) if one == at]
        reached, known = {at}, set(keys[at])
        for _ in own:
            reached |= {i for i in own if keys[i] & known}
            known |= {key for i in reached for key in keys[i]}
        assert reached == set(own)


@given(SETS, st.integers(2, 4), st.integers(0, 3))
def test_no_key_stands_in_two_folds_and_every_item_is_in_one(
    keys: list[frozenset[int]], count: int, seed: int
) -> None:
    items = [Item(str(at), frozenset(own)) for at, own in enumerate(keys)]
    if len(set(joined(keys))) < count:
        with pytest.raises(UsageError, match="cannot make"):
            folds_of(items, count, seed=seed)
        return
    folds = folds_of(items, count, seed=seed)
    where: dict[int, set[int]] = defaultdict(set)
    for own, fold in zip(keys, folds, strict=True):
        for key in own:
            where[key].add(fold)
    assert all(len(found) == 1 for found in where.values())
    assert set(folds) == set(range(count))


def test_folds_hold_as_many_of_every_set_and_do_not_depend_on_the_order_of_lines() -> None:
    items = [Item(f"{set_}{at}", frozenset({(set_, at)}), set_) for set_ in "ab" for at in range(10)]
    folds = folds_of(items, 5, seed=0)
    assert [folds[:10].count(fold) for fold in range(5)] == [2] * 5
    assert [folds[10:].count(fold) for fold in range(5)] == [2] * 5
    assert folds_of(items[::-1], 5, seed=0) == folds[::-1]
    assert folds_of(items, 5, seed=1) != folds


def test_queries_are_joined_by_gold_equivalents_text_and_task() -> None:
    queries = [
        query("1", "a"),
        query("2", "b"),  # as good as a
        query("3", "c", text="Same  words"),
        query("4", "d", text="same words"),
        query("5", "e", task="t"),
        query("6", "f", task="t"),
        query("7"),
    ]
    items = query_items(queries, {"a": ["b"]}, stratum="set")
    assert joined([item.keys for item in items]) == [0, 0, 2, 2, 4, 4, 6]


def test_one_fold_is_no_split() -> None:
    with pytest.raises(UsageError, match="at least 2"):
        folds_of([Item("a", frozenset())], 1, seed=0)

"""Label files: which skills a path means, and what is wrong with a line."""

from __future__ import annotations

import json

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate.labels import OrderEdge, read_order, read_references
from skillquiver.types import SkillId

IDS = [SkillId(i) for i in ("lib/pool/acme/a", "lib/pool/acme/b", "lib/pool/other/a", "lib/pool/other/c")]


def line(**row: str) -> str:
    return json.dumps({"relation": "next", **row})


def test_a_path_relative_to_a_folder_below_the_root_means_the_skills_there() -> None:
    text = line(before="acme/a", after="acme/b", corpus="acme+skills")
    (edge,), labels = read_order(text, origin="x", ids=IDS)
    assert edge == OrderEdge(SkillId("lib/pool/acme/a"), SkillId("lib/pool/acme/b"), "next", "acme+skills")
    assert labels.told("x") == ()


def test_of_two_folders_the_one_that_holds_both_ends_is_meant() -> None:
    (edge,), _ = read_order(line(before="a", after="c"), origin="x", ids=IDS)
    assert (edge.before, edge.after) == ("lib/pool/other/a", "lib/pool/other/c")


def test_pairs_that_the_library_does_not_hold_or_holds_twice_are_counted_and_left_out() -> None:
    twice = [*IDS, SkillId("copy/acme/a"), SkillId("copy/acme/b")]
    text = "\n".join([line(before="acme/a", after="acme/b"), "", line(before="acme/a", after="acme/gone")])
    edges, labels = read_order(text, origin="order.jsonl", ids=twice)
    assert (edges, labels.missing) == ((), 2)
    assert labels.told("order.jsonl")[0].startswith("2 of 2 pairs of order.jsonl are left out")


def test_the_corpus_is_the_first_part_of_the_path_and_one_more_below_a_root_label() -> None:
    text = "\n".join(
        [line(before="acme/a", after="acme/b"), line(before="lib/pool/acme/a", after="lib/pool/acme/b")]
    )
    edges, _ = read_order(text, origin="x", ids=IDS)
    assert [edge.corpus for edge in edges] == ["acme", "lib/pool"]


def test_a_pair_given_twice_counts_once() -> None:
    edges, _ = read_order("\n".join([line(before="acme/a", after="acme/b")] * 2), origin="x", ids=IDS)
    assert len(edges) == 1


def test_references_name_their_ends_src_and_dst() -> None:
    (found,), _ = read_references(
        line(src="acme/b", dst="acme/a", relation="uses", tier="A"), origin="x", ids=IDS
    )
    assert (found.source, found.target, found.relation) == ("lib/pool/acme/b", "lib/pool/acme/a", "uses")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "o.jsonl, line 1: not JSON"),
        ("\n[]", "o.jsonl, line 2: must be an object with before, after and relation"),
        ('{"after": "a"}', "o.jsonl, line 1: `before` must be a text"),
        ('{"before": "acme/a", "after": "acme/b", "relation": 1}', "`relation` must be a text"),
        (
            '{"before": "acme/a", "after": "acme/b", "relation": "next", "corpus": ""}',
            "`corpus` must be a text",
        ),
        ("\n\n", "o.jsonl holds no pair"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_order(text, origin="o.jsonl", ids=IDS)

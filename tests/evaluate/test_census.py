"""The census: composition, directions claimed both ways, and pairs of known order."""

from __future__ import annotations

import random
from dataclasses import replace

from skillquiver.evaluate.census import run
from skillquiver.evaluate.labels import OrderEdge, Reference
from skillquiver.graph.relations import Provenance, Relation
from skillquiver.graph.resolve import dropped_claim, resolve
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.types import Finding, SkillId
from tests.evaluate.graph_subjects import GraphSubject, cells, inputs, relation, subject_of, table_of, value

NAMES = " ".join(f"s{i:02}" for i in range(60))


def known(n: int) -> tuple[OrderEdge, ...]:
    """s00 before s01, s02 before s03, …, six to a corpus."""
    return tuple(
        OrderEdge(SkillId(f"test/s{2 * i:02}"), SkillId(f"test/s{2 * i + 1:02}"), "next", f"corpus{i // 3}")
        for i in range(n)
    )


def turned(relations: list[Relation]) -> list[Relation]:
    return [replace(r, source=r.target, target=r.source) for r in relations]


def order_row(*relations: Relation) -> dict[str, object]:
    section = run(subject_of(NAMES, *relations), inputs(order=known(30)))
    return dict(cells(table_of(section, "Pairs of known order"), "all"))


def test_reversing_every_edge_swaps_right_and_reversed() -> None:
    stated = [relation(f"s{2 * i:02}", "precedes", f"s{2 * i + 1:02}") for i in range(24)]
    stated += [relation(f"s{2 * i + 1:02}", "requires", f"s{2 * i:02}") for i in range(24, 27)]
    straight, reversed_ = order_row(*stated), order_row(*turned(stated))
    assert value(straight["right"]) == value(reversed_["reversed"]) == 27 / 30
    assert value(straight["reversed"]) == value(reversed_["right"]) == 0
    assert straight["absent"] == reversed_["absent"]
    assert value(reversed_["reversed of those with a direction"]) == 1


def test_edges_at_random_state_half_of_their_pairs_in_the_wrong_direction() -> None:
    coin = random.Random(3)
    stated = [relation(f"s{2 * i:02}", "precedes", f"s{2 * i + 1:02}") for i in range(30)]
    row = order_row(*[turned([r])[0] if coin.random() < 0.5 else r for r in stated])
    assert 0.3 < value(row["reversed"]) < 0.7


def test_a_relation_without_direction_is_told_from_none_at_all() -> None:
    row = order_row(
        relation("s00", "complements", "s01"),
        relation("s02", "similar_to", "s03", Provenance.INFERRED),
        relation("s04", "verifies", "s05"),  # what is checked comes first: s05
    )
    assert value(row["no direction"]) == 1 / 30
    assert value(row["absent"]) == 28 / 30
    assert value(row["reversed"]) == 1 / 30


def test_the_source_that_carries_the_right_pairs_is_named() -> None:
    both = replace(relation("s00", "precedes", "s01"), proposed_by=("artifact", "reference"))
    section = run(
        subject_of(
            NAMES, both, relation("s02", "precedes", "s03"), relation("s05", "precedes", "s04", by="tool")
        ),
        inputs(order=known(30)),
    )
    carriers = table_of(section, "Who carries")
    assert carriers.rows == (
        ("reference", 2, 0, 1, 2 / 30),
        ("artifact", 1, 0, 0, 1 / 30),
        ("tool", 0, 1, 0, 0.0),
    )
    assert "The source that carries them is reference: 2 of 2, 1 by it alone." in section.answer
    assert sum(section.samples["order stated right"].values()) == 2


def test_claims_both_ways_are_counted_from_what_resolution_dropped() -> None:
    claims = [
        relation("a", "requires", "b", confidence=0.9),
        relation("b", "requires", "a", confidence=0.7),  # contradicts, loses
        relation("b", "precedes", "c", confidence=0.9),
        relation("c", "precedes", "d", confidence=0.9),
        relation("d", "precedes", "b", confidence=0.6),  # closes a cycle
        relation("a", "complements", "d"),
    ]
    ids = [SkillId(f"test/{name}") for name in "abcd"]
    resolved = resolve(claims, {i: f"/{i}" for i in ids})
    subject = subject_of("a b c d", *resolved.relations, graph_findings=resolved.findings)
    section = run(subject, inputs())
    table = table_of(section, "Directed claims")
    assert table.rows == (
        ("requires", 2, 1, 0, 1, 1, 1, 1.0),
        ("precedes", 3, 2, 1, 0, 3, 0, 0.0),
        ("what comes first", 5, 3, 1, 1, 4, 1, 0.25),
    )
    assert "Evidence named an order for 4 pairs, and for 1 (25.0%) of them both orders" in section.answer


def test_a_dropped_claim_is_read_back_from_its_finding_and_nothing_else_is() -> None:
    ids = {"r/x requires y", "r/x", "r/z"}
    finding = Finding("relation-cycle", "p", "r/x requires y precedes r/z closes the cycle a → b", "none")
    claim = dropped_claim(finding, ids)
    assert claim is not None
    assert (claim.source, claim.type, claim.target, claim.upstream) == (
        "r/x requires y",
        "precedes",
        "r/z",
        "r/x requires y",
    )
    assert dropped_claim(replace(finding, code="empty-body"), ids) is None
    assert dropped_claim(replace(finding, message="nobody precedes r/z closes the cycle"), ids) is None
    other = replace(
        finding, message="r/x specializes r/z contradicts r/z specializes r/x", code="relation-overridden"
    )
    claim = dropped_claim(other, ids)
    assert claim is not None
    assert claim.upstream is None


def test_references_are_counted_by_label_and_family() -> None:
    def reference(a: str, b: str, label: str) -> Reference:
        return Reference(SkillId(f"test/{a}"), SkillId(f"test/{b}"), label, "one")

    section = run(
        subject_of("a b c d", relation("a", "complements", "b"), relation("c", "requires", "d")),
        inputs(
            references=(
                reference("a", "b", "related"),
                reference("a", "c", "related"),
                reference("c", "d", "alternative"),
                reference("d", "c", "mention"),
            )
        ),
    )
    table = table_of(section, "Pairs one of which names the other")
    assert value(cells(table, "related")["related"]) == 0.5
    assert value(cells(table, "related")["family agrees, of those related"]) == 1.0
    assert value(cells(table, "alternative")["family agrees, of those related"]) == 0.0
    assert cells(table, "mention")["family agrees, of those related"] is None
    assert value(cells(table, "all")["related"]) == 0.75


def test_a_library_without_graph_or_order_is_told_what_is_missing() -> None:
    section = run(
        GraphSubject({}, SkillGraph.of((), ()), graph_told="no graph; run `quiver graph build`"),
        inputs(notes={"order": ("3 of 3 pairs are left out",)}),
    )
    assert section.warnings[:2] == ("no graph; run `quiver graph build`", "3 of 3 pairs are left out")
    assert "--order" in section.warnings[2]
    nothing = run(subject_of(NAMES), inputs(order=known(3)))
    assert "No candidate source carries them." in nothing.answer
    assert "only 3 pairs of known order" in nothing.warnings[0]

"""Precision from a reader's verdicts: by hand, by statsmodels' rules, and with a graph at random."""

from __future__ import annotations

import math
import random

import pytest
from scipy.stats import norm

from skillquiver.evaluate.audit import run, stratified
from skillquiver.evaluate.sheet import Verdict
from skillquiver.graph.audit import sample_edges
from skillquiver.graph.relations import Provenance
from tests.evaluate.graph_subjects import cells, inputs, relation, subject_of, table_of, value

RIGHT, WRONG = Verdict(strict=True, loose=True), Verdict(strict=False, loose=False)


def test_the_weighted_estimate_is_the_one_worked_out_by_hand() -> None:
    common, rare = ("complements", "derived"), ("requires", "derived")
    sample = [(common, True)] * 3 + [(common, False)] + [(rare, True), (rare, False)]
    found = stratified({common: 90, rare: 10, ("verifies", "derived"): 50}, sample)
    assert found is not None
    assert found.value == pytest.approx(0.9 * 0.75 + 0.1 * 0.5)  # 0.725; nobody judged verifies
    one = 0.9**2 * (1 - 4 / 90) * (4 / 6) * (2 / 6) / 4
    two = 0.1**2 * (1 - 2 / 10) * 0.5 * 0.5 / 2
    assert found.low == pytest.approx(0.725 - norm.ppf(0.975) * math.sqrt(one + two))
    assert found.n == 6
    assert stratified({common: 1}, []) is None


def test_a_kind_that_was_judged_whole_leaves_no_doubt() -> None:
    found = stratified({("requires", "curated"): 2}, [(("requires", "curated"), True)] * 2)
    assert found is not None
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_the_weighted_estimate_covers_the_truth_as_often_as_it_says() -> None:
    dice = random.Random(0)
    sizes = {("complements", "derived"): 800, ("requires", "derived"): 120, ("precedes", "derived"): 60}
    shares = (0.9, 0.6, 0.8)
    truth = {g: [i < round(n * p) for i in range(n)] for (g, n), p in zip(sizes.items(), shares, strict=True)}
    whole = sum(map(sum, truth.values())) / 980
    hits = 0
    for _ in range(400):
        sample = [(group, v) for group, found in truth.items() for v in dice.sample(found, 15)]
        interval = stratified(sizes, sample)
        assert interval is not None
        hits += interval.low <= whole <= interval.high
    assert 0.9 <= hits / 400 <= 1


def test_precision_is_told_by_kind_source_and_for_the_whole_graph() -> None:
    relations = [relation(f"a{i}", "complements", f"b{i}") for i in range(8)]
    relations += [
        relation(f"a{i}", "feeds_into", f"b{i}", Provenance.ARTIFACT, by="artifact") for i in range(2)
    ]
    names = " ".join(f"a{i} b{i}" for i in range(8))
    audit = {(r.source, r.target, r.type.value): RIGHT for r in relations[:4]}
    audit[relations[8].source, relations[8].target, "feeds_into"] = WRONG
    section = run(subject_of(names, *relations), inputs(audit=audit))
    kinds = table_of(section, "Precision by type and provenance")
    assert [row[:3] for row in kinds.rows] == [("feeds_into, artifact", 2, 1), ("complements, derived", 8, 4)]
    assert value(cells(kinds, "complements, derived")["strict, of the sample"]) == 1.0
    sources = table_of(section, "Precision by candidate source")
    assert value(cells(sources, "artifact")["loose, of the sample"]) == 0.0
    whole = cells(table_of(section, "Precision of the whole"), "all")
    assert value(whole["loose, of the sample"]) == 4 / 5
    assert value(whole["loose, of the graph"]) == pytest.approx(0.8 * 1 + 0.2 * 0)
    assert "4 of 5 are loosely right" in section.answer
    assert section.warnings == ()


def test_edges_at_random_are_as_right_as_chance_has_it() -> None:
    names = [f"s{i:02}" for i in range(30)]
    true = {(f"test/s{i:02}", f"test/s{j:02}") for i in range(30) for j in range(i) if (i + j) % 5 == 0}
    dice = random.Random(2)
    pairs = {tuple(dice.sample(names, 2)) for _ in range(300)}
    graph = subject_of(" ".join(names), *(relation(a, "routes_to", b) for a, b in sorted(pairs))).graph
    sample = sample_edges(graph, 120, per_group=120)
    reader = {(r.source, r.target, r.type.value): RIGHT if r.pair[::-1] in true else WRONG for r in sample}
    subject = subject_of(" ".join(names), *graph.relations)
    found = cells(table_of(run(subject, inputs(audit=reader)), "Precision of the whole"), "all")[
        "loose, of the graph"
    ]
    base = len(true) / (30 * 29 / 2)
    assert found.low <= base <= found.high  # type: ignore[union-attr]


def test_verdicts_that_do_not_count_are_told() -> None:
    edge = relation("a", "requires", "b")
    like = relation("a", "similar_to", "b", Provenance.INFERRED)
    audit = {
        ("test/a", "test/b", "requires"): Verdict(strict=None, loose=True),
        ("test/a", "test/b", "similar_to"): RIGHT,
        ("test/b", "test/a", "precedes"): RIGHT,
    }
    subject = subject_of("a b c", edge, like, relation("a", "routes_to", "c"))
    section = run(subject, inputs(audit=audit))
    assert section.warnings == (
        "1 of 3 judged relations are not in this graph and do not count",
        "1 verdicts on `similar_to` do not count: it holds by definition",
        "1 of 2 typed relations are of kinds that nobody judged; the estimate of the graph leaves them out",
        "1 rows have only one of the two verdicts",
    )
    assert "strictly" not in section.answer


@pytest.mark.parametrize("audit", [None, {}])
def test_without_a_sheet_the_section_says_how_to_make_one(audit: object) -> None:
    section = run(subject_of("a b", relation("a", "requires", "b")), inputs(audit=audit))
    assert "quiver graph audit --sample" in section.warnings[0]
    assert section.tables == ()

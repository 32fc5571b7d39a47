"""Order put to use: p and q by hand, on a library that was really indexed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from skillquiver.evaluate.bundle_order import packed_orders
from skillquiver.evaluate.following import asked_steps
from skillquiver.evaluate.labels import OrderEdge
from skillquiver.evaluate.masking import cuts_of
from skillquiver.evaluate.qrels import Query, QuerySet, judge
from skillquiver.evaluate.results import Interval
from skillquiver.evaluate.sequence import run, success
from skillquiver.evaluate.subject import RANKERS, Rebuild
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.retrieve.diffuse import Arm
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.library import open_library
from skillquiver.serve.usecases.subject import LibrarySubject
from skillquiver.testing import HashEncoder
from skillquiver.types import SkillId
from tests.evaluate.graph_subjects import SETTINGS, cells, inputs, subject_of, table_of, value
from tests.libraries import index, put


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibrarySubject]:
    """Two kitchens whose skills say what comes next, and one that does not."""
    home = tmp_path_factory.mktemp("sequence")
    root = home / "lib"
    for place in ("east", "west"):
        folder = f"{place}/{place}"
        put(root, f"{folder}-knead", f"Kneads dough in {place}.", f"Next step: `{place}-proof`.")
        put(root, f"{folder}-proof", f"Lets loaves rise, {place}.", f"Next step: `{place}-oven`.")
        put(
            root,
            f"{folder}-oven",
            f"Heats stones, {place}.",
            f"## Prerequisites\n\nRun `{place}-proof` first.",
        )
    put(root, "north/north-wash", "Washes pots and pans.")
    put(root, "north/north-dry", "Dries pots and pans.")
    index(home / "library", root)
    build_library_graph(home / "library")
    with ExitStack() as stack:
        library = stack.enter_context(
            open_library(home / "library", encoders=lambda _: (HashEncoder(), ""), second=lambda: (None, ""))
        )
        yield LibrarySubject(library)


def edge(before: str, after: str, relation: str = "next") -> OrderEdge:
    place = before.partition("-")[0]
    ids = (SkillId(f"lib/{place}/{name}") for name in (before, after))
    return OrderEdge(*ids, relation, place)


ORDER = (
    edge("east-knead", "east-proof"),
    edge("east-proof", "east-oven"),
    edge("west-knead", "west-proof"),
    edge("north-wash", "north-dry"),
    edge("west-proof", "west-oven", "prerequisite"),
)


def test_the_two_formulas() -> None:
    assert success(0.5, 0.8, 1) == (0.5, 0.5)
    assert success(0.5, 0.8, 4) == pytest.approx((0.0625, 0.256))  # 0.5^4; 0.5 * 0.8^3
    assert success(0.7, 0.7, 6)[0] == pytest.approx(success(0.7, 0.7, 6)[1])  # break-even


def test_steps_are_asked_of_the_product_and_of_a_search(subject: LibrarySubject) -> None:
    asked = asked_steps(subject, ORDER, RANKERS["hybrid"])
    graph = {(one.measure, one.key.rpartition("/")[2]): one.graph for one in asked}
    assert graph == {
        ("next@1", "east-knead"): True,
        ("next@1", "east-proof"): True,
        ("next@1", "north-wash"): False,
        ("next@1", "west-knead"): True,
        ("next@5", "east-proof"): True,
        ("next@5", "east-oven"): True,
        ("next@5", "north-dry"): False,
        ("next@5", "west-proof"): True,
        ("next@5, any group", "east-proof"): True,
        ("next@5, any group", "east-oven"): True,
        ("next@5, any group", "north-dry"): False,
        ("next@5, any group", "west-proof"): True,
        ("prerequisite@5", "west-oven"): True,
    }
    search = {one.key: one.search for one in asked if one.measure == "next@1"}
    assert search["lib/north/north-wash"]  # the only other skill with pots and pans


def test_bundles_that_follow_relations_are_in_order(subject: LibrarySubject) -> None:
    packed = packed_orders(subject, ORDER, SETTINGS)
    assert len(packed) == len(ORDER) * len(Arm)
    right = {one.key: one.right for one in packed if one.arm is Arm.REVERSE and "north" not in one.key}
    assert set(right.values()) == {True}


def test_the_model_is_the_product_of_its_chances(subject: LibrarySubject) -> None:
    section = run(subject, inputs(order=ORDER))
    steps = cells(table_of(section, "The step beside"), "next@1")
    assert value(steps["next"]) == 3 / 4
    even = cells(table_of(section, "p and q"), "entry of tasks made of two descriptions")
    p = value(even["p, break-even of q"])
    assert value(even["q, next@1"]) == 3 / 4
    assert value(even["q - p"]) == pytest.approx(3 / 4 - p)
    model = table_of(section, "All of n steps")
    for n in range(1, 9):
        row = cells(model, str(n))
        assert value(row["pⁿ, searching for each"]) == pytest.approx(p**n)
        assert value(row["p·qⁿ⁻¹, following"]) == pytest.approx(p * 0.75 ** (n - 1))
        gain = row["gain"]
        assert isinstance(gain, Interval)
        assert gain.low <= gain.value <= gain.high
    assert any("no queries" in warning for warning in section.warnings)
    assert "by candidate source: reference" in section.answer
    assert len(section.plots) == 1
    assert len(section.plots[0].series[0].low) == 8


def queries(*pairs: tuple[str, str], subject: LibrarySubject) -> QuerySet:
    made = [Query(query_id=str(i), query=text, gold=(gold,)) for i, (text, gold) in enumerate(pairs)]
    return judge(made, list(subject.skills), {}, name="kitchen")


def test_with_queries_p_is_their_hit_at_one(subject: LibrarySubject) -> None:
    asked = queries(
        ("Kneads dough in east", "lib/east/east-knead"),
        ("Washes pots", "lib/north/north-wash"),
        ("Washes pots", "lib/east/east-oven"),  # the same words: one task, half right
        ("Washes pans", "lib/east/east-oven"),
        ("nothing of this kind is held", "lib/gone"),
        subject=subject,
    )
    section = run(subject, inputs(order=ORDER, sets=(asked,)))
    even = cells(table_of(section, "p and q"), "hit@1 on kitchen")
    assert value(even["p, break-even of q"]) == pytest.approx((1 + 0.5 + 0) / 3)
    assert not any("no queries" in warning for warning in section.warnings)


def test_one_corpus_gives_no_intervals(subject: LibrarySubject) -> None:
    section = run(subject, inputs(order=ORDER[:2]))
    row = cells(table_of(section, "All of n steps"), "2")
    assert isinstance(row["gain"], float)
    assert any("all pairs are of one corpus" in warning for warning in section.warnings)
    assert any("no doubt about q" in warning for warning in section.warnings)
    assert "is open: the interval holds zero" in section.answer


def test_prerequisites_alone_say_nothing_of_q(subject: LibrarySubject) -> None:
    section = run(subject, inputs(order=ORDER[-1:]))
    assert any("no pair is labelled `next`" in warning for warning in section.warnings)
    assert [table.caption.split()[0] for table in section.tables] == ["The", "Order"]
    other = run(subject, inputs(order=(replace(ORDER[0], relation="before"),)))
    assert table_of(other, "The step beside").rows == ()


def test_a_graph_that_knows_nothing_does_not_help(subject: LibrarySubject) -> None:
    class Unwired(LibrarySubject):
        graph = SkillGraph.of((), ())

        def following(self, skill_id: SkillId, *, top_k: int):  # type: ignore[no-untyped-def]
            found = super().following(skill_id, top_k=top_k)
            return dict.fromkeys(found, ())

    near = tuple(edge(a, b) for a, b in (("north-wash", "north-dry"), ("east-knead", "east-proof")))
    section = run(Unwired(subject.library), inputs(order=near))
    assert value(cells(table_of(section, "The step beside"), "next@1")["next"]) == 0.0
    assert "by candidate source" not in section.answer


def test_without_the_quoted_lines_the_graph_shows_less(subject: LibrarySubject) -> None:
    order = (
        replace(ORDER[0], evidence="Next step: `east-proof`."),
        replace(ORDER[2], evidence="[Body] Next step: `west-proof`."),
        *ORDER[3:],
    )
    section = run(subject, inputs(order=order))
    table = table_of(section, "The step beside")
    assert cells(table, "next@1")["right"] == 2
    assert cells(table, "next@1, quoted lines cut out")["right"] == 0
    assert "Built without the lines that the labels quote, it shows a right one first for 0" in section.answer
    cut = Rebuild(cuts=cuts_of(order))
    assert subject.rebuilt(cut) is subject.rebuilt(cut)  # built once


def test_without_order_the_section_says_what_to_write() -> None:
    section = run(subject_of("a b", graph_told="no graph"), inputs())
    assert section.warnings[0] == "no graph"
    assert "--order" in section.warnings[1]
    assert section.tables == ()

"""Faults put in on purpose: every experiment must show them, on a library that was really indexed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from skillquiver.evaluate.qrels import Query
from skillquiver.evaluate.results import Interval, Section
from skillquiver.serve.usecases.evaluating import QueryFiles, run_experiment
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.settings import EvalSettings
from tests.evaluate.graph_subjects import cells, table_of, value
from tests.evaluate.library import QUERIES, SUBJECTS, description, noun, opened, write
from tests.libraries import index, put

SETTINGS = EvalSettings(draws=300, ranker="hybrid")
NAMES = [noun(subject) for subject in SUBJECTS]
PAIRS = tuple(zip(NAMES[::2], NAMES[1::2], strict=True))
"""Six pairs of skills that share no word."""

ON_QUERIES = ("rankers", "arms", "ladder", "ablation")


def built(folder: Path, relation: str, pairs: Sequence[tuple[str, str]]) -> Path:
    """The library with curated relations from the first to the second of each pair."""
    for subject in SUBJECTS:
        put(folder / "root", noun(subject), description(subject), f"Notes on {subject}.")
    lines = [f"  - {{source: {a}, type: {relation}, target: {b}, reason: known}}" for a, b in pairs]
    (folder / "root" / "relations.yaml").write_text(
        "\n".join(["version: 1", "relations:", *lines, ""]), encoding="utf-8"
    )
    index(folder / "library", folder / "root")
    build_library_graph(folder / "library")
    return folder / "library"


def turned(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(b, a) for a, b in pairs]


def run(library: Path, name: str, *files: Path, **options: object) -> Section:
    given = QueryFiles(queries=files, **options)  # type: ignore[arg-type]
    with opened(library) as subject:
        return run_experiment(subject, name, given, SETTINGS, command=name)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("faults"), "precedes", PAIRS)


@pytest.fixture(scope="module")
def reversed_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("reversed"), "precedes", turned(PAIRS))


# --- shuffled gold -----------------------------------------------------------------------------------


def rotated(by: int) -> tuple[Query, ...]:
    """Every query wants the skill of the one that comes ``by`` later."""
    n = len(QUERIES)
    return tuple(
        replace(query, query_id=f"{query.query_id}+{by}", gold=QUERIES[(at + by) % n].gold)
        for at, query in enumerate(QUERIES)
    )


def test_every_ranker_falls_to_chance_when_gold_is_shuffled(library: Path, tmp_path: Path) -> None:
    """Over twelve rotations each skill is gold of each query once: whatever comes first, in 1 of 12."""
    right = run(library, "rankers", write(tmp_path / "right.jsonl", QUERIES))
    all_ways = tuple(query for by in range(len(QUERIES)) for query in rotated(by))
    shuffled = run(library, "rankers", write(tmp_path / "shuffled.jsonl", all_ways))
    names = [str(row[0]) for row in table_of(right, "right: 12 queries").rows]
    assert names == ["bm25 card", "bm25", "dense", "hybrid"]
    for ranker in names:
        assert value(cells(table_of(right, "right: 12 queries"), ranker)["hit@1"]) > 0.9
        found = cells(table_of(shuffled, "shuffled: 144 queries"), ranker)["hit@1"]
        assert isinstance(found, Interval)
        assert (found.value, found.n) == (pytest.approx(1 / 12), 12)


def test_no_arm_or_rung_profits_from_shuffled_gold(library: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "shuffled.jsonl", rotated(3))  # no relation joins a query's skill with its gold
    arms = table_of(run(library, "arms", file), "shuffled, bundle: skills of")
    assert {value(cells(arms, arm)["available recall"]) for arm in ("flat", "forward", "reverse")} == {0.0}
    ladder = run(library, "ladder", file)
    rungs = table_of(ladder, "shuffled: 12 queries, gold")
    assert value(cells(rungs, "hybrid@1")["hit"]) == value(cells(rungs, "hybrid@1 + typed")["hit"]) == 0.0
    assert "There is no evidence that it does." in ladder.answer


# --- reversed edges ----------------------------------------------------------------------------------


@pytest.fixture
def both_ends(tmp_path: Path) -> tuple[Path, Path]:
    """Queries for the first and for the second of each pair; both want both."""
    files = []
    for name, side in (("first", 0), ("second", 1)):
        queries = [
            replace(query, gold=tuple(f"root/{end}" for end in pair))
            for pair in PAIRS
            for query in QUERIES
            if query.gold == (f"root/{pair[side]}",)
        ]
        files.append(write(tmp_path / f"{name}.jsonl", queries))
    return files[0], files[1]


def completeness(library: Path, files: Sequence[Path]) -> Mapping[tuple[str, str], float]:
    """(set, arm) → share of complete bundles."""
    section = run(library, "arms", *files)
    return {
        (name, arm): value(cells(table_of(section, f"{name}, bundle: skills of"), arm)["completeness"])
        for name in ("first", "second")
        for arm in ("flat", "forward", "reverse")
    }


def test_with_reversed_edges_the_forward_arm_completes_the_other_ends(
    library: Path, reversed_library: Path, both_ends: tuple[Path, Path]
) -> None:
    right, wrong = completeness(library, both_ends), completeness(reversed_library, both_ends)
    assert (right["first", "forward"], right["second", "forward"]) == (1.0, 0.0)
    assert (wrong["first", "forward"], wrong["second", "forward"]) == (0.0, 1.0)
    for found in (right, wrong):  # both ways is both ways, and none is none
        assert (found["first", "reverse"], found["second", "reverse"]) == (1.0, 1.0)
        assert (found["first", "flat"], found["second", "flat"]) == (0.0, 0.0)


def test_with_reversed_requirements_completeness_falls(tmp_path: Path, both_ends: tuple[Path, Path]) -> None:
    right = completeness(built(tmp_path / "right", "requires", PAIRS), both_ends)
    wrong = completeness(built(tmp_path / "wrong", "requires", turned(PAIRS)), both_ends)
    assert (right["first", "reverse"], wrong["first", "reverse"]) == (1.0, 0.0)


def test_with_reversed_edges_known_order_is_stated_the_wrong_way(
    library: Path, reversed_library: Path, tmp_path: Path
) -> None:
    order = tmp_path / "order.jsonl"
    rows = [{"before": a, "after": b, "relation": "next", "corpus": a} for a, b in PAIRS]
    order.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    shares = []
    for folder in (library, reversed_library):
        section = run(folder, "sequence", order=order)
        bundles = cells(table_of(section, "Order in bundles"), "reverse")
        step = cells(table_of(section, "The step beside"), "next@1")
        stated = run(folder, "census", order=order).samples["order stated right"]
        shares.append((value(bundles["in the right order"]), value(step["next"]), sum(stated.values())))
    assert shares == [(1.0, 1.0, 6.0), (0.0, 0.0, 0.0)]


# --- duplicated queries ------------------------------------------------------------------------------


def doubts_of(section: Section) -> Mapping[tuple[int, str, str], Interval | float | str]:
    """Every interval, p-value and score of tasks in the tables."""
    return {
        (at, str(row[0]), column): cell
        for at, table in enumerate(section.tables)
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, Interval) or column.startswith("p") or " : " in column
        if cell is not None and not isinstance(cell, int)
    }


@pytest.mark.parametrize("name", ON_QUERIES)
def test_copies_of_every_query_make_nothing_surer(library: Path, tmp_path: Path, name: str) -> None:
    partner = dict((*PAIRS, *turned(PAIRS)))
    others = [replace(query, gold=(f"root/{partner[NAMES[at]]}",)) for at, query in enumerate(QUERIES)]
    hard = (*QUERIES[::2], *others[1::2])  # half of the queries want the other skill of their pair
    again = tuple(replace(query, query_id=f"{query.query_id} again") for query in hard)
    once = doubts_of(run(library, name, write(tmp_path / "once" / "set.jsonl", hard)))
    twice = doubts_of(run(library, name, write(tmp_path / "twice" / "set.jsonl", (*hard, *again))))
    assert len(once) > 10
    assert twice == once


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    for name in ("once", "twice"):
        (tmp_path / name).mkdir()


# --- echoes ------------------------------------------------------------------------------------------


ECHOES = tuple(
    Query(query_id=f"echo{at}", query=description(subject), gold=(f"root/{noun(subject)}",))
    for at, subject in enumerate(SUBJECTS)
)


@pytest.mark.parametrize("name", ON_QUERIES)
def test_queries_that_repeat_descriptions_are_flagged_and_can_be_rejected(
    library: Path, tmp_path: Path, name: str
) -> None:
    file = write(tmp_path / "set.jsonl", ECHOES)
    flagged = run(library, name, file).warnings
    assert any(text.startswith("set: an echo set: 12 of 12 queries repeat") for text in flagged)
    rejected = run(library, name, file, reject_echo=True)
    assert "set: 12 of 12 queries repeat a description: left out" in rejected.warnings
    assert not any("an echo set" in text for text in rejected.warnings)
    assert rejected.samples == {}
    honest = run(library, name, write(tmp_path / "once" / "set.jsonl", QUERIES)).warnings
    assert not any("echo" in text or "repeat" in text for text in honest)


def test_without_its_echoes_a_set_has_the_figures_of_its_other_queries(library: Path, tmp_path: Path) -> None:
    mixed = write(tmp_path / "set.jsonl", (*QUERIES, *ECHOES[:3]))  # 3 of 15: more than a tenth
    assert any("an echo set: 3 of 15" in text for text in run(library, "rankers", mixed).warnings)
    left = run(library, "rankers", mixed, reject_echo=True)
    plain = run(library, "rankers", write(tmp_path / "once" / "set.jsonl", QUERIES))
    assert (left.tables, left.samples) == (plain.tables, plain.samples)


def test_a_single_echo_makes_no_echo_set(library: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "set.jsonl", (*QUERIES, ECHOES[0]))  # 1 of 13: less than a tenth
    assert not any("echo" in text for text in run(library, "rankers", file).warnings)

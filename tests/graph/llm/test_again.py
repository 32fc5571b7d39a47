from __future__ import annotations

from dataclasses import replace

from skillquiver.testing import make_skill
from skillquiver.types import SkillId
from tests.graph.llm.bench import CHART, FACTS, PARSE, TABLE, Bench, edges
from tests.graph.llm.provider import edge, knows
from tests.graph.llm.support import ONE_BY_ONE

# --- what is asked, and what is not asked again ------------------------------------------------------


def test_nothing_changed_costs_no_call_and_gives_the_same_relations(bench: Bench) -> None:
    bench.provider.brain = knows(*FACTS)
    first = bench.run()
    sent = len(bench.provider.asked)
    second = bench.run()
    assert len(bench.provider.asked) == sent
    assert second.relations == first.relations
    assert (second.report.calls, second.report.cached_pairs) == (0, 2)


def test_finding_nothing_is_remembered_as_well(bench: Bench) -> None:
    assert bench.run().relations == ()
    assert bench.run().report.calls == 0
    assert bench.provider.roles() == ["focus"]


def test_after_editing_one_skill_one_call_asks_about_all_its_pairs_and_one_checks_directions(
    bench: Bench,
) -> None:
    names = [f"s{i}" for i in range(8)]
    skills = tuple(make_skill(name) for name in names)
    ring = {skills[i].id: [skills[(i + 1) % 8].id, skills[(i + 2) % 8].id] for i in range(8)}
    bench.provider.brain = knows(*((f"test/s{i}", "precedes", f"test/s{i + 1}") for i in range(7)))
    before = bench.run(skills, ring)
    edited = tuple(make_skill(s.name, body="new text") if s.name == "s3" else s for s in skills)
    bench.provider.asked.clear()
    after = bench.run(edited, ring)
    judge, swap = bench.provider.asked
    assert (judge.role, judge.main) == ("focus", "test/s3")
    assert judge.targets == ("test/s1", "test/s2", "test/s4", "test/s5")  # s3 lists two, two list s3
    assert (swap.role, swap.main, swap.targets) == ("reference", "test/s3", ("test/s2", "test/s4"))
    assert edges(after) == edges(before)


def test_a_moved_skill_keeps_its_judgments(bench: Bench) -> None:
    bench.provider.brain = knows(*FACTS)
    bench.run()
    moved = replace(PARSE, id=SkillId("test/zoo/parse"))
    run = bench.run((moved, CHART, TABLE), {CHART.id: [moved.id, TABLE.id]})
    assert run.report.calls == 0
    assert edges(run) == [("chart", "alternative_to", "table"), ("chart", "requires", "zoo/parse")]


def test_another_model_asks_again(bench: Bench) -> None:
    bench.run()
    assert bench.run(protocol="anthropic").report.calls == 1


def test_a_pair_listed_from_both_ends_is_asked_about_once(bench: Bench) -> None:
    run = bench.run(candidates={CHART.id: [PARSE.id], PARSE.id: [CHART.id, PARSE.id, "test/gone"]})
    assert (run.report.pairs, run.report.calls, run.report.ignored_candidates) == (1, 1, 2)


def test_two_ids_with_the_same_text_share_one_judgment(bench: Bench) -> None:
    twin = replace(PARSE, id=SkillId("test/twin"))
    bench.provider.brain = lambda a: {"relations": [edge(t, "complements", "from_focus") for t in a.targets]}
    run = bench.run((PARSE, twin, CHART), {CHART.id: [PARSE.id, twin.id], PARSE.id: [twin.id]})
    assert bench.provider.asked[0].targets == ("test/parse",)
    assert edges(run) == [("chart", "complements", "parse"), ("chart", "complements", "twin")]
    assert run.report.ignored_candidates == 1


def test_a_hub_is_asked_in_even_shares(bench: Bench) -> None:
    hub, spokes = make_skill("hub"), [make_skill(f"spoke{i}") for i in range(5)]
    candidates = {s.id: [hub.id] for s in spokes}
    bench.run((hub, *spokes), candidates, replace(ONE_BY_ONE, max_candidates=4))
    assert [(a.main, len(a.targets)) for a in bench.provider.asked] == [("test/hub", 3), ("test/hub", 2)]

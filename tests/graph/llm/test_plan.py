from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skillquiver.graph.llm.budget import Budget, Prices, request_tokens
from skillquiver.graph.llm.plan import DryRun, plan, render_plan
from skillquiver.graph.llm.prompts import judge_request
from skillquiver.graph.llm.protocol import Usage
from skillquiver.graph.llm.report import render_report
from skillquiver.settings import LlmSettings
from skillquiver.skills.records import Skill
from tests.graph.llm.bench import CHART, FACTS, PARSE, SKILLS, STAR, TABLE, Bench
from tests.graph.llm.provider import knows
from tests.graph.llm.support import ONE_BY_ONE

PRICED = replace(ONE_BY_ONE, input_price=1.0, output_price=5.0)


def dry(bench: Bench, skills: tuple[Skill, ...] = SKILLS, settings: LlmSettings = PRICED) -> DryRun:
    """The dry run of the bench's library."""
    candidates: Any = STAR
    return plan(skills, candidates, model="openai:test-model", cache=bench.cache, settings=settings)


def test_a_dry_run_counts_the_calls_and_tokens_of_the_run_that_follows(bench: Bench) -> None:
    expected = dry(bench)
    assert bench.provider.asked == []
    report = bench.run().report
    assert expected.calls == report.judge.calls == 1
    counted = request_tokens(judge_request(CHART, [PARSE, TABLE], ONE_BY_ONE))
    assert expected.input_tokens == pytest.approx(counted, rel=0.03)


def test_after_a_run_nothing_is_left_to_pay(bench: Bench) -> None:
    bench.provider.brain = knows(*FACTS)
    bench.run()
    done = dry(bench)
    assert (done.calls, done.swap_calls, done.price, done.ceiling) == (0, 0, 0.0, 0.0)
    assert (done.pairs, done.cached_pairs) == (2, 2)


def test_a_claim_that_was_not_checked_is_planned_as_one_swap_call(bench: Bench) -> None:
    bench.provider.brain = knows(*FACTS)
    bench.run()
    bench.cache._db.execute("DELETE FROM judgments WHERE round='swap'")
    assert (dry(bench).calls, dry(bench).swap_calls) == (0, 1)


def test_the_price_is_tokens_times_prices_and_below_the_ceiling(bench: Bench) -> None:
    whole = dry(bench)
    by_hand = (whole.usage.input_tokens * 1.0 + whole.usage.output_tokens * 5.0) / 1e6
    assert whole.price == pytest.approx(by_hand)
    assert whole.ceiling is not None
    assert by_hand < whole.ceiling


def test_without_prices_the_dry_run_says_what_is_missing(bench: Bench) -> None:
    assert "unknown: give input_price and output_price" in render_plan(dry(bench, settings=ONE_BY_ONE))


def test_a_dry_run_reads_in_five_lines(bench: Bench) -> None:
    lines = render_plan(dry(bench)).splitlines()
    assert [line.split()[0] for line in lines] == ["pairs", "calls", "judge", "swap", "price"]
    assert lines[0] == "pairs        2 (0 judged before)"


def test_a_report_names_calls_tokens_cost_and_what_was_rejected(bench: Bench) -> None:
    bench.provider.script = [knows(FACTS[0]), lambda _: {"relations": []}]
    text = render_report(bench.run(settings=PRICED).report)
    assert text.splitlines() == [
        "model        openai:test-model",
        "pairs        2 (0 judged before)",
        "calls        1 judge + 1 swap; 2 requests sent",
        "tokens       2,000 in, 100 out",
        "cost         $0.0025",
        "relations    0 (0 without a quote)",
        "rejected     1: not found again with the skills swapped",
        "time         0.0 s",
    ]


def test_money_in_flight_counts_until_it_is_settled() -> None:
    request = judge_request(CHART, [PARSE], ONE_BY_ONE)
    prices = Prices(1.0, 5.0)
    one = Budget(prices, 100.0).reserve(request)
    assert one is not None
    budget = Budget(prices, one * 2.5)
    assert [budget.reserve(request), budget.reserve(request)] == [one, one]
    budget.settle(one, Usage(0, 0))
    assert budget.reserve(request) == one  # 1 in flight + 1 new: fits
    budget.settle(one, Usage(0, 0))
    budget.settle(one, Usage(1_000_000, 0))  # nothing in flight, one dollar spent
    assert budget.spent == pytest.approx(1.0)
    assert budget.reserve(request) is None
    assert budget.exhausted

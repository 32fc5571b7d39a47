from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillquiver.errors import LlmError, UsageError
from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.protocol import Failure, Usage
from skillquiver.testing import make_skill
from tests.graph.llm.bench import CHART, FACTS, PARSE, SKILLS, TABLE, Bench, edges
from tests.graph.llm.provider import Asked, Raw, knows, openai_error
from tests.graph.llm.support import ONE_BY_ONE

# --- what fails --------------------------------------------------------------------------------------


def test_a_rate_limit_waits_as_long_as_the_provider_says(bench: Bench) -> None:
    bench.provider.script = [openai_error(429, "rate_limit_exceeded", "slow down", retry_after="17")]
    report = bench.run().report
    assert bench.clock.slept == [17.0]
    assert (report.judge.calls, report.judge.attempts) == (1, 2)
    assert report.judge.failures == {Failure.RATE_LIMIT: 1}


def test_a_retry_date_is_read_with_the_clock(bench: Bench) -> None:
    # The clock stands at 1,800,000,000 s = Fri, 15 Jan 2027 08:00:00 GMT.
    when = "Fri, 15 Jan 2027 08:00:30 GMT"
    bench.provider.script = [openai_error(429, "x", "slow down", retry_after=when)]
    bench.run()
    assert bench.clock.slept == [30.0]


def test_a_server_that_stays_down_is_given_up_after_growing_pauses_and_asked_in_the_next_run(
    bench: Bench,
) -> None:
    bench.provider.brain = lambda _: Raw(500, b"{}")
    report = bench.run().report
    assert (report.judge.failed, report.judge.attempts, report.unjudged_pairs) == (1, 5, 2)
    for pause, longest in zip(bench.clock.slept, (2, 4, 8, 16), strict=True):
        assert longest / 2 <= pause < longest  # jitter in [0.5, 1)
    bench.provider.brain = knows(*FACTS)
    assert len(bench.run().relations) == 2


def test_a_wait_beyond_the_limit_is_not_waited(bench: Bench) -> None:
    bench.provider.script = [openai_error(429, "x", "come back tomorrow", retry_after="86400")]
    assert bench.run().report.judge.failed == 1
    assert bench.clock.slept == []


def test_a_malformed_answer_is_asked_once_more_and_paid_for(bench: Bench) -> None:
    bench.provider.script = [lambda _: '{"relations": [{"target": "test/par']
    bench.provider.brain = knows(FACTS[1])
    report = bench.run().report
    assert report.judge.failures == {Failure.MALFORMED: 1}
    assert report.usage == Usage(2000, 100)
    assert report.relations == 1


@pytest.mark.parametrize("arguments", ["[]", '{"edges": []}', '{"relations": [], "more": 1}', "null"])
def test_arguments_of_another_shape_are_refused_twice_and_then_left(arguments: str, bench: Bench) -> None:
    bench.provider.brain = lambda _: arguments
    report = bench.run().report
    assert (report.judge.attempts, report.judge.failed, report.unjudged_pairs) == (2, 1, 2)
    assert report.judge.failures == {Failure.MALFORMED: 2}


def test_a_request_the_provider_refuses_is_not_repeated_and_stops_nothing_else(bench: Bench) -> None:
    bench.provider.script = [openai_error(400, "content_filter", "filtered")]
    run = bench.run(candidates={CHART.id: [PARSE.id]})
    assert run.report.judge.failures == {Failure.REFUSED_REQUEST: 1}
    assert run.report.unjudged_pairs == 1


def test_a_failed_swap_check_leaves_its_claim_out_until_the_next_run(bench: Bench) -> None:
    bench.provider.script = [knows(FACTS[0]), openai_error(400, "x", "no")]
    run = bench.run()
    assert (run.relations, run.report.unchecked_claims) == ((), 1)
    bench.provider.brain = knows(*FACTS)
    again = bench.run()
    assert edges(again) == [("chart", "requires", "parse")]
    assert (again.report.judge.attempts, again.report.swap.attempts) == (0, 1)


def test_a_denied_key_ends_the_run_with_what_was_judged_before_kept(bench: Bench) -> None:
    candidates = {CHART.id: [PARSE.id], TABLE.id: [make_skill("other").id]}
    skills = (*SKILLS, make_skill("other"))
    bench.provider.script = [lambda _: {"relations": []}, openai_error(401, "x", "expired")]
    with pytest.raises(LlmError, match="expired"):
        bench.run(skills, candidates)
    assert bench.run(skills, candidates).report.judge.attempts == 1


def test_a_provider_that_serves_nothing_ends_the_run_after_eight_calls_and_what_was_judged_is_kept(
    bench: Bench,
) -> None:
    skills = tuple(make_skill(f"s{i:02}") for i in range(40))
    pairs = {skills[i].id: [skills[i + 1].id] for i in range(0, 40, 2)}
    bench.provider.script = [lambda _: {"relations": []}]
    bench.provider.brain = lambda _: Raw(503, b"{}")
    with pytest.raises(LlmError, match=r"none of 8 calls in a row \(server-error\)"):
        bench.run(skills, pairs)
    # One call is answered, and eight are tried five times; a ninth may have begun when the run ended.
    assert 1 + 8 * 5 <= len(bench.provider.asked) <= 1 + 9 * 5
    bench.provider.brain = lambda _: {"relations": []}
    assert bench.run(skills, pairs).report.calls == 19


def test_requests_that_are_refused_one_by_one_end_no_run(bench: Bench) -> None:
    skills = tuple(make_skill(f"s{i:02}") for i in range(24))
    pairs = {skills[i].id: [skills[i + 1].id] for i in range(0, 24, 2)}
    bench.provider.brain = lambda _: openai_error(400, "content_filter", "filtered")
    assert bench.run(skills, pairs).report.unjudged_pairs == 12


class _Killed(BaseException):
    """Stands for the process ending."""


class _DiesAfter(SqliteJudgmentCache):
    """A cache whose process ends before it keeps the answer after ``left`` others."""

    left = 0

    def put_all(self, values: Any) -> None:
        if not self.left:
            raise _Killed
        self.left -= 1
        super().put_all(values)


def test_a_killed_run_goes_on_where_it_stopped(bench: Bench, tmp_path: Path) -> None:
    skills = tuple(make_skill(f"s{i}") for i in range(8))
    pairs = {skills[i].id: [skills[i + 1].id] for i in range(0, 8, 2)}
    bench.provider.brain = knows(*((f"test/s{i}", "requires", f"test/s{i + 1}") for i in range(0, 8, 2)))
    dying = _DiesAfter.open(tmp_path / "killed.sqlite3")
    dying.left = 6  # 4 judge calls, 2 of 4 swap calls
    bench.cache = dying
    with pytest.raises(_Killed):
        bench.run(skills, pairs)
    dying.close()
    bench.provider.asked.clear()
    bench.cache = SqliteJudgmentCache.open(tmp_path / "killed.sqlite3")
    run = bench.run(skills, pairs)
    bench.cache.close()
    assert bench.provider.roles() == ["reference", "reference"]
    assert len(run.relations) == 4


# --- money and concurrency ---------------------------------------------------------------------------

PRICED = replace(ONE_BY_ONE, input_price=1.0, output_price=5.0)


def test_the_cost_is_what_the_provider_counted_at_the_given_prices(bench: Bench) -> None:
    bench.provider.brain = knows(*FACTS)
    # 2 calls of 1,000 in and 50 out: 2,000 / 1e6 * $1 + 100 / 1e6 * $5
    assert bench.run(settings=PRICED).report.cost == pytest.approx(0.0025)


def test_no_call_starts_that_could_exceed_the_spend_limit(bench: Bench) -> None:
    skills = tuple(make_skill(f"s{i}") for i in range(20))
    pairs = {skills[i].id: [skills[i + 1].id] for i in range(0, 20, 2)}
    # A call is paid 0.00125 but may cost about 0.014 (2,410 tokens out, input times 1.5): it starts while
    # 0.014 are left, so of 0.02 at most (0.02 - 0.014) / 0.00125 + 1 = 5 calls are made.
    settings = replace(PRICED, max_spend=0.02, concurrency=4)
    report = bench.run(skills, pairs, settings).report
    assert report.stopped_by_limit
    assert report.cost is not None
    assert report.cost <= 0.02
    assert 0 < report.calls < 10
    assert report.unjudged_pairs == 10 - report.calls
    assert len(bench.provider.asked) == report.calls


def test_a_limit_below_one_call_sends_nothing(bench: Bench) -> None:
    report = bench.run(settings=replace(PRICED, max_spend=0.0001)).report
    assert (bench.provider.asked, report.cost, report.stopped_by_limit) == ([], 0.0, True)


def test_a_limit_without_prices_is_a_usage_error(bench: Bench) -> None:
    with pytest.raises(UsageError, match="input_price and output_price"):
        bench.run(settings=replace(ONE_BY_ONE, max_spend=1.0))


def test_an_answer_without_usage_is_charged_at_its_worst_case(bench: Bench) -> None:
    def silent(asked: Asked) -> Any:
        call = {"function": {"name": "report_relations", "arguments": '{"relations": []}'}}
        return {"choices": [{"message": {"tool_calls": [call]}}], "usage": None}

    bench.provider.brain = silent
    report = bench.run(settings=PRICED).report
    assert report.judge.estimated == 1
    assert report.usage.output_tokens == 300 + 2_000 + 2 * 110


def test_calls_run_side_by_side_up_to_the_bound(bench: Bench) -> None:
    skills = tuple(make_skill(f"s{i}") for i in range(12))
    pairs = {skills[i].id: [skills[i + 1].id] for i in range(0, 12, 2)}
    together, lock = threading.Barrier(3, timeout=30), threading.Lock()
    active: list[int] = [0]
    most: list[int] = [0]

    def meet(asked: Asked) -> Any:
        with lock:
            active[0] += 1
            most[0] = max(most[0], active[0])
        together.wait()  # passes only if three calls are under way
        with lock:
            active[0] -= 1
        return {"relations": []}

    bench.provider.brain = meet
    assert bench.run(skills, pairs, replace(ONE_BY_ONE, concurrency=3)).report.calls == 6
    assert most[0] == 3


def test_concurrency_changes_nothing_about_the_result(bench: Bench, tmp_path: Path) -> None:
    skills = tuple(make_skill(f"s{i}") for i in range(10))
    pairs = {skills[i].id: [s.id for s in skills[i + 1 : i + 4]] for i in range(9)}
    bench.provider.brain = knows(*((f"test/s{i}", "precedes", f"test/s{i + 1}") for i in range(9)))
    one = bench.run(skills, pairs)
    bench.cache = SqliteJudgmentCache.open(tmp_path / "other.sqlite3")
    many = bench.run(skills, pairs, replace(ONE_BY_ONE, concurrency=6))
    bench.cache.close()
    assert many.relations == one.relations
    assert len(one.relations) == 9

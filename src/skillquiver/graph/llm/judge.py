"""The LLM judge: candidates to relations, in two rounds of calls with everything kept in between."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from skillquiver.graph.doctor import open_findings
from skillquiver.graph.llm.answers import Claim, read_answer
from skillquiver.graph.llm.budget import Budget, prices_of
from skillquiver.graph.llm.cache import JudgmentCache
from skillquiver.graph.llm.calls import Caller, Job
from skillquiver.graph.llm.pairs import Call, Pair, cover, pairs_of
from skillquiver.graph.llm.prompts import judge_request, swap_request
from skillquiver.graph.llm.protocol import Clock, LlmClient, ToolReply, ToolRequest
from skillquiver.graph.llm.report import CallTally, LlmReport
from skillquiver.graph.llm.swap import (
    JUDGE,
    SWAP,
    Verdict,
    agreed,
    is_directed,
    key_of,
    read_verdict,
    write_verdict,
)
from skillquiver.graph.relations import NO_EVIDENCE, RELATION_TYPES, Evidence, Provenance, Relation, pair_of
from skillquiver.graph.sources import Candidate, Corpus, Judgement
from skillquiver.settings import LlmSettings
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["LlmJudge", "LlmRun", "candidate_lists", "judge_with_llm"]


@dataclass(frozen=True, slots=True)
class LlmRun:
    """Relations of provenance ``llm``, sorted, and what they cost."""

    relations: tuple[Relation, ...]
    report: LlmReport


def judge_with_llm(
    skills: Sequence[Skill],
    candidates: Mapping[SkillId, Sequence[SkillId]],
    *,
    client: LlmClient,
    cache: JudgmentCache,
    settings: LlmSettings,
    clock: Clock,
) -> LlmRun:
    """Judge every pair of ``candidates`` that has no judgment yet, and return the relations of all of them.

    First round: one call per changed skill over the union of its pairs. Second round: one call per skill of
    the first round that claims a direction, over all those claims, with the skills swapped. Nothing changed:
    no call. An interrupted run goes on where it stopped: each call is kept when it ends.
    Raises ``LlmError`` where no call can work, ``UsageError`` for a spend limit without prices.
    """
    started, by_id = clock.now(), {skill.id: skill for skill in skills}
    todo, budget = pairs_of(by_id, candidates), Budget(prices_of(settings), settings.max_spend)
    desk = _Desk(by_id, cache, Caller(client, budget, settings, clock))
    missing = [pair for pair in todo.pairs if desk.verdict(pair, JUDGE) is None]
    judge = desk.ask(cover(desk.once(missing), settings.max_candidates), JUDGE)
    swap = desk.ask(_swap_calls(desk, todo.pairs), SWAP)
    relations, unchecked = _settle(desk, todo.pairs)
    report = LlmReport(
        model=client.model,
        pairs=len(todo.pairs),
        cached_pairs=len(todo.pairs) - len(missing),
        judge=judge,
        swap=swap,
        relations=len(relations),
        rejected=dict(sorted(desk.rejected.items())),
        unjudged_pairs=sum(desk.verdict(pair, JUDGE) is None for pair in todo.pairs),
        unchecked_claims=unchecked,
        without_quote=sum(not relation.evidence.quote for relation in relations),
        ignored_candidates=todo.ignored,
        cost=budget.cost,
        stopped_by_limit=budget.exhausted,
        seconds=clock.now() - started,
    )
    return LlmRun(relations, report)


@dataclass(frozen=True, slots=True)
class _Round:
    """How a round asks, and how the skill its calls are about is called there."""

    role: Literal["focus", "reference"]
    request: Callable[[Skill, Sequence[Skill], LlmSettings], ToolRequest]


_ROUNDS: Mapping[str, _Round] = {
    JUDGE: _Round("focus", judge_request),
    SWAP: _Round("reference", swap_request),
}


@dataclass(frozen=True, slots=True)
class _Desk:
    """Skills, kept judgments and the caller of one run."""

    skills: Mapping[SkillId, Skill]
    cache: JudgmentCache
    caller: Caller
    rejected: Counter[str] = field(default_factory=Counter)
    known: dict[tuple[Pair, str], Verdict] = field(default_factory=dict)
    """Judgments read so far: once made, they do not change during a run."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def verdict(self, pair: Pair, round_: str) -> Verdict | None:
        """The judgment kept about ``pair``, ``None`` if it was not made yet."""
        if (pair, round_) in self.known:
            return self.known[pair, round_]
        a, b = (self.skills[i] for i in pair)
        kept = self.cache.get(key_of(a, b, self.caller.client.model, round_))
        return None if kept is None else self.known.setdefault((pair, round_), read_verdict(kept))

    def once(self, pairs: Iterable[Pair]) -> list[Pair]:
        """``pairs`` without those that have the same two texts as an earlier one."""
        unique: dict[tuple[str, ...], Pair] = {}
        for pair in pairs:
            unique.setdefault(tuple(sorted(self.skills[i].content_hash for i in pair)), pair)
        return list(unique.values())

    def main_of(self, pair: Pair, verdict: Verdict) -> tuple[Skill, Skill]:
        """The skill the claims of ``verdict`` are relative to, and the other one."""
        a, b = (self.skills[i] for i in pair)
        return (a, b) if (a.content_hash < b.content_hash) == verdict.main_first else (b, a)

    def ask(self, calls: Iterable[Call], round_: str) -> CallTally:
        """Make ``calls`` and keep their answers."""
        return self.caller.run(self._job(call, _ROUNDS[round_], round_) for call in calls)

    def _job(self, call: Call, how: _Round, round_: str) -> Job:
        main, others = self.skills[call.focus], [self.skills[i] for i in call.others]

        def take(reply: ToolReply) -> None:
            answer = read_answer(reply, main, others, how.role)
            values = {
                key_of(main, other, self.caller.client.model, round_): write_verdict(
                    main, other, answer.claims.get(other.id, ())
                )
                for other in others
            }
            self.cache.put_all(values)
            with self.lock:
                self.rejected.update(answer.rejected)

        return Job(lambda: how.request(main, others, self.caller.settings), take)


def _swap_calls(desk: _Desk, pairs: Iterable[Pair]) -> Iterator[Call]:
    """One call per earlier focus over all its pairs with a directed claim that was not checked yet."""
    subjects: dict[SkillId, list[SkillId]] = {}
    for pair in desk.once(pairs):
        verdict = desk.verdict(pair, JUDGE)
        if verdict and any(map(is_directed, verdict.claims)) and desk.verdict(pair, SWAP) is None:
            main, other = desk.main_of(pair, verdict)
            subjects.setdefault(main.id, []).append(other.id)
    most = desk.caller.settings.max_candidates
    for reference, others in sorted(subjects.items()):
        yield from cover(((reference, other) for other in others), most)


def _settle(desk: _Desk, pairs: Iterable[Pair]) -> tuple[tuple[Relation, ...], int]:
    """Relations of all judged pairs, and how many directed claims are still unchecked."""
    relations: list[Relation] = []
    unchecked = 0
    for pair in pairs:
        verdict = desk.verdict(pair, JUDGE)
        if verdict is None or not verdict.claims:
            continue
        main, other = desk.main_of(pair, verdict)
        kept = [claim for claim in verdict.claims if not is_directed(claim)]
        swapped = desk.verdict(pair, SWAP)
        if swapped is None:
            unchecked += len(verdict.claims) - len(kept)
        else:
            kept += agreed(verdict, swapped, desk.rejected)
        relations += (_relation(main, other, claim) for claim in kept)
    return tuple(sorted(relations)), unchecked


def _relation(main: Skill, other: Skill, claim: Claim) -> Relation:
    source, target = (main, other) if claim.forward else (other, main)
    quoted = main if claim.in_main else other
    if RELATION_TYPES[claim.type].symmetric and target.id < source.id:
        source, target = target, source
    return Relation(
        source=source.id,
        target=target.id,
        type=claim.type,
        provenance=Provenance.LLM,
        confidence=claim.confidence,
        evidence=Evidence(claim.quote, f"{quoted.id}{claim.place}") if claim.quote else NO_EVIDENCE,
        source_hash=source.content_hash,
        target_hash=target.content_hash,
    )


def candidate_lists(candidates: Iterable[Candidate]) -> dict[SkillId, tuple[SkillId, ...]]:
    """Candidates of all sources as lists by proposing skill, each id once, sorted."""
    lists: dict[SkillId, set[SkillId]] = {}
    for candidate in candidates:
        lists.setdefault(candidate.source, set()).add(candidate.target)
    return {source: tuple(sorted(targets)) for source, targets in sorted(lists.items())}


class LlmJudge:
    """The LLM path as a ``Judge``: relations carry the names of the sources that proposed their pair."""

    def __init__(self, client: LlmClient, cache: JudgmentCache, settings: LlmSettings, clock: Clock) -> None:
        self._client, self._cache, self._settings, self._clock = client, cache, settings, clock
        self.report: LlmReport | None = None
        """Report of the latest run."""

    @property
    def name(self) -> str:
        """Stable name for reports."""
        return "llm"

    def judge(self, corpus: Corpus, candidates: Sequence[Candidate]) -> Judgement:
        """Judge the pairs of ``candidates``; direction and type are the model's, not the candidate's."""
        proposed: dict[Pair, set[str]] = {}
        for candidate in candidates:
            pair = pair_of(candidate.source, candidate.target)
            proposed.setdefault(pair, set()).add(candidate.proposed_by)
        run = judge_with_llm(
            corpus.skills,
            candidate_lists(candidates),
            client=self._client,
            cache=self._cache,
            settings=self._settings,
            clock=self._clock,
        )
        self.report = run.report
        named = (replace(r, proposed_by=tuple(sorted(proposed[r.pair]))) for r in run.relations)
        return Judgement(tuple(named), open_findings(run.report))

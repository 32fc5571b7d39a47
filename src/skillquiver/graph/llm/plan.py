"""The dry run: which calls a run would make, and what they would cost, without making any."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillquiver.graph.llm.budget import dollars, prices_of
from skillquiver.graph.llm.cache import JudgmentCache
from skillquiver.graph.llm.judge import candidate_lists
from skillquiver.graph.llm.pairs import Call, Pair, cover, pairs_of
from skillquiver.graph.llm.prompts import OUTPUT_PER_CANDIDATE, block, envelope, judge_request
from skillquiver.graph.llm.protocol import NO_USAGE, Usage
from skillquiver.graph.llm.swap import JUDGE, SWAP, is_directed, key_of, read_verdict
from skillquiver.graph.sources import Candidate, Corpus, Judgement
from skillquiver.settings import LlmSettings
from skillquiver.skills.records import Skill
from skillquiver.skills.tokens import count_tokens
from skillquiver.types import SkillId

__all__ = ["DIRECTED_SHARE", "DryRun", "PlanJudge", "plan", "render_plan"]

DIRECTED_SHARE = 0.15
"""Share of judged pairs assumed, not measured, to come back with a directed claim."""

RELATED_SHARE = 0.3
"""Share of judged pairs assumed, not measured, to come back with any relation."""

TOKENS_PER_RELATION = 90
"""One relation as JSON with a quote of 150 characters: over public skills median 82, 90th percentile 90."""

TOKENS_PER_ANSWER = 30
"""The frame of an answer, relations or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a run would come to. Swap checks depend on the answers, so theirs is an estimate."""

    pairs: int
    cached_pairs: int
    calls: int
    """First-round calls: exact."""
    input_tokens: int
    """Of the first round: counted part by part, with the project's own tokenizer."""
    output_tokens: int
    """Of the first round: estimated."""
    swap_calls: int
    """Pending swap checks, and those to expect."""
    swap_input_tokens: int
    swap_output_tokens: int
    price: float | None
    """Dollars for both rounds; ``None`` where no prices were given."""
    ceiling: float | None
    """Dollars if every pair needed a swap check and every answer were as long as allowed; no retries."""

    @property
    def usage(self) -> Usage:
        """Tokens of both rounds."""
        return Usage(self.input_tokens + self.swap_input_tokens, self.output_tokens + self.swap_output_tokens)


@dataclass(slots=True)
class _Sum:
    """Running estimate of one round."""

    calls: float = 0.0
    input: float = 0.0
    output: float = 0.0
    most: Usage = NO_USAGE


def plan(
    skills: Sequence[Skill],
    candidates: Mapping[SkillId, Sequence[SkillId]],
    *,
    model: str,
    cache: JudgmentCache,
    settings: LlmSettings,
) -> DryRun:
    """Work out the calls of ``judge_with_llm`` with the same arguments; sends nothing."""
    by_id = {skill.id: skill for skill in skills}
    pairs = pairs_of(by_id, candidates).pairs
    cached, missing, unchecked = _open_pairs(by_id, pairs, model, cache)
    scale = _Scale(by_id, settings)
    judge, swap = _Sum(), _Sum()
    for call in cover(missing, settings.max_candidates):
        scale.add_judge(judge, call)
        scale.add_swap(swap, call, DIRECTED_SHARE)
    for call in cover(unchecked, settings.max_candidates):
        scale.add_swap(swap, call, 1.0)
    prices = prices_of(settings)
    likely = Usage(round(judge.input + swap.input), round(judge.output + swap.output))
    return DryRun(
        pairs=len(pairs),
        cached_pairs=cached,
        calls=round(judge.calls),
        input_tokens=round(judge.input),
        output_tokens=round(judge.output),
        swap_calls=round(swap.calls),
        swap_input_tokens=round(swap.input),
        swap_output_tokens=round(swap.output),
        price=prices.cost(likely) if prices else None,
        ceiling=prices.cost(judge.most + swap.most) if prices else None,
    )


class PlanJudge:
    """Stands in a build where ``LlmJudge`` would: works out the calls, and decides nothing."""

    def __init__(self, model: str, cache: JudgmentCache, settings: LlmSettings) -> None:
        self._model, self._cache, self._settings = model, cache, settings
        self.dry_run: DryRun | None = None
        """Plan of the latest run."""

    @property
    def name(self) -> str:
        """That of the judge it stands for."""
        return "llm"

    def judge(self, corpus: Corpus, candidates: Sequence[Candidate]) -> Judgement:
        """Plan the calls about ``candidates``; sends nothing."""
        self.dry_run = plan(
            corpus.skills,
            candidate_lists(candidates),
            model=self._model,
            cache=self._cache,
            settings=self._settings,
        )
        return Judgement()


def render_plan(dry: DryRun) -> str:
    """``dry`` as lines for people."""
    price = "unknown: give input_price and output_price" if dry.price is None else dollars(dry.price)
    ceiling = "" if dry.ceiling is None else f" (at most {dollars(dry.ceiling)} without retries)"
    lines = [
        f"pairs        {dry.pairs:,} ({dry.cached_pairs:,} judged before)",
        f"calls        {dry.calls:,} judge, about {dry.swap_calls:,} swap",
        f"judge        {dry.input_tokens:,} tokens in, about {dry.output_tokens:,} out",
        f"swap         about {dry.swap_input_tokens:,} tokens in, {dry.swap_output_tokens:,} out",
        f"price        {price}{ceiling}",
    ]
    return "\n".join(lines) + "\n"


def _open_pairs(
    skills: Mapping[SkillId, Skill], pairs: Sequence[Pair], model: str, cache: JudgmentCache
) -> tuple[int, list[Pair], list[Pair]]:
    """Number of judged pairs, pairs without a first judgment, and pairs with an unchecked directed claim."""
    cached = 0
    missing: dict[tuple[str, str], Pair] = {}
    unchecked: dict[tuple[str, str], Pair] = {}
    for pair in pairs:
        a, b = (skills[i] for i in pair)
        key = key_of(a, b, model, JUDGE)
        kept = cache.get(key)
        if kept is None:
            missing.setdefault(key[:2], pair)
            continue
        cached += 1
        if any(map(is_directed, read_verdict(kept).claims)) and not cache.get(key_of(a, b, model, SWAP)):
            unchecked.setdefault(key[:2], pair)
    return cached, list(missing.values()), list(unchecked.values())


class _Scale:
    """Weighs calls by the tokens of their parts; each skill's excerpt is counted once per length."""

    def __init__(self, skills: Mapping[SkillId, Skill], settings: LlmSettings) -> None:
        self._skills, self._settings = skills, settings
        self._known: dict[tuple[SkillId, int], int] = {}
        self._ids: dict[SkillId, int] = {}
        empty = judge_request(
            Skill(id=SkillId(""), name="", description="", body="", path="", root="", content_hash=""),
            (),
            settings,
        )
        schema = count_tokens(json.dumps(empty.tool.schema))
        self._frame = count_tokens(empty.system) + count_tokens(empty.tool.description) + schema
        self._base_output = empty.max_output_tokens

    def add_judge(self, total: _Sum, call: Call) -> None:
        """Add a first-round call."""
        sent = self._sent(call, self._settings.candidate_chars)
        total.calls += 1
        total.input += sent
        total.output += TOKENS_PER_ANSWER + len(call.others) * RELATED_SHARE * TOKENS_PER_RELATION
        total.most += Usage(sent, self._longest(len(call.others)))

    def add_swap(self, total: _Sum, call: Call, share: float) -> None:
        """Add the swap check to expect if ``share`` of the call's pairs are claimed to have a direction."""
        likely = 1.0 - (1.0 - share) ** len(call.others)
        whole = self._sent(call, self._settings.subject_chars)
        fixed = self._sent(Call(call.focus, ()), 0)
        total.calls += likely
        total.input += likely * fixed + share * (whole - fixed)
        total.output += likely * TOKENS_PER_ANSWER + share * len(call.others) * TOKENS_PER_RELATION
        total.most += Usage(whole, self._longest(len(call.others)))

    def _sent(self, call: Call, chars: int) -> int:
        focus = self._block(call.focus, self._settings.focus_chars)
        return self._frame + focus + sum(self._block(i, chars) + self._id(i) for i in call.others)

    def _longest(self, others: int) -> int:
        return self._base_output + OUTPUT_PER_CANDIDATE * others

    def _block(self, skill_id: SkillId, chars: int) -> int:
        if (skill_id, chars) not in self._known:
            shown = block(self._skills[skill_id], chars)
            self._known[skill_id, chars] = count_tokens(envelope("0" * 16, "candidate", shown)) + 1
        return self._known[skill_id, chars]

    def _id(self, skill_id: SkillId) -> int:
        """Tokens of an id in the schema's list."""
        if skill_id not in self._ids:
            self._ids[skill_id] = count_tokens(json.dumps(skill_id, ensure_ascii=False)) + 1
        return self._ids[skill_id]

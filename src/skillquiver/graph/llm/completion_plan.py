"""The dry run of a completion: which calls it would make, and what they would cost, without making any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillquiver.graph.llm.budget import prices_of, request_tokens
from skillquiver.graph.llm.cache import JudgmentCache
from skillquiver.graph.llm.completion import Manifest, completion_request, missing_fields, pending
from skillquiver.graph.llm.protocol import NO_USAGE, Usage
from skillquiver.settings import LlmSettings
from skillquiver.skills.records import Skill

__all__ = ["TOKENS_PER_FIELD", "CompletionPlan", "plan_completion"]

TOKENS_PER_FIELD = 40
"""One filled field as JSON: assumed (a sentence of 25 words, or six short terms), not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionPlan:
    """What a completion would come to."""

    skills: int
    completed: int
    """Skills whose entry or answer is already there."""
    calls: int
    """One per different text that has neither: exact."""
    input_tokens: int
    """Counted with the project's own tokenizer."""
    output_tokens: int
    """Estimated."""
    price: float | None
    """Dollars; ``None`` where no prices were given."""
    ceiling: float | None
    """Dollars if every answer were as long as allowed; no retries."""


def plan_completion(
    skills: Sequence[Skill],
    manifest: Manifest,
    *,
    model: str,
    cache: JudgmentCache,
    settings: LlmSettings,
) -> CompletionPlan:
    """Work out the calls of ``complete_skills`` with the same arguments; sends nothing."""
    work = pending(skills, manifest, model=model, cache=cache)
    likely = most = NO_USAGE
    for skill in work.ask:
        request = completion_request(skill, settings)
        sent = request_tokens(request)
        likely += Usage(sent, TOKENS_PER_FIELD * len(missing_fields(skill)))
        most += Usage(sent, request.max_output_tokens)
    prices, asked = prices_of(settings), {skill.content_hash for skill in work.ask}
    return CompletionPlan(
        skills=len(skills),
        completed=len(skills) - sum(skill.content_hash in asked for skill in work.todo),
        calls=len(work.ask),
        input_tokens=likely.input_tokens,
        output_tokens=likely.output_tokens,
        price=prices.cost(likely) if prices else None,
        ceiling=prices.cost(most) if prices else None,
    )

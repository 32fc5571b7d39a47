"""What a language model did, or would do, to JSON and to text for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillquiver.graph.llm.completion_plan import CompletionPlan
    from skillquiver.graph.llm.plan import DryRun
    from skillquiver.graph.llm.report import CallTally, LlmReport
    from skillquiver.serve.usecases.graph_llm import CompletionReport

__all__ = [
    "completion_data",
    "completion_plan_data",
    "completion_plan_text",
    "completion_text",
    "drop_data",
    "drop_text",
    "llm_data",
    "plan_data",
    "plan_text",
]


def plan_data(dry: DryRun, model: str) -> dict[str, Any]:
    """A dry run of a build."""
    return {"dry_run": True, "model": model, **asdict(dry)}


def plan_text(dry: DryRun, model: str) -> str:
    """A dry run of a build for people."""
    from skillquiver.graph.llm.plan import render_plan

    return f"model        {model}\n{render_plan(dry)}dry run      nothing was sent or written"


def llm_data(report: LlmReport | None) -> dict[str, Any] | None:
    """A model's part in a build; ``None`` for a build by rules alone."""
    if report is None:
        return None
    return {
        "model": report.model,
        "pairs": report.pairs,
        "cached_pairs": report.cached_pairs,
        "calls": report.calls,
        "judge": _tally(report.judge),
        "swap": _tally(report.swap),
        "relations": report.relations,
        "without_quote": report.without_quote,
        "rejected": dict(report.rejected),
        "unjudged_pairs": report.unjudged_pairs,
        "unchecked_claims": report.unchecked_claims,
        "ignored_candidates": report.ignored_candidates,
        "cost": report.cost,
        "stopped_by_limit": report.stopped_by_limit,
        "seconds": round(report.seconds, 2),
    }


def completion_data(report: CompletionReport) -> dict[str, Any]:
    """A completion."""
    run = report.run
    return {
        "model": run.manifest.model,
        "skills": report.skills,
        "completed": len(run.manifest.skills),
        "missing": list(run.missing),
        **_tally(run.tally),
        "cost": run.cost,
        "stopped_by_limit": run.stopped_by_limit,
        "changed": report.changed,
        "file": str(report.file),
        "seconds": report.seconds,
    }


def completion_text(report: CompletionReport) -> str:
    """A completion for people."""
    run, tally = report.run, report.run.tally
    cost = "unknown: no prices given" if run.cost is None else f"${run.cost:,.4f}"
    lines = [
        f"model        {run.manifest.model}",
        f"completed    {len(run.manifest.skills):,} of {report.skills:,} skills",
        f"calls        {tally.calls:,}; {tally.attempts:,} requests sent",
        f"tokens       {tally.usage.input_tokens:,} in, {tally.usage.output_tokens:,} out",
        f"cost         {cost}",
    ]
    lines += [f"failed       {count:,} requests: {kind}" for kind, count in sorted(tally.failures.items())]
    if run.stopped_by_limit:
        lines.append("stopped      the spend limit was reached")
    if run.missing:
        lines.append(f"open         {len(run.missing):,} skills; run again")
    kept = "written" if report.changed else "unchanged"
    lines.append(f"manifest     {kept}: {report.file}; `quiver graph build` applies it")
    return "\n".join(lines)


def completion_plan_data(dry: CompletionPlan, model: str) -> dict[str, Any]:
    """A dry run of a completion."""
    return {"dry_run": True, "model": model, **asdict(dry)}


def completion_plan_text(dry: CompletionPlan, model: str) -> str:
    """A dry run of a completion for people."""
    from skillquiver.graph.llm.budget import dollars

    price = "unknown: no prices given" if dry.price is None else dollars(dry.price)
    ceiling = "" if dry.ceiling is None else f" (at most {dollars(dry.ceiling)} without retries)"
    lines = [
        f"model        {model}",
        f"skills       {dry.skills:,} ({dry.completed:,} completed before)",
        f"calls        {dry.calls:,}",
        f"tokens       {dry.input_tokens:,} in, about {dry.output_tokens:,} out",
        f"price        {price}{ceiling}",
        "dry run      nothing was sent or written",
    ]
    return "\n".join(lines)


def drop_data(dropped: bool) -> dict[str, Any]:
    """What became of the manifest."""
    return {"dropped": dropped}


def drop_text(dropped: bool) -> str:
    """What became of the manifest, for people."""
    return "dropped; the next `quiver graph build` goes without it" if dropped else "there was no completion"


def _tally(tally: CallTally) -> dict[str, Any]:
    return {
        "calls": tally.calls,
        "attempts": tally.attempts,
        "failed": tally.failed,
        "input_tokens": tally.usage.input_tokens,
        "output_tokens": tally.usage.output_tokens,
        "estimated": tally.estimated,
        "failures": {str(kind): count for kind, count in sorted(tally.failures.items())},
    }

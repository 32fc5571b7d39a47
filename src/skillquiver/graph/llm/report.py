"""What a run came to: calls, tokens, dollars, what was rejected and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skillquiver.graph.llm.protocol import NO_USAGE, Usage

__all__ = ["CallTally", "LlmReport", "render_report"]


@dataclass(slots=True)
class CallTally:
    """Running counts of one round of calls; added up by the thread that collects the answers."""

    calls: int = 0
    """Calls that gave a usable answer."""
    attempts: int = 0
    """Requests sent."""
    failed: int = 0
    """Calls given up."""
    unanswered: int = 0
    """Of these, calls that the provider did not serve after all their tries."""
    usage: Usage = NO_USAGE
    estimated: int = 0
    """Requests whose usage was not reported, charged at their worst case."""
    failures: Counter[str] = field(default_factory=Counter)
    """Failed attempts by kind, whether or not a later attempt worked."""

    def add(self, other: CallTally) -> None:
        """Add the counts of ``other``."""
        self.calls += other.calls
        self.attempts += other.attempts
        self.failed += other.failed
        self.unanswered += other.unanswered
        self.usage += other.usage
        self.estimated += other.estimated
        self.failures.update(other.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReport:
    """Counts of one run. ``judge``, ``swap``: first question and the one with the skills swapped."""

    model: str
    pairs: int
    """Unordered pairs with different texts among the candidates."""
    cached_pairs: int
    """Pairs whose first judgment was already there."""
    judge: CallTally
    swap: CallTally
    relations: int
    """Relations in the result, cached ones included."""
    rejected: Mapping[str, int]
    """Items and claims not believed, by reason: those of new answers, and of all swap checks."""
    unjudged_pairs: int = 0
    """Pairs left without a first judgment: failed calls, or the spend limit."""
    unchecked_claims: int = 0
    """Asymmetric claims left out because their swap check failed or was not paid for."""
    without_quote: int = 0
    """Relations in the result that no text supports word for word."""
    ignored_candidates: int = 0
    """Candidates left out: the skill itself, an unknown id, or the same text under another id."""
    cost: float | None = None
    """Dollars; ``None`` where no prices were given."""
    stopped_by_limit: bool = False
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        """Usable answers of both rounds."""
        return self.judge.calls + self.swap.calls

    @property
    def usage(self) -> Usage:
        """Tokens of both rounds, failed answers included."""
        return self.judge.usage + self.swap.usage


def render_report(report: LlmReport) -> str:
    """``report`` as lines for people; the same report gives the same text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: LlmReport) -> Iterator[str]:
    usage, judge, swap = report.usage, report.judge, report.swap
    yield f"model        {report.model}"
    yield f"pairs        {report.pairs:,} ({report.cached_pairs:,} judged before)"
    sent = judge.attempts + swap.attempts
    yield f"calls        {judge.calls:,} judge + {swap.calls:,} swap; {sent:,} requests sent"
    yield f"tokens       {usage.input_tokens:,} in, {usage.output_tokens:,} out"
    cost = "unknown: no prices given" if report.cost is None else f"${report.cost:,.4f}"
    estimated = judge.estimated + swap.estimated
    yield f"cost         {cost}" + (f" ({estimated:,} requests at their worst case)" if estimated else "")
    yield f"relations    {report.relations:,} ({report.without_quote:,} without a quote)"
    for reason, count in sorted(report.rejected.items()):
        yield f"rejected     {count:,}: {reason}"
    for kind, count in sorted((judge.failures + swap.failures).items()):
        yield f"failed       {count:,} requests: {kind}"
    if judge.failed or swap.failed:
        yield f"given up     {judge.failed:,} judge + {swap.failed:,} swap calls"
    if report.unjudged_pairs or report.unchecked_claims:
        yield f"open         {report.unjudged_pairs:,} pairs, {report.unchecked_claims:,} claims; run again"
    if report.stopped_by_limit:
        yield "stopped      the spend limit was reached"
    yield f"time         {report.seconds:.1f} s"

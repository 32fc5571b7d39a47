"""What a task costs in tokens, by the way skills reach the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from skillquiver.errors import UsageError
from skillquiver.evaluate.experiment import EXPERIMENTS, Inputs
from skillquiver.evaluate.qrels import QuerySet
from skillquiver.evaluate.results import Cell, Plot, Section, Series, Table
from skillquiver.evaluate.sampling import evenly
from skillquiver.evaluate.subject import Subject
from skillquiver.settings import EvalSettings
from skillquiver.skills.tiers import body, card
from skillquiver.skills.tokens import TOKENIZER, count_tokens

__all__ = ["card_tokens", "run"]

TASKS = 100
"""Tasks of each set that are counted: medians move by a percent beyond."""

WINDOW = 200_000
"""Context window, in tokens, that a host's list is measured in: the usual one."""

PUBLISHED_SAVING = 0.988
"""Share of tokens per task that the published comparison reports saved by retrieving skills."""

_Costs = Mapping[str, Mapping[str, int]]
"""Way → query id → tokens."""


def run(subject: Subject, inputs: Inputs) -> Section:
    """Count what is really said to an agent, and what sending everything would take."""
    sets = [queries for queries in inputs.sets if queries.tasks]
    if not sets:
        raise UsageError("tokens needs a query file; docs/evaluation.md describes the format")
    if not subject.skills:
        raise UsageError("the library holds no skill; run `quiver index`")
    whole = _everything(subject)
    costs = [(queries, _per_task(subject, queries, inputs.settings)) for queries in sets]
    pooled = _pooled(costs)
    return Section(
        name="tokens",
        title="Tokens per task",
        question=EXPERIMENTS["tokens"],
        source=(
            f"Counted with {TOKENIZER}. Everything is the body, or the card (name and description), of "
            "every skill that models may see. A host's list is what its documented budget leaves of them in "
            f"a window of {WINDOW:,} tokens. Hook, search and bundle are the texts an agent is given. "
            "Saved is 1 − tokens / tokens of everything."
        ),
        answer=_answer(whole, pooled),
        tables=(
            _once(whole),
            *(_table(queries, cost, whole) for queries, cost in costs),
            _beside(whole, pooled),
        ),
        plots=(_plot(whole, pooled),),
        samples={
            f"{queries.name}: tokens of {way}": {i: float(n) for i, n in values.items()}
            for queries, cost in costs
            for way, values in cost.items()
        },
        warnings=_warnings(subject),
    )


def card_tokens(subject: Subject) -> int:
    """Tokens of the cards of every skill that models may see."""
    seen = (skill for skill in subject.skills.values() if not skill.hidden)
    return sum(skill.tokens.card or count_tokens(card(skill)) for skill in seen)


BODIES, CARDS = "every body", "every card"


def _everything(subject: Subject) -> Mapping[str, int]:
    """Tokens of what could be sent whatever the task is."""
    bodies = 0
    for skill in subject.skills.values():
        if not skill.hidden:
            held = None if skill.tokens.body else subject.read(skill.id)
            bodies += count_tokens(body(held)) if held else skill.tokens.body
    lists = {f"list of {host}": count_tokens(text) for host, text in subject.listings(WINDOW).items()}
    return {BODIES: bodies, CARDS: card_tokens(subject), **lists}


def _per_task(subject: Subject, queries: QuerySet, settings: EvalSettings) -> _Costs:
    found: dict[str, dict[str, int]] = {}
    for task in evenly(queries.tasks, TASKS):
        for way, text in subject.said(task.query, budget=settings.budget).items():
            found.setdefault(way, {})[task.query_id] = count_tokens(text)
    return found


def _pooled(costs: Sequence[tuple[QuerySet, _Costs]]) -> Mapping[str, Sequence[int]]:
    """Tokens of each way over the tasks of every set."""
    found: dict[str, list[int]] = {}
    for _, cost in costs:
        for way, values in cost.items():
            found.setdefault(way, []).extend(values.values())
    return found


def _saved(tokens: float, everything: int) -> float | None:
    return 1 - tokens / everything if everything else None


def _percent(tokens: float, everything: int) -> str:
    saved = _saved(tokens, everything)
    return "–" if saved is None else f"{saved:.2%}"


def _less_text(tokens: float, everything: int) -> str:
    """How much less than everything it is, or more, as in a library of few skills."""
    saved = _saved(tokens, everything)
    return "–" if saved is None else f"{abs(saved):.2%} {'more' if saved < 0 else 'less'}"


# --- what it says ------------------------------------------------------------------------------------


def _answer(whole: Mapping[str, int], pooled: Mapping[str, Sequence[int]]) -> str:
    tasks = len(next(iter(pooled.values())))
    middles = {way: _middle(values) for way, values in pooled.items()}
    told = [
        f"a {way} {middle:,.0f} ({_less_text(middle, whole[CARDS])}; "
        f"it answers {sum(map(bool, pooled[way])) / tasks:.0%})"
        for way, middle in middles.items()
    ]
    return (
        f"In the median of those of {tasks} tasks that are answered, {', '.join(told)} than the "
        f"{whole[CARDS]:,} tokens of every card.\nEvery body would take {whole[BODIES]:,}. A bundle, texts "
        f"included, takes {_less_text(middles['bundle'], whole[BODIES])} than every body."
    )


def _middle(values: Iterable[int]) -> float:
    """Median over the tasks where anything was said; 0 if there is none."""
    return median([tokens for tokens in values if tokens] or [0])


def _once(whole: Mapping[str, int]) -> Table:
    return Table(
        caption="Sent whatever the task is",
        columns=("what", "tokens", "of every card (%)"),
        rows=tuple(
            (what, tokens, 100 * tokens / whole[CARDS] if whole[CARDS] else None)
            for what, tokens in whole.items()
        ),
    )


def _table(queries: QuerySet, cost: _Costs, whole: Mapping[str, int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for way, values in cost.items():
        ordered = sorted(tokens for tokens in values.values() if tokens) or [0]
        middle = median(ordered)
        silent = sum(not tokens for tokens in values.values()) / len(values)
        high = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        saved = (_percent(middle, whole[CARDS]), _percent(middle, whole[BODIES]))
        rows.append((way, round(middle), high, ordered[-1], f"{silent:.0%}", *saved))
    counted = len(next(iter(cost.values())))
    return Table(
        caption=f"{queries.name}: tokens per answered task, of {counted} of {len(queries.tasks)} tasks",
        columns=(
            "way",
            "median",
            "p95",
            "most",
            "says nothing",
            "saved of every card",
            "saved of every body",
        ),
        rows=tuple(rows),
    )


def _beside(whole: Mapping[str, int], pooled: Mapping[str, Sequence[int]]) -> Table:
    bundle, search = _middle(pooled["bundle"]), _middle(pooled["search"])
    return Table(
        caption=(
            "Beside the published figure. Libraries, tasks and tokenizers differ, and so does what counts as "
            "everything: only the order of magnitude can be compared"
        ),
        columns=("comparison", "saved"),
        rows=(
            ("published: retrieving skills instead of loading them all", f"{PUBLISHED_SAVING:.1%}"),
            ("bundle instead of every body", _percent(bundle, whole[BODIES])),
            ("search instead of every card", _percent(search, whole[CARDS])),
            ("bundle, texts included, instead of every card", _percent(bundle, whole[CARDS])),
        ),
    )


def _plot(whole: Mapping[str, int], pooled: Mapping[str, Sequence[int]]) -> Plot:
    points = {**whole, **{way: round(_middle(values)) for way, values in pooled.items()}}
    shown = {what: tokens for what, tokens in points.items() if tokens > 0}
    return Plot(
        kind="bars",
        title="Tokens that reach the agent for one task",
        x_label="way",
        y_label="tokens (median)",
        series=(Series(label="tokens", x=tuple(shown), y=tuple(map(float, shown.values()))),),
        log_y=True,
    )


def _warnings(subject: Subject) -> tuple[str, ...]:
    if len(subject.skills) < 100:
        return (f"{len(subject.skills)} skills: a library this small can be sent whole; little is saved",)
    return ()

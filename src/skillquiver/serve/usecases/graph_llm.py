"""What a language model adds to a library's graph: judgments, and completions of what authors left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from skillquiver.errors import UsageError
from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.client import open_client, provider_of
from skillquiver.graph.llm.completion import CompletionRun, complete_skills
from skillquiver.graph.llm.completion_plan import CompletionPlan, plan_completion
from skillquiver.graph.llm.judge import LlmJudge
from skillquiver.graph.llm.manifest import read_manifest, write_manifest
from skillquiver.graph.llm.plan import DryRun, PlanJudge
from skillquiver.graph.llm.protocol import Clock, LlmClient, SystemClock
from skillquiver.index.lock import writer_lock
from skillquiver.index.store import FILE_NAME, Store
from skillquiver.serve.usecases.graph_inputs import COMPLETION_NAME, read_inputs, searched_skills
from skillquiver.serve.usecases.graphs import GraphReport, build_from, build_library_graph
from skillquiver.settings import LlmSettings

__all__ = [
    "CompletionReport",
    "ModelChoice",
    "build_with_model",
    "complete_library",
    "drop_completion",
    "plan_build",
    "plan_library_completion",
    "settings_of",
]

BASE_URL_VARIABLE = "QUIVER_LLM_BASE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model is asked, where, and what it may cost, as a user gave it."""

    model: str = ""
    base_url: str = ""
    input_price: float | None = None
    """Dollars per million input tokens."""
    output_price: float | None = None
    max_spend: float | None = None
    """Dollars this run may cost at most."""
    concurrency: int | None = None


NO_MODEL = ModelChoice()


@dataclass(frozen=True, slots=True)
class CompletionReport:
    """What a completion came to, and where its manifest is."""

    skills: int
    run: CompletionRun
    changed: bool
    file: Path
    seconds: float


def settings_of(choice: ModelChoice) -> LlmSettings:
    """The settings of a run with ``choice``; raises ``UsageError`` for whatever cannot be meant."""
    if not choice.model:
        given = [name for name, value in _given(choice) if value not in (None, "")]
        raise UsageError(
            f"{given[0] if given else '--dry-run'} is about a language model; name it with --model"
        )
    provider_of(choice.model)
    _check_numbers(choice)
    if choice.base_url:
        _check_url(choice.base_url)
    standard = LlmSettings()
    return replace(
        standard,
        input_price=choice.input_price,
        output_price=choice.output_price,
        max_spend=choice.max_spend,
        concurrency=standard.concurrency if choice.concurrency is None else choice.concurrency,
    )


def build_with_model(
    folder: Path, choice: ModelChoice, *, environ: Mapping[str, str], clock: Clock | None = None
) -> GraphReport:
    """Build the graph of the library at ``folder``; the model of ``choice`` joins the rules, if there is one.

    Judgments are kept in the library and never asked for again; they are used only while their model is
    named, so that a build by rules alone stays the same whatever was asked before. Raises ``UsageError``
    for a choice that cannot be meant, ``LlmError`` where no call can work.
    """
    if choice == NO_MODEL:
        return build_library_graph(folder)
    settings = settings_of(choice)
    with _client(choice, settings, environ) as client, _judgments(folder) as cache:
        judge = LlmJudge(client, cache, settings, clock or SystemClock())
        report = build_library_graph(folder, judges=[judge], model=choice.model)
    return replace(report, llm=judge.report)


def plan_build(folder: Path, choice: ModelChoice) -> DryRun:
    """Work out what ``build_with_model`` would ask and cost. Needs no key; sends and writes nothing."""
    settings = settings_of(choice)
    with Store.opened(folder) as store, _judgments(folder) as cache:
        judge = PlanJudge(choice.model, cache, settings)
        build_from(read_inputs(store, folder), [judge])
    assert judge.dry_run is not None
    return judge.dry_run


def complete_library(
    folder: Path, choice: ModelChoice, *, environ: Mapping[str, str], clock: Clock | None = None
) -> CompletionReport:
    """Ask for what authors left out, and freeze the answers in the library's ``completion.json``.

    Every later build applies the manifest, with or without a model. Raises as ``build_with_model``.
    """
    settings, clock = settings_of(choice), clock or SystemClock()
    started, file = clock.now(), folder / COMPLETION_NAME
    with _client(choice, settings, environ) as client, writer_lock(folder), Store.opened(folder) as store:
        skills, manifest = searched_skills(store)[1], read_manifest(file)
        with _judgments(folder) as cache:
            run = complete_skills(
                skills, manifest, client=client, cache=cache, settings=settings, clock=clock
            )
        changed = run.manifest != manifest
        if changed:
            write_manifest(file, run.manifest)
    return CompletionReport(len(skills), run, changed, file, round(clock.now() - started, 2))


def plan_library_completion(folder: Path, choice: ModelChoice) -> CompletionPlan:
    """Work out what ``complete_library`` would ask and cost. Needs no key; sends and writes nothing."""
    settings = settings_of(choice)
    with Store.opened(folder) as store, _judgments(folder) as cache:
        return plan_completion(
            searched_skills(store)[1],
            read_manifest(folder / COMPLETION_NAME),
            model=choice.model,
            cache=cache,
            settings=settings,
        )


def drop_completion(folder: Path, choice: ModelChoice = NO_MODEL, *, dry_run: bool = False) -> bool:
    """Remove the manifest; returns whether there was one. Answers that were paid for stay in the library.

    Raises ``UsageError`` if a model was chosen, or a dry run asked for: there is nothing to ask.
    """
    if choice != NO_MODEL or dry_run:
        raise UsageError("--drop asks no model; give it alone")
    Store.open(folder).close()
    file = folder / COMPLETION_NAME
    with writer_lock(folder):
        there = file.exists()
        file.unlink(missing_ok=True)
    return there


@contextmanager
def _client(choice: ModelChoice, settings: LlmSettings, environ: Mapping[str, str]) -> Iterator[LlmClient]:
    from_outside = environ.get(BASE_URL_VARIABLE, "")
    if from_outside and not choice.base_url:
        _check_url(from_outside)
    client = open_client(choice.model, environ=environ, base_url=choice.base_url, settings=settings)
    with closing(client):
        yield client


@contextmanager
def _judgments(folder: Path) -> Iterator[SqliteJudgmentCache]:
    """Judgments in the library's own file; ``LibraryMissingError`` where there is no library."""
    Store.open(folder).close()
    with closing(SqliteJudgmentCache.open(folder / FILE_NAME)) as cache:
        yield cache


def _given(choice: ModelChoice) -> tuple[tuple[str, float | str | None], ...]:
    """Options as a user writes them, with their values."""
    return (
        ("--base-url", choice.base_url),
        ("--input-price", choice.input_price),
        ("--output-price", choice.output_price),
        ("--max-spend", choice.max_spend),
        ("--concurrency", choice.concurrency),
    )


def _check_numbers(choice: ModelChoice) -> None:
    for name, value in _given(choice)[1:4]:
        if isinstance(value, float) and not (math.isfinite(value) and value >= 0):
            raise UsageError(f"{name} is {value:g}; give dollars, 0 or more")
    if choice.concurrency is not None and choice.concurrency < 1:
        raise UsageError(f"--concurrency is {choice.concurrency}; at least 1 call must be in flight")
    if (choice.input_price is None) != (choice.output_price is None):
        raise UsageError("give both --input-price and --output-price, in dollars per million tokens")
    if choice.max_spend is not None and choice.input_price is None:
        raise UsageError("--max-spend needs --input-price and --output-price, in dollars per million tokens")


def _check_url(url: str) -> None:
    """An address may hold a password, so that it is not repeated in the message."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fine = False
    if not fine:
        raise UsageError("the base URL is no address of a server; write http://… or https://…")

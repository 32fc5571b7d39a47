"""Rewrite queries before they are ranked: by a model, else by rules. Nothing of a query is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from skillquiver.errors import LlmError, UsageError
from skillquiver.retrieve.rewrite import Rewriter, Rewritten, by_rules, composed, unchanged
from skillquiver.settings import RewriteSettings

if TYPE_CHECKING:
    from skillquiver.graph.llm.client import AnthropicClient, OpenAiClient
    from skillquiver.graph.llm.protocol import Clock
    from skillquiver.settings import LlmSettings

__all__ = ["Rewrite", "RewriteChoice", "open_rewriter"]

Rewrite = Callable[[str], Rewritten]
"""A task to what is ranked for it. Never fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteChoice:
    """Whether queries are rewritten, and by which model, as a user gave it."""

    wanted: bool = False
    model: str = ""
    base_url: str = ""


@contextmanager
def open_rewriter(
    choice: RewriteChoice,
    *,
    environ: Mapping[str, str],
    clock: Clock | None = None,
    settings: RewriteSettings | None = None,
) -> Iterator[Rewrite]:
    """Give the function that ``choice`` asks for, for the length of a ``with`` block.

    Without a model, and where the model gives nothing, rules rewrite, and the result says so. Raises
    ``UsageError`` for a choice that cannot be meant.
    """
    rewriting = settings or RewriteSettings()
    if not choice.wanted:
        if choice.model or choice.base_url:
            raise UsageError("--model and --base-url are about --rewrite; give it, too")
        yield unchanged
    elif not choice.model:
        if choice.base_url:
            raise UsageError("--base-url is about a language model; name it with --model")
        yield lambda task: _short(task, rewriting) or by_rules(task, rewriting)
    else:
        with closing(_Model(choice, environ, rewriting, clock)) as model:
            yield model


def _short(task: str, settings: RewriteSettings) -> Rewritten | None:
    """What becomes of a task that is too short to be rewritten."""
    if len(task) >= settings.long_characters:
        return None
    return unchanged(task, f"shorter than {settings.long_characters} characters")


class _Model:
    """Asks a model once for each long task; after failures that will not pass, asks no more."""

    def __init__(
        self,
        choice: RewriteChoice,
        environ: Mapping[str, str],
        rewriting: RewriteSettings,
        clock: Clock | None,
    ) -> None:
        self._choice, self._environ, self._rewriting = choice, environ, rewriting
        self._clock = clock
        self._settings = _llm_settings(choice, environ, rewriting)
        self._client: OpenAiClient | AnthropicClient | None = None
        self._given_up = ""
        """Why the model is not asked any more."""
        self._unserved = 0

    def __call__(self, task: str) -> Rewritten:
        """The query by the model, else by the rules."""
        if (short := _short(task, self._rewriting)) is not None:
            return short
        if self._given_up:
            return by_rules(task, self._rewriting, self._given_up)
        return self._asked(task)

    def close(self) -> None:
        """Close the connections, if there are any."""
        if self._client is not None:
            self._client.close()

    def _asked(self, task: str) -> Rewritten:
        from skillquiver.graph.llm.protocol import SystemClock
        from skillquiver.retrieve.task_model import UnservedError, schema_by_model

        try:
            schema = schema_by_model(
                task,
                self._open(),
                settings=self._settings,
                rewriting=self._rewriting,
                clock=self._clock or SystemClock(),
            )
        except UnservedError as error:
            self._unserved = self._unserved + 1 if error.waited else 0
            if self._unserved >= self._rewriting.unserved_calls:
                self._given_up = str(error)
            return by_rules(task, self._rewriting, str(error))
        except LlmError as error:
            self._given_up = str(error)
            return by_rules(task, self._rewriting, str(error))
        self._unserved = 0
        return composed(task, schema, Rewriter.MODEL, model=self._choice.model)

    def _open(self) -> OpenAiClient | AnthropicClient:
        """The client, opened for the first long task: the vendors' libraries take seconds to import."""
        from skillquiver.graph.llm.client import open_client

        if self._client is None:
            self._client = open_client(
                self._choice.model,
                environ=self._environ,
                base_url=self._choice.base_url,
                settings=self._settings,
            )
        return self._client


def _llm_settings(
    choice: RewriteChoice, environ: Mapping[str, str], rewriting: RewriteSettings
) -> LlmSettings:
    """Settings of the calls; raises ``UsageError`` for a model or an address that is none."""
    from skillquiver.serve.usecases.graph_llm import BASE_URL_VARIABLE, ModelChoice, settings_of

    address = choice.base_url or environ.get(BASE_URL_VARIABLE, "")
    return replace(
        settings_of(ModelChoice(model=choice.model, base_url=address)),
        timeout_seconds=rewriting.timeout_seconds,
        max_attempts=rewriting.max_attempts,
        max_wait_seconds=rewriting.max_wait_seconds,
    )

"""The one place that talks to providers: two protocols, spoken by the vendors' own libraries.

The libraries (extra ``llm``) are imported when a client is opened, and only the one that is needed. Their
own retries are off: waiting, retrying and paying are decided in ``calls.py``, where they can be tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from skillquiver.errors import LlmError, UsageError
from skillquiver.graph.llm.protocol import CallError, Failure, ToolReply, ToolRequest
from skillquiver.graph.llm.wire import read_anthropic, read_openai
from skillquiver.settings import LlmSettings

__all__ = ["PROVIDERS", "AnthropicClient", "OpenAiClient", "Provider", "open_client", "provider_of"]

_MAX_MESSAGE = 200
"""Characters of a provider's own words in our messages."""

_NO_KEY = "no-key"
"""Sent to servers of one's own that ask for none; the library refuses an empty key."""

_DENIED = frozenset({401, 402, 403, 404})
"""Key, payment, permission, model: the next call would fail in the same way."""

_TIMED_OUT = frozenset({408, 504})


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is, which protocol it speaks, and which variable holds its key."""

    protocol: str
    base_url: str
    key_variable: str


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "openai": Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "deepseek": Provider("openai", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "gemini": Provider(
        "openai", "https://generativelanguage.googleapis.com/v1beta/openai/", "GEMINI_API_KEY"
    ),
    "groq": Provider("openai", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Provider("openai", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "ollama": Provider("openai", "http://localhost:11434/v1", ""),
    "openrouter": Provider("openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}
"""Any other server that speaks the OpenAI protocol is ``openai:model`` with a base URL."""


def open_client(
    model: str,
    *,
    environ: Mapping[str, str],
    base_url: str = "",
    api_key: str = "",
    settings: LlmSettings | None = None,
) -> OpenAiClient | AnthropicClient:
    """Open a client for ``provider:model``.

    The key is ``api_key``, else ``QUIVER_LLM_API_KEY``, else the provider's own variable; the address is
    ``base_url``, else ``QUIVER_LLM_BASE_URL``, else the provider's. Raises ``UsageError`` for a model that
    is not ``provider:model``, ``LlmError`` where the key or the extra is missing.
    """
    provider, name = provider_of(model), model.partition(":")[0]
    own = base_url or environ.get("QUIVER_LLM_BASE_URL", "")
    key = api_key or environ.get("QUIVER_LLM_API_KEY", "") or environ.get(provider.key_variable, "")
    if not key and not own and provider.key_variable:
        raise LlmError(f"no key for {name}: set {provider.key_variable} or QUIVER_LLM_API_KEY")
    kind = AnthropicClient if provider.protocol == "anthropic" else OpenAiClient
    return kind(model, own or provider.base_url, key or _NO_KEY, settings or LlmSettings())


def provider_of(model: str) -> Provider:
    """The provider named in ``provider:model``; raises ``UsageError`` for anything else."""
    name, _, rest = model.partition(":")
    provider = PROVIDERS.get(name)
    if provider is None or not rest:
        raise UsageError(
            f"{model!r} is no model: write provider:model, provider one of {', '.join(PROVIDERS)}"
        )
    return provider


class _Client:
    """What both clients share: names, settings, and how failures are told apart."""

    def __init__(self, model: str, base_url: str, key: str, settings: LlmSettings) -> None:
        self._model, self._settings, self._key = model, settings, key
        self._base_url = base_url
        self._sdk, self._api = self._open()

    def _open(self) -> tuple[Any, Any]:
        """The vendor's module, imported here (1 to 3 s), and its client."""
        raise NotImplementedError

    def _send(self, request: ToolRequest) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        """The model and the host; never the key."""
        return f"{type(self).__name__}({self._model!r}, host={urlsplit(self._base_url).hostname!r})"

    @property
    def model(self) -> str:
        """``provider:model``."""
        return self._model

    @property
    def _name(self) -> str:
        """The model as the provider calls it."""
        return self._model.partition(":")[2]

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def _text(self, request: ToolRequest) -> bytes:
        """Body of the answer to ``request``; the library's exceptions become ours."""
        sdk = self._sdk
        try:
            return bytes(self._send(request).http_response.content)
        except sdk.APITimeoutError as error:
            raise CallError(Failure.TIMEOUT, f"no answer in {self._settings.timeout_seconds:g} s") from error
        except sdk.APIStatusError as error:
            raise self._status(error) from error
        except sdk.APIConnectionError as error:
            raise CallError(Failure.CONNECTION, self._clean(error.__cause__ or error)) from error

    def _status(self, error: Any) -> CallError | LlmError:
        """What an HTTP status of 400 or above means for this call."""
        status, words = int(error.status_code), f"HTTP {error.status_code}: {self._clean(error)}"
        wait = _retry_after(error.response.headers)
        if status == 429 and getattr(error, "code", None) == "insufficient_quota":
            return LlmError(f"{self._model}: the account has no credit left ({words})")
        if status == 429:
            return CallError(Failure.RATE_LIMIT, words, retry_after=wait)
        if status in _TIMED_OUT:
            return CallError(Failure.TIMEOUT, words, retry_after=wait)
        if status >= 500 or status == 409:
            return CallError(Failure.SERVER, words, retry_after=wait)
        if status in _DENIED:
            return LlmError(f"{self._model} cannot be used: {words}; check key, model and base URL")
        return CallError(Failure.REFUSED_REQUEST, words)

    def _clean(self, error: object) -> str:
        """One line of the provider's words, without the key."""
        words = " ".join(str(error).split()).replace(self._key, "***")
        return "".join(c for c in words if c.isprintable())[:_MAX_MESSAGE]


class OpenAiClient(_Client):
    """Chat completions with a forced function call: OpenAI, and every server that speaks its protocol."""

    def _open(self) -> tuple[Any, Any]:
        try:
            import openai
        except ImportError as error:
            raise _missing("openai") from error
        timeout = self._settings.timeout_seconds
        api = openai.OpenAI(api_key=self._key, base_url=self._base_url, timeout=timeout, max_retries=0)
        return openai, api

    def ask(self, request: ToolRequest) -> ToolReply:
        """Send one request, once; raises ``CallError`` or ``LlmError``."""
        return read_openai(self._text(request), request.tool.name)

    def _send(self, request: ToolRequest) -> Any:
        official = self._base_url == PROVIDERS["openai"].base_url
        function: dict[str, Any] = {
            "name": request.tool.name,
            "description": request.tool.description,
            "parameters": dict(request.tool.schema),
        }
        options: dict[str, Any] = {}
        if official:  # newer models refuse max_tokens; compatible servers often know nothing else
            options = {"max_completion_tokens": request.max_output_tokens, "parallel_tool_calls": False}
            function["strict"] = True
        else:
            options = {"max_tokens": request.max_output_tokens}
        return self._api.chat.completions.with_raw_response.create(
            model=self._name,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            tools=[{"type": "function", "function": function}],
            tool_choice={"type": "function", "function": {"name": request.tool.name}},
            **options,
        )


class AnthropicClient(_Client):
    """Messages with forced tool use."""

    def _open(self) -> tuple[Any, Any]:
        try:
            import anthropic
        except ImportError as error:
            raise _missing("anthropic") from error
        timeout = self._settings.timeout_seconds
        api = anthropic.Anthropic(api_key=self._key, base_url=self._base_url, timeout=timeout, max_retries=0)
        return anthropic, api

    def ask(self, request: ToolRequest) -> ToolReply:
        """Send one request, once; raises ``CallError`` or ``LlmError``."""
        return read_anthropic(self._text(request), request.tool.name)

    def _send(self, request: ToolRequest) -> Any:
        tool = request.tool
        return self._api.messages.with_raw_response.create(
            model=self._name,
            max_tokens=request.max_output_tokens,
            system=request.system,
            messages=[{"role": "user", "content": request.user}],
            tools=[{"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}],
            tool_choice={"type": "tool", "name": tool.name, "disable_parallel_tool_use": True},
        )


def _missing(library: str) -> LlmError:
    return LlmError(f"{library} is not installed; run: pip install 'skillquiver[llm]'")


def _retry_after(headers: Mapping[str, str]) -> str:
    """The header as it came: seconds, or a date that only a clock can turn into seconds."""
    return headers.get("retry-after", "").strip()

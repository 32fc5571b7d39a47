"""Provider answers to tool arguments: strict, because everything in them is untrusted.

Shapes follow the OpenAI chat completions and the Anthropic messages references; fields that are not needed
are not looked at, so that additions do not break anything.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec

from skillquiver.graph.llm.protocol import NO_USAGE, CallError, Failure, ToolReply, Usage

__all__ = ["read_anthropic", "read_openai"]

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
"""Anthropic's stop reasons of an answer that is not whole."""

_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Function(msgspec.Struct):
    name: str
    arguments: str


class _OpenAiCall(msgspec.Struct):
    function: _Function


class _Message(msgspec.Struct):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_OpenAiCall] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _OpenAiUsage(msgspec.Struct):
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _OpenAiUsage | None = None


class _Block(msgspec.Struct):
    type: str
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"null")


class _AnthropicUsage(msgspec.Struct):
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    cache_creation_input_tokens: _Count | None = 0
    cache_read_input_tokens: _Count | None = 0


class _AnthropicMessage(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _AnthropicUsage | None = None


_Shape = TypeVar("_Shape")


def read_openai(body: bytes, tool: str) -> ToolReply:
    """Arguments of the one call of ``tool`` in a chat completion; raises ``CallError``."""
    answer = _decode(body, _Completion)
    usage = NO_USAGE
    if answer.usage:
        usage = Usage(answer.usage.prompt_tokens, answer.usage.completion_tokens)
    if not answer.choices:
        raise CallError(Failure.MALFORMED, "an answer without choices", usage=usage)
    choice = answer.choices[0]
    calls = [(c.function.name, c.function.arguments.encode()) for c in choice.message.tool_calls or ()]
    return ToolReply(_only(calls, tool, choice.finish_reason == "length", usage), usage)


def read_anthropic(body: bytes, tool: str) -> ToolReply:
    """Input of the one use of ``tool`` in a message; raises ``CallError``."""
    answer = _decode(body, _AnthropicMessage)
    usage = NO_USAGE
    if (told := answer.usage) is not None:
        cached = (told.cache_creation_input_tokens or 0) + (told.cache_read_input_tokens or 0)
        usage = Usage(told.input_tokens + cached, told.output_tokens)
    calls = [(block.name, bytes(block.input)) for block in answer.content if block.type == "tool_use"]
    return ToolReply(_only(calls, tool, answer.stop_reason in _CUT, usage), usage)


def _decode(body: bytes, shape: type[_Shape]) -> _Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CallError(Failure.MALFORMED, f"not an answer of this protocol: {error}") from error


def _only(calls: list[tuple[str, bytes]], tool: str, truncated: bool, usage: Usage) -> bytes:
    """The arguments, if ``tool`` was called exactly once and nothing else was."""
    if truncated:
        raise CallError(Failure.TRUNCATED, "the answer was cut at its token limit", usage=usage)
    if not calls:
        raise CallError(Failure.NO_TOOL_CALL, "the model answered without calling the tool", usage=usage)
    if len(calls) > 1 or calls[0][0] != tool:
        raise CallError(Failure.MALFORMED, "the model called something else", usage=usage)
    return calls[0][1]

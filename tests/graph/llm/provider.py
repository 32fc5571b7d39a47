"""A local server that speaks the two protocols, with answers in the shapes that providers send."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdef"

Edge = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request as the server understood it."""

    protocol: str
    role: str  # focus, reference, or skill for completions
    targets: tuple[str, ...]
    system: str
    user: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def main(self) -> str:
        """Id of the skill the call is about."""
        marker = f" role={self.role} id="
        start = self.user.index(marker) + len(marker)
        return str(json.JSONDecoder().raw_decode(self.user, start)[0])


@dataclass(frozen=True)
class Raw:
    """A whole HTTP answer."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Brain = Callable[[Asked], Any]


def nothing(asked: Asked) -> Any:
    """Finds no relation."""
    return {"relations": []}


def edge(target: str, type_: str, direction: str, confidence: float = 0.9, quote: str = "") -> Edge:
    """One item of an answer."""
    return {
        "target": target,
        "type": type_,
        "direction": direction,
        "confidence": confidence,
        "quote": quote,
    }


def knows(*facts: tuple[str, str, str], quotes: Mapping[str, str] | None = None) -> Brain:
    """Answers truthfully from (source, type, target) facts, in whichever role it is asked."""

    def answer(asked: Asked) -> Any:
        found = []
        for source, kind, target in facts:
            quote = (quotes or {}).get(kind, "")
            if source == asked.main and target in asked.targets:
                found.append(edge(target, kind, f"from_{asked.role}", quote=quote))
            elif target == asked.main and source in asked.targets:
                found.append(edge(source, kind, f"to_{asked.role}", quote=quote))
        return {"relations": found}

    return answer


def openai_answer(name: str, arguments: str, *, finish: str = "tool_calls") -> dict[str, Any]:
    """A chat completion with one tool call."""
    call = {"id": "call_8Fq2", "type": "function", "function": {"name": name, "arguments": arguments}}
    return openai_message({"role": "assistant", "content": None, "tool_calls": [call]}, finish)


def openai_message(message: Mapping[str, Any], finish: str = "stop") -> dict[str, Any]:
    """A chat completion with any message."""
    return {
        "id": "chatcmpl-C1a9",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "test-model-2026-11-01",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
        "system_fingerprint": "fp_44709d6fcb",
    }


def anthropic_answer(name: str, arguments: Any, *, stop: str = "tool_use") -> dict[str, Any]:
    """A message with one tool use."""
    block = {"type": "tool_use", "id": "toolu_01A9", "name": name, "input": arguments}
    return anthropic_message([block], stop)


def anthropic_message(content: Sequence[Mapping[str, Any]], stop: str = "end_turn") -> dict[str, Any]:
    """A message with any content."""
    return {
        "id": "msg_01XF",
        "type": "message",
        "role": "assistant",
        "model": "test-model-2026-11-01",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 900,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 100,
            "output_tokens": 50,
        },
    }


def openai_error(status: int, code: str, message: str, **headers: str) -> Raw:
    """An error as OpenAI sends it."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    return Raw(status, json.dumps({"error": error}).encode(), headers)


class LocalProvider:
    """The server: ``script`` answers the first requests, ``brain`` the others; ``asked`` remembers all."""

    def __init__(self) -> None:
        self.brain: Brain = nothing
        self.script: list[Raw | Brain] = []
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True

    def forget(self) -> None:
        """Answer as if just started: a new list of requests, so that a late one reaches no other test."""
        with self.lock:
            self.brain, self.script, self.asked = nothing, [], []

    @property
    def openai_url(self) -> str:
        """Base URL for the OpenAI protocol."""
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for the Anthropic protocol."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def roles(self) -> list[str]:
        """Roles of the requests so far, in order of arrival."""
        return [asked.role for asked in self.asked]

    def answer(self, asked: Asked) -> Raw:
        """What to send back."""
        with self.lock:
            self.asked.append(asked)
            step = self.script.pop(0) if self.script else self.brain
        result = step if isinstance(step, Raw) else step(asked)
        return result if isinstance(result, Raw) else Raw(200, json.dumps(_shape(asked, result)).encode())


def _shape(asked: Asked, arguments: Any) -> dict[str, Any]:
    """Arguments of the tool in the protocol's shape; whole answers pass as they are."""
    if isinstance(arguments, dict) and "usage" in arguments:
        return arguments
    if asked.protocol == "openai":
        name = asked.body["tools"][0]["function"]["name"]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return openai_answer(name, text)
    return anthropic_answer(asked.body["tools"][0]["name"], arguments)


def _understand(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Asked:
    """Check that a request is what the protocol demands, with the tool call forced."""
    if path == "/v1/chat/completions":
        assert headers["authorization"] == f"Bearer {KEY}"
        (tool,) = body["tools"]
        assert tool["type"] == "function"
        assert body["tool_choice"] == {"type": "function", "function": {"name": tool["function"]["name"]}}
        system, user = (message["content"] for message in body["messages"])
        assert [m["role"] for m in body["messages"]] == ["system", "user"]
        protocol, schema = "openai", tool["function"]["parameters"]
    else:
        assert path == "/v1/messages"
        assert headers.get("authorization") == f"Bearer {KEY}" or headers.get("x-api-key") == KEY
        assert headers["anthropic-version"]
        (tool,) = body["tools"]
        assert body["tool_choice"]["type"] == "tool"
        assert body["tool_choice"]["name"] == tool["name"]
        assert body["max_tokens"] > 0
        system, user = body["system"], body["messages"][0]["content"]
        protocol, schema = "anthropic", tool["input_schema"]
    role, targets = _asked_about(schema)
    return Asked(protocol, role, targets, system, user, body, headers)


def _asked_about(schema: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    if "relations" not in schema["properties"]:
        return "skill", ()
    fields = schema["properties"]["relations"]["items"]["properties"]
    return fields["direction"]["enum"][0].removeprefix("from_"), tuple(fields["target"]["enum"])


def _handler(provider: LocalProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                answer = provider.answer(_understand(self.path, headers, body))
            except (AssertionError, KeyError) as error:
                answer = Raw(418, json.dumps({"error": {"message": f"off protocol: {error}"}}).encode())
            head = [f"HTTP/1.1 {answer.status} Told", "content-type: application/json"]
            head += [f"{name.replace('_', '-')}: {value}" for name, value in answer.headers.items()]
            head += [f"content-length: {len(answer.body)}", "", ""]
            try:
                self.wfile.write("\r\n".join(head).encode() + answer.body)
            except ConnectionError:
                self.close_connection = True  # the client has given up waiting, as some tests want

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def running() -> Iterator[LocalProvider]:
    """A provider that serves until the block ends."""
    provider = LocalProvider()
    thread = threading.Thread(target=provider.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        provider.server.shutdown()
        thread.join()
        provider.server.server_close()

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from skillquiver.errors import LlmError, UsageError
from skillquiver.graph.llm.client import PROVIDERS, Provider, open_client
from skillquiver.graph.llm.protocol import CallError, Failure, LlmClient, Tool, ToolRequest, Usage
from tests.graph.llm.provider import (
    KEY,
    LocalProvider,
    Raw,
    anthropic_answer,
    anthropic_message,
    openai_answer,
    openai_error,
    openai_message,
)
from tests.graph.llm.support import ONE_BY_ONE, ClientMaker

SCHEMA = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "properties": {
                    "target": {"enum": ["a"]},
                    "direction": {"enum": ["from_focus"]},
                }
            },
        }
    },
}
REQUEST = ToolRequest("rules", "texts", Tool("report_relations", "Reports.", SCHEMA), 500)
PROTOCOLS = ["openai", "anthropic"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_gives_the_tool_arguments_and_the_tokens_that_were_billed(
    protocol: str, provider: LocalProvider, connect: ClientMaker
) -> None:
    reply = connect(protocol).ask(REQUEST)
    assert json.loads(reply.arguments) == {"relations": []}
    assert reply.usage == Usage(1000, 50)  # Anthropic: 900 fresh + 100 cached
    assert provider.asked[0].system == "rules"
    assert provider.asked[0].user == "texts"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (429, Failure.RATE_LIMIT),
        (500, Failure.SERVER),
        (503, Failure.SERVER),
        (529, Failure.SERVER),
        (504, Failure.TIMEOUT),
        (400, Failure.REFUSED_REQUEST),
        (413, Failure.REFUSED_REQUEST),
    ],
)
def test_each_http_status_has_its_kind_of_failure(
    protocol: str, status: int, failure: Failure, provider: LocalProvider, connect: ClientMaker
) -> None:
    provider.script = [openai_error(status, "x", "words of the provider", retry_after="7")]
    with pytest.raises(CallError, match="words of the provider") as caught:
        connect(protocol).ask(REQUEST)
    assert caught.value.failure is failure
    assert len(provider.asked) == 1  # the library's own retries are off
    if status == 429:
        assert caught.value.retry_after == "7"


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refused_key_or_model_ends_the_run_and_the_message_does_not_hold_the_key(
    status: int, provider: LocalProvider, connect: ClientMaker
) -> None:
    provider.script = [openai_error(status, "denied", f"Incorrect API key provided: {KEY}")]
    with pytest.raises(LlmError, match="check key, model and base URL") as caught:
        connect().ask(REQUEST)
    assert KEY not in str(caught.value)


def test_an_account_without_credit_is_not_taken_for_a_rate_limit(
    provider: LocalProvider, connect: ClientMaker
) -> None:
    provider.script = [openai_error(429, "insufficient_quota", "You exceeded your current quota")]
    with pytest.raises(LlmError, match="no credit"):
        connect().ask(REQUEST)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_that_comes_too_late_is_a_timeout(
    protocol: str, provider: LocalProvider, connect: ClientMaker
) -> None:
    release = threading.Event()

    def late(_: object) -> Raw:
        release.wait(30)
        return Raw(500, b"{}")

    provider.script = [late]
    try:
        with pytest.raises(CallError) as caught:
            connect(protocol, replace(ONE_BY_ONE, timeout_seconds=0.05)).ask(REQUEST)
    finally:
        release.set()
    assert caught.value.failure is Failure.TIMEOUT


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_is_not_there_is_a_connection_failure(protocol: str, connect: ClientMaker) -> None:
    with pytest.raises(CallError) as caught:
        connect(protocol, url="http://127.0.0.1:1/v1").ask(REQUEST)
    assert caught.value.failure is Failure.CONNECTION


CUT = '{"relations": [{"target": "test/a", "ty'
WRONG_TOOL = {"relations": []}


@pytest.mark.parametrize(
    ("protocol", "body", "failure"),
    [
        ("openai", "<html>Bad gateway</html>", Failure.MALFORMED),
        ("openai", "", Failure.MALFORMED),
        ("openai", '{"choices": [], "usage": null}', Failure.MALFORMED),
        ("openai", '{"choices": "none"}', Failure.MALFORMED),
        ("openai", json.dumps(openai_answer("report_relations", CUT, finish="length")), Failure.TRUNCATED),
        ("openai", json.dumps(openai_answer("other_tool", "{}")), Failure.MALFORMED),
        (
            "openai",
            json.dumps(openai_message({"role": "assistant", "content": None, "refusal": "I can't help."})),
            Failure.NO_TOOL_CALL,
        ),
        (
            "openai",
            json.dumps(openai_message({"role": "assistant", "content": "None."})),
            Failure.NO_TOOL_CALL,
        ),
        ("anthropic", "<html>Bad gateway</html>", Failure.MALFORMED),
        ("anthropic", '{"type": "message"}', Failure.MALFORMED),
        ("anthropic", json.dumps(anthropic_message([], "refusal")), Failure.NO_TOOL_CALL),
        (
            "anthropic",
            json.dumps(anthropic_message([{"type": "text", "text": "No."}])),
            Failure.NO_TOOL_CALL,
        ),
        ("anthropic", json.dumps(anthropic_answer("other_tool", {})), Failure.MALFORMED),
        (
            "anthropic",
            json.dumps(anthropic_answer("report_relations", {}, stop="max_tokens")),
            Failure.TRUNCATED,
        ),
    ],
)
def test_an_answer_off_the_protocol_is_told_apart(
    protocol: str, body: str, failure: Failure, provider: LocalProvider, connect: ClientMaker
) -> None:
    provider.script = [Raw(200, body.encode())]
    with pytest.raises(CallError) as caught:
        connect(protocol).ask(REQUEST)
    assert caught.value.failure is failure


def test_only_openai_itself_is_sent_the_options_that_compatible_servers_do_not_know(
    provider: LocalProvider, connect: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = connect()
    client.ask(REQUEST)
    monkeypatch.setitem(PROVIDERS, "openai", Provider("openai", provider.openai_url, "OPENAI_API_KEY"))  # type: ignore[arg-type]
    client.ask(REQUEST)
    other, own = (asked.body for asked in provider.asked)
    assert other["max_tokens"] == own["max_completion_tokens"] == 500
    assert "strict" not in other["tools"][0]["function"]
    assert own["tools"][0]["function"]["strict"] is True
    assert own["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in other


def test_the_key_is_in_neither_the_name_nor_the_representation_of_a_client(connect: ClientMaker) -> None:
    client = connect(url="http://user:secret@127.0.0.1:1/v1")
    assert repr(client) == "OpenAiClient('openai:test-model', host='127.0.0.1')"
    assert client.model == "openai:test-model"


def test_the_key_and_the_address_come_from_the_environment_where_no_argument_says_otherwise(
    provider: LocalProvider,
) -> None:
    environ = {"OPENAI_API_KEY": KEY, "QUIVER_LLM_BASE_URL": provider.openai_url}
    client = open_client("openai:test-model", environ=environ)
    client.ask(REQUEST)  # the server checks the key
    client.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_key_is_in_no_log_line_even_where_the_libraries_log_everything(
    protocol: str, provider: LocalProvider, connect: ClientMaker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = connect(protocol)
    assert isinstance(client, LlmClient)
    client.ask(REQUEST)
    provider.script = [openai_error(500, "x", f"echo {KEY}")]
    with pytest.raises(CallError) as caught:
        client.ask(REQUEST)
    assert KEY not in str(caught.value)
    assert "/v1/" in caplog.text  # the libraries did log
    assert KEY not in "".join(line for line in caplog.text.splitlines() if "echo" not in line)


def test_a_missing_key_names_the_variable_to_set() -> None:
    with pytest.raises(LlmError, match="ANTHROPIC_API_KEY or QUIVER_LLM_API_KEY"):
        open_client("anthropic:m", environ={})


@pytest.mark.parametrize("model", ["gpt", "openai:", "nobody:m", ""])
def test_a_model_is_written_provider_colon_model(model: str) -> None:
    with pytest.raises(UsageError, match="provider:model"):
        open_client(model, environ={})


@pytest.mark.parametrize("library", PROTOCOLS)
def test_a_missing_extra_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(LlmError, match=r"pip install 'skillquiver\[llm\]'"):
        open_client(f"{library}:m", environ={}, api_key=KEY)


def test_importing_the_package_imports_no_vendor_library() -> None:
    code = (
        "import sys, skillquiver.graph.llm.judge, skillquiver.graph.llm.client\n"
        "print(sorted({'openai', 'anthropic', 'httpx', 'httpx2', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[]"


def test_every_provider_speaks_one_of_the_two_protocols() -> None:
    assert {provider.protocol for provider in PROVIDERS.values()} == set(PROTOCOLS)

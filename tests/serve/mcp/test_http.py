"""The HTTP endpoint as another application mounts it, in this process."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from skillquiver.errors import UsageError
from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.server import build_mcp, http_endpoint
from tests.libraries import hashing, index, put

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
}


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    for name in ("first", "second"):
        put(tmp_path / f"{name}-skills", name, f"The {name} skill.")
        index(tmp_path / name, tmp_path / f"{name}-skills")
    return [tmp_path / "first", tmp_path / "second"]


def post(
    folders: list[Path], *, host: str = "localhost:80", choose_by_header: bool = False, **headers: str
) -> httpx2.Response:
    """Answer to one `library_status` call."""

    async def run(endpoint: Any) -> httpx2.Response:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "resources/list",
            "params": {"_meta": MODERN},
        }
        given = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "resources/list",
            **headers,
        }
        async with (
            endpoint.run(),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=endpoint.asgi)) as client,
        ):
            return await client.post(f"http://{host}/mcp", json=message, headers=given)

    with ExitStack() as stack:
        lives = [stack.enter_context(LiveLibrary(folder, open_encoder=hashing)) for folder in folders]

        def choose(request: Any) -> LiveLibrary:
            wanted = request.headers.get("library", "")
            if wanted not in ("first", "second"):
                raise UsageError("this key has no library")
            return lives[("first", "second").index(wanted)]

        server = build_mcp(lives[0], choose=choose if choose_by_header else None)
        return anyio.run(run, http_endpoint(server))


def names(response: httpx2.Response) -> list[str]:
    return [resource["name"] for resource in response.json()["result"]["resources"]]


def test_an_endpoint_answers_in_json_without_a_session(folders: list[Path]) -> None:
    response = post(folders)
    assert (response.status_code, names(response)) == (200, ["first"])
    assert "mcp-session-id" not in response.headers


def test_a_request_may_choose_its_library(folders: list[Path]) -> None:
    assert names(post(folders, choose_by_header=True, library="first")) == ["first"]
    assert names(post(folders, choose_by_header=True, library="second")) == ["second"]


def test_a_request_that_may_choose_none_is_refused(folders: list[Path]) -> None:
    error = post(folders, choose_by_header=True, library="third").json()["error"]
    assert (error["code"], error["message"]) == (-32600, "this key has no library")


def test_a_page_that_calls_the_server_by_a_name_of_its_own_is_refused(folders: list[Path]) -> None:
    assert post(folders, host="evil.example").status_code == 421

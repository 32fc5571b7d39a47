"""Real clients and servers in processes of their own: one session over each transport."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from mcp import StdioServerParameters, stdio_client
from mcp.client import Client

from skillquiver.serve.cli import main
from skillquiver.serve.hook.client import ask_warm
from skillquiver.serve.hook.sockets import SUPPORTED
from tests.libraries import index, put
from tests.serve.mcp.helpers import ERAS, request, structured


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path / "tools", "pdf", "Fill in pdf forms.")
    index(tmp_path / "library", tmp_path / "tools")
    return tmp_path / "library"


async def session(client: Client) -> None:
    assert len((await client.list_tools()).tools) == 5
    found = structured(await client.call_tool("find_skills", {"task": "fill in a pdf form"}), "find_skills")
    assert found["skills"][0]["id"] == "tools/pdf"
    assert found["degraded"]  # nothing was loaded yet
    assert [skill["uri"] for skill in (await request(client, "skills/list"))["skills"]] == [
        "skill://tools/pdf/SKILL.md"
    ]


def test_a_client_of_another_process_is_served_over_standard_streams(folder: Path) -> None:
    arguments = ["-m", "skillquiver", "mcp", "--library", str(folder)]

    async def run() -> None:
        server = stdio_client(
            StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        )
        async with Client(server) as client:
            await session(client)

    anyio.run(run)


@pytest.mark.skipif(not SUPPORTED, reason="no Unix sockets here")
def test_a_server_answers_hooks_while_it_serves_its_client(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> object:
        return ask_warm(str(folder), b'{"prompt": "fill in a pdf form"}', seconds=60)

    async def run() -> None:
        arguments = ["-m", "skillquiver", "mcp", "--library", str(folder)]
        server = stdio_client(
            StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        )
        async with Client(server) as client:
            await session(client)
            assert await anyio.to_thread.run_sync(ask) is not None

    with tempfile.TemporaryDirectory(prefix="sq-") as runtime:  # a path short enough for a socket
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        assert ask() is None
        anyio.run(run)
        assert ask() is None


def test_a_client_of_another_process_is_served_over_http(folder: Path) -> None:
    command = [sys.executable, "-m", "skillquiver", "mcp", "--http", "127.0.0.1:0", "--library", str(folder)]

    async def run(address: str, era: str) -> None:
        async with Client(address, mode=era) as client:
            await session(client)

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert line.startswith("quiver: serving http://127.0.0.1:")
            anyio.run(run, line.split()[-1], ERAS[0])
        finally:
            server.terminate()
            server.communicate(timeout=30)


def test_an_address_that_others_can_reach_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(main, ["mcp", "--http", "0.0.0.0:0", "--library", str(folder)])
    assert (result.exit_code, "use 127.0.0.1" in result.output) == (2, True)


def test_an_address_in_use_is_a_usage_error(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = CliRunner().invoke(main, ["mcp", "--http", address, "--library", str(folder)])
    assert (result.exit_code, "cannot listen" in result.output) == (2, True)


@pytest.mark.parametrize("address", ["8000", "localhost:", ":80", "localhost:x", "localhost:70000"])
def test_what_is_no_address_is_a_usage_error(address: str) -> None:
    result = CliRunner().invoke(main, ["mcp", "--http", address])
    assert (result.exit_code, "HOST:PORT" in result.output) == (2, True)


def test_without_the_extra_the_command_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = CliRunner().invoke(main, ["mcp"])
    assert (result.exit_code, "skillquiver[mcp]" in result.output) == (2, True)


def test_other_commands_import_neither_the_sdk_nor_a_server() -> None:
    code = (
        "import sys, skillquiver.serve.cli.search_command, skillquiver.serve.live;"
        "heavy = ('mcp', 'mcp_types', 'pydantic', 'starlette', 'uvicorn', 'numpy');"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert shown.stdout == "[]\n"

"""A client in this process for one scenario at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import anyio
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, Request, RequestParams
from pydantic import BaseModel

from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.contract import TOOLS, output_schema
from skillquiver.serve.mcp.server import build_mcp
from skillquiver.types import Encoder
from tests.libraries import hashing

T = TypeVar("T")

ERAS = ("legacy", "2026-07-28")
"""How a client may begin: ``initialize``, or requests of the stateless revision."""


def with_client(
    server: Server[Any], scenario: Callable[[Client], Awaitable[T]], *, era: str = "2026-07-28"
) -> T:
    """Run ``scenario`` on a client of ``server``."""

    async def run() -> T:
        async with Client(server, mode=era) as client:
            return await scenario(client)

    return anyio.run(run)


def on_library(
    folder: Path,
    scenario: Callable[[Client], Awaitable[T]],
    *,
    era: str = "2026-07-28",
    open_encoder: Callable[[str], Encoder] = hashing,
) -> T:
    """Run ``scenario`` on a client of a server over the library in ``folder``."""
    with ExitStack() as stack:
        live = stack.enter_context(LiveLibrary(folder, open_encoder=open_encoder))
        return with_client(build_mcp(live), scenario, era=era)


def call(folder: Path, tool: str, *, era: str = "2026-07-28", **arguments: Any) -> CallToolResult:
    """Call one tool."""
    return on_library(folder, lambda client: client.call_tool(tool, arguments), era=era)


def structured(result: CallToolResult, tool: str) -> dict[str, Any]:
    """The structured answer, which must keep to the tool's schema."""
    assert not result.is_error, text(result)
    spec = next(spec for spec in TOOLS if spec.name == tool)
    Draft202012Validator(output_schema(spec)).validate(result.structured_content)
    found: dict[str, Any] = result.structured_content
    return found


def text(result: CallToolResult) -> str:
    """What a host without structured content shows."""
    (block,) = result.content
    assert block.type == "text"
    return block.text


class AnyParams(RequestParams, extra="allow"):
    """Parameters as they are, for methods that the SDK has no types for."""


class AnyResult(BaseModel, extra="allow"):
    """A result as it came."""


async def request(client: Client, method: str, **params: Any) -> dict[str, Any]:
    """Send a request of an extension."""
    asked = Request[AnyParams, str](method=method, params=AnyParams(**params))
    found = await client.session.send_request(asked, AnyResult)
    return found.model_dump()

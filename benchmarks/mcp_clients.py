"""The SDK's own client against `quiver mcp` in another process: every tool, both eras, both transports.

    python -m benchmarks.mcp_clients LIBRARY QUERIES.jsonl [--limit 30] [--pages-only]

Each answer is validated against the output schema that the server declares, and `skills/list` is paged
through to its end: every skill must come once. ``--pages-only`` does that alone, on standard streams, for
libraries made to be large.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from jsonschema import Draft202012Validator
from mcp import StdioServerParameters, stdio_client
from mcp.client import Client
from mcp.types import Request, RequestParams
from pydantic import BaseModel

from skillquiver.index.store import Store

ERAS = ("legacy", "2026-07-28")

Scenario = Callable[[Client], Awaitable[str]]


class AnyParams(RequestParams, extra="allow"):
    """Parameters as they are, for methods that the SDK has no types for."""


class AnyResult(BaseModel, extra="allow"):
    """A result as it came."""


def main() -> None:
    """Run every combination and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--pages-only", action="store_true")
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    queries = [json.loads(line)["query"] for line in lines]
    with Store.opened(given.library) as store:
        shown = sum(not skill.hidden for _, skill in store.all_skills(body=False))
    words = ["-m", "skillquiver", "mcp", "--library", str(given.library)]
    for era in ERAS:
        if not given.pages_only:
            print(f"stdio, {era}: {anyio.run(over_stdio, words, era, partial(tools, queries))}", flush=True)
        print(f"stdio, {era}: {anyio.run(over_stdio, words, era, partial(pages, shown))}", flush=True)
    if given.pages_only:
        return
    with subprocess.Popen(
        [sys.executable, *words, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1]
        for era in ERAS:
            for scenario in (partial(tools, queries), partial(pages, shown)):
                print(f"HTTP, {era}: {anyio.run(over_http, address, era, scenario)}", flush=True)
        server.terminate()


async def over_stdio(words: list[str], era: str, scenario: Scenario) -> str:
    """Run on a server of its own."""
    server = stdio_client(StdioServerParameters(command=sys.executable, args=words))
    async with Client(server, mode=era) as client:
        return await scenario(client)


async def over_http(address: str, era: str, scenario: Scenario) -> str:
    """Run on the server at ``address``."""
    async with Client(address, mode=era) as client:
        return await scenario(client)


async def tools(queries: list[str], client: Client) -> str:
    """Call every tool for every query; an answer that does not validate ends the run."""
    checks = {
        tool.name: Draft202012Validator(tool.output_schema) for tool in (await client.list_tools()).tools
    }
    calls: Counter[str] = Counter()

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result
        checks[name].validate(result.structured_content)
        calls[name] += 1
        found: dict[str, Any] = result.structured_content
        return found

    for query in queries:
        skills = (await call("find_skills", task=query))["skills"]
        await call("get_bundle", task=query)
        for skill in skills[:2]:
            await call("resolve_skill", skill=skill["id"])
            await call("next_skills", skill=skill["id"])
        await call("library_status")
    assert set(calls) == set(checks), set(checks) - set(calls)
    return ", ".join(f"{count} {name}" for name, count in sorted(calls.items())) + ": all valid"


async def pages(shown: int, client: Client) -> str:
    """Page through `skills/list` to its end."""
    found: Counter[str] = Counter()
    times: list[float] = []
    cursor: dict[str, str] = {}
    while True:
        started = time.perf_counter()
        asked = Request(method="skills/list", params=AnyParams.model_validate(cursor))
        page = (await client.session.send_request(asked, AnyResult)).model_dump()
        times.append(time.perf_counter() - started)
        found.update(skill["uri"] for skill in page["skills"])
        if not page.get("nextCursor"):
            break
        cursor = {"cursor": page["nextCursor"]}
    assert len(found) == found.total() == shown, (len(found), found.total(), shown)
    return (
        f"{found.total():,} skills in {len(times):,} pages of skills/list, each once; "
        f"{sum(times):.1f} s, the slowest page {max(times) * 1000:.0f} ms, the last {times[-1] * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()

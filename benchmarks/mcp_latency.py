"""The MCP server as a host starts it: time to its first replies, per call, its memory and its list of tools.

    python -m benchmarks.mcp_latency LIBRARY QUERIES.jsonl [--cold 7] [--limit 100] [--reopen 1000]

Cold times are whole processes, each beside one that only imports the SDK: the median of the differences.
Memory is the resident size of the server's process, files mapped into it included. ``--reopen`` opens the
library anew that often and prints memory and open files before and after.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.server import tool_list
from skillquiver.skills.tokens import count_tokens

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "0"},
}


class Session:
    """One server process, spoken to in lines of JSON-RPC."""

    def __init__(self, library: Path) -> None:
        self.started = time.perf_counter()
        command = [sys.executable, "-m", "skillquiver", "mcp", "--library", str(library)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its result."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        result: dict[str, Any] = json.loads(self.process.stdout.readline())["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its structured answer."""
        answer: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments)["structuredContent"]
        return answer

    def seconds(self) -> float:
        """Since the process was started."""
        return time.perf_counter() - self.started

    def memory(self) -> str:
        """Resident megabytes, and how many of them belong to no file."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = {
            line.split(":")[0]: int(line.split()[1]) // 1024 for line in status.splitlines() if "kB" in line
        }
        return f"{found['VmRSS']} MB resident, {found['RssAnon']} MB of them its own"

    def close(self) -> None:
        """End it as a host does."""
        self.process.communicate(timeout=60)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--cold", type=int, default=7)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--reopen", type=int, default=0)
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()[: given.limit]
    queries = [json.loads(line)["query"] for line in lines]
    print(f"tools/list: {count_tokens(tool_list().model_dump_json(by_alias=True, exclude_none=True))} tokens")
    cold(given.library, given.cold, queries[0])
    warm(given.library, queries)
    if given.reopen:
        reopen(given.library, given.reopen, queries[0])


def cold(library: Path, runs: int, query: str) -> None:
    """Process start to the first replies, beside the import of the SDK."""
    over: dict[str, list[float]] = {"tools/list": [], "find_skills": []}
    alone = []
    for _ in range(runs):
        alone.append(importing())
        session = Session(library)
        session.ask("tools/list")
        over["tools/list"].append(session.seconds() - alone[-1])
        assert session.call("find_skills", task=query)["degraded"]
        over["find_skills"].append(session.seconds() - alone[-1])
        session.close()
    print(f"python -c 'import mcp': median {statistics.median(alone) * 1000:.0f} ms of {runs}")
    for reply, seconds in over.items():
        print(
            f"first {reply}: {statistics.median(seconds) * 1000:+.0f} ms over that "
            f"({min(seconds) * 1000:+.0f} to {max(seconds) * 1000:+.0f})"
        )


def importing() -> float:
    """Seconds until a process that only imports the SDK has done so; not until it has ended."""
    started = time.perf_counter()
    code = "import mcp; print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - started


def warm(library: Path, queries: list[str]) -> None:
    """Each tool and method on one server, once the encoder is there."""
    session = Session(library)
    session.call("find_skills", task=queries[0])
    print(f"after the first answer, encoder loading: {session.memory()}")
    while session.call("library_status")["encoder"] in ("cold", "warming"):
        time.sleep(0.1)
    ids = [
        one["id"] for query in queries for one in session.call("find_skills", task=query, limit=1)["skills"]
    ]
    timed("find_skills", [lambda q=q: session.call("find_skills", task=q) for q in queries])
    timed("get_bundle", [lambda q=q: session.call("get_bundle", task=q) for q in queries])
    timed("resolve_skill", [lambda i=i: session.call("resolve_skill", skill=i) for i in ids])
    timed("next_skills", [lambda i=i: session.call("next_skills", skill=i) for i in ids])
    timed("library_status", [lambda: session.call("library_status") for _ in queries])
    pages = [{}]

    def page() -> None:
        found = session.ask("skills/list", **pages[-1])
        pages.append({"cursor": found["nextCursor"]} if "nextCursor" in found else {})

    timed("skills/list, new digests", [page for _ in range(40)])
    del pages[1:]
    timed("skills/list, known digests", [page for _ in range(40)])
    print(f"warm: {session.memory()}")
    session.close()


def timed(label: str, calls: list[Any]) -> None:
    """Print p50 and p95 in milliseconds."""
    times = []
    for ask in calls:
        started = time.perf_counter()
        ask()
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(f"{label}: p50 {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


def reopen(library: Path, times: int, query: str) -> None:
    """Open the library anew before every answer, by replacing the manifest of its vectors with itself."""
    manifest = library / "dense" / "dense.json"

    def held() -> str:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return f"{pages * 4 // 1024} MB, {len(list(Path('/proc/self/fd').iterdir()))} open files"

    with LiveLibrary(library) as live:
        live.wait_warm(60)
        for count in range(times):
            if count in (20, times // 2):
                print(f"after {count} openings: {held()}")
            copy = manifest.with_suffix(".new")
            copy.write_bytes(manifest.read_bytes())
            copy.replace(manifest)
            live.search(query)
        print(f"after {live.openings} openings: {held()}")


if __name__ == "__main__":
    main()

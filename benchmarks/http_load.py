"""Load on `quiver serve`: the highest rate with p95 within a limit, held while bad requests come as well.

    python -m benchmarks.http_load LIBRARY QUERIES.jsonl [--seconds 120] [--rates 5,10,20] [--hold 10]

Starts a server in a process of its own, with one token, and waits until its encoder is there. Requests come
at fixed times, whether or not the last one was answered (open loop), so that a queue shows; latency counts
from the time at which a request was due. Of ten requests one reads a skill, ``--bundles`` (2) are bundles,
the others searches. In the long run one request in ten more is malformed, oversized or without a token, and
has to be refused. Memory is the resident size of the server's process, and what of it belongs to no file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from skillquiver.serve.http.tokens import add_token

STEP_SECONDS = 8.0
"""How long each rate is tried."""

BAD = (
    ("GET", "/search", {"params": {"query": "a", "top_k": "many"}}),
    ("GET", "/search", {"params": {"query": "a" * 20_000}}),
    ("POST", "/bundle", {"content": b"{", "headers": {"content-type": "application/json"}}),
    ("POST", "/bundle", {"content": b"a" * 100_000, "headers": {"content-type": "application/json"}}),
    ("GET", "/search", {"params": {"query": "a"}, "headers": {"authorization": "Bearer wrong"}}),
    ("DELETE", "/search", {}),
    ("GET", "/skills/there/is/no/such", {}),
)


@dataclass
class Tally:
    """What came back: milliseconds of the good requests, and how often each status."""

    ms: list[float] = field(default_factory=list)
    good: Counter[int] = field(default_factory=Counter)
    bad: Counter[int] = field(default_factory=Counter)

    def p95(self) -> float:
        """Milliseconds within which 95 of 100 good requests were answered."""
        return statistics.quantiles(self.ms, n=20)[-1]


class Load:
    """Requests to one server."""

    def __init__(self, client: httpx2.AsyncClient, queries: list[str], skill: str, bundles: int) -> None:
        self.client, self.queries, self.skill, self.bundles = client, queries, skill, bundles

    async def run(self, rate: float, seconds: float, *, bad: bool = False) -> Tally:
        """Send ``rate`` good requests a second for so long."""
        tally, tasks, started = Tally(), [], time.perf_counter()
        for number in range(int(rate * seconds)):
            due = started + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(self._good(number, due, tally)))
            if bad and number % 10 == 0:
                tasks.append(asyncio.create_task(self._bad(number // 10, tally)))
        await asyncio.gather(*tasks)
        return tally

    async def _good(self, number: int, due: float, tally: Tally) -> None:
        query, kind = self.queries[number % len(self.queries)], number % 10
        if kind < 9 - self.bundles:
            response = await self.client.post("/search", json={"query": query})
        elif kind < 9:
            response = await self.client.post("/bundle", json={"query": query})
        else:
            response = await self.client.get(f"/skills/{self.skill}")
        tally.good[response.status_code] += 1
        tally.ms.append((time.perf_counter() - due) * 1000)

    async def _bad(self, number: int, tally: Tally) -> None:
        method, path, options = BAD[number % len(BAD)]
        response = await self.client.request(method, path, **options)  # type: ignore[arg-type]
        tally.bad[response.status_code] += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--p95", type=float, default=100)
    parser.add_argument("--bundles", type=int, default=2, help="how many of ten requests are bundles")
    parser.add_argument("--hold", type=float, default=0, help="a rate to hold whatever its p95 was")
    parser.add_argument("--rates", default="5,10,15,20,30,40,60")
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["query"] for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens.json"
        secret = add_token(tokens, "load", ["load"], created="now")
        command = [sys.executable, "-m", "skillquiver", "serve", "--port", "0", "--quiet"]
        command += ["--tokens", str(tokens), "--library", f"load={given.library}", "--rate", "100000"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
            try:
                assert server.stderr is not None
                address = server.stderr.readline().split()[-1]
                asyncio.run(measure(address, secret, queries, server.pid, given))
            finally:
                server.terminate()


async def measure(address: str, secret: str, queries: list[str], process: int, given: Any) -> None:
    """Find the rate, then hold it."""
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
        while (await client.get("/libraries")).json()["libraries"][0]["encoder"] != "ready":
            await asyncio.sleep(0.2)
        first = (await client.post("/search", json={"query": queries[0]})).json()
        load, best = Load(client, queries, first["results"][0]["id"], given.bundles), 0.0
        await load.run(5, 4)
        for rate in map(float, given.rates.split(",")):
            tally = await load.run(rate, STEP_SECONDS)
            print(
                f"{rate:.0f}/s: p50 {statistics.median(tally.ms):.0f} ms, p95 {tally.p95():.0f} ms, ", end=""
            )
            print(dict(tally.good), flush=True)
            if tally.p95() > given.p95 or set(tally.good) != {200}:
                break
            best = rate
        if given.hold or best:
            await hold(load, given.hold or best, given.seconds, process)


async def hold(load: Load, rate: float, seconds: float, process: int) -> None:
    """Run at ``rate`` with bad requests among the good, in quarters, with the memory after each."""
    print(f"holding {rate:.0f}/s for {seconds:.0f} s, a tenth more bad; {memory(process)} before")
    for _ in range(4):
        tally = await load.run(rate, seconds / 4, bad=True)
        print(f"p50 {statistics.median(tally.ms):.0f} ms, p95 {tally.p95():.0f} ms, ", end="")
        print(f"{dict(tally.good)}, bad {dict(tally.bad)}, {memory(process)}", flush=True)


def memory(process: int) -> str:
    """Resident megabytes, and how many of them belong to no file."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in status.splitlines() if "kB" in line}
    return f"{found['VmRSS']} MB resident, {found['RssAnon']} MB its own"


if __name__ == "__main__":
    main()

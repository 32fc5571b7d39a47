"""The gateway as one ASGI application: who asks, may they, how much; then the question; then its record."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from skillquiver.errors import SkillquiverError, UsageError
from skillquiver.serve.http import metrics
from skillquiver.serve.http.contract import Document
from skillquiver.serve.http.limits import Places, RateLimiter
from skillquiver.serve.http.openapi import openapi
from skillquiver.serve.http.operations import BUNDLE, NEXT, SEARCH, SKILL, Operation
from skillquiver.serve.http.problems import ProblemError, problem_of, problem_response
from skillquiver.serve.http.requests import bearer, check_host, parameters, read_body, read_request
from skillquiver.serve.http.tokens import Token, TokenFile, find_token
from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.render import to_json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from skillquiver.settings import HttpSettings

__all__ = ["ACCESS", "CHOSEN", "OPERATIONS", "Gateway"]

OPERATIONS: Mapping[str, Operation] = {
    "/search": SEARCH,
    "/bundle": BUNDLE,
    "/next": NEXT,
    "/skills/{id}": SKILL,
}
"""Questions to a library, by path."""

_SKILLS = "/skills/"
_PAGES = ("/healthz", "/libraries", "/metrics", "/openapi.json")
_PUBLIC = frozenset({"/healthz", "/openapi.json"})
"""Pages that tell nothing of any library, for probes and for those who write clients."""

MCP = "/mcp"

CHOSEN = "skillquiver.library"
"""Key of the ASGI scope under which the MCP face finds the library of a request."""

ACCESS = logging.getLogger("skillquiver.serve.http.access")
"""One JSON object a request: never a query, a path, a token or a library's folder."""

_LOG = logging.getLogger(__name__)

RETRY_BUSY_SECONDS = 1
"""After which a place should be free: answers take milliseconds."""


@dataclass(slots=True)
class _Exchange:
    """One request on its way, as it will be counted and logged."""

    send: Send
    started: float
    route: str = "other"
    token: str = ""
    status: int = 0
    sent: int = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        elif message["type"] == "http.response.body":
            self.sent += len(message.get("body", b""))
        await self.send(message)


_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


@dataclass(slots=True, kw_only=True)
class Gateway:
    """Answers questions to ``libraries`` (by name) over HTTP.

    ``tokens`` is ``None`` where everybody is let in; ``hosts`` are the names the server goes by, none for
    any; ``clock`` gives seconds; ``mcp`` answers under ``/mcp``, and finds the library in its scope.
    """

    libraries: Mapping[str, LiveLibrary]
    tokens: TokenFile | None
    settings: HttpSettings
    clock: Callable[[], float]
    hosts: frozenset[str] = frozenset()
    mcp: ASGIApp | None = None
    metrics: metrics.Metrics = field(default_factory=metrics.Metrics)
    _limiter: RateLimiter = field(init=False)
    _places: Places = field(init=False)
    _workers: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self._limiter = RateLimiter(settings.rate_per_second, settings.burst, self.clock)
        self._places = Places(settings.max_concurrent)
        self._workers = ThreadPoolExecutor(settings.max_concurrent, "skillquiver-http")

    def close(self) -> None:
        """Wait for answers under way."""
        self._workers.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whatever goes wrong becomes a problem document."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        exchange = _Exchange(send, self.clock())
        try:
            await self._answered(Request(scope, receive), exchange)
        finally:
            self._record(exchange, scope["method"])

    async def _answered(self, request: Request, exchange: _Exchange) -> None:
        try:
            await self._handle(request, exchange)
        except ProblemError as problem:
            refusal = problem
        except SkillquiverError as error:
            refusal = problem_of(error)
            if refusal.status >= 500:
                _LOG.warning("%s: %s", exchange.route, error)
        except Exception:
            _LOG.exception("%s: a fault of this program", exchange.route)
            refusal = ProblemError(500, "a fault of the server; its log says more")
        else:
            return
        if not exchange.status:
            await problem_response(refusal)(request.scope, request.receive, exchange)

    def _record(self, exchange: _Exchange, method: str) -> None:
        seconds = self.clock() - exchange.started
        self.metrics.count(exchange.route, exchange.status, seconds)
        ACCESS.info(
            json.dumps(
                {
                    "method": method if method in _METHODS else "other",
                    "route": exchange.route,
                    "status": exchange.status,
                    "ms": round(seconds * 1000, 2),
                    "bytes": exchange.sent,
                    "token": exchange.token,
                }
            )
        )

    # --- may they? ---------------------------------------------------------------------------

    async def _handle(self, request: Request, exchange: _Exchange) -> None:
        exchange.route = route = _route_of(request.scope["path"])
        check_host(request, self.hosts)
        token = self._identify(request)
        exchange.token = token.name if token else ""
        self._limit(request, token)
        if self.tokens is not None and token is None and route not in _PUBLIC:
            raise ProblemError(401, "a known bearer token is needed", headers={"www-authenticate": "Bearer"})
        _check_method(request.method, route)
        if route in _PAGES:
            await self._page(route, token)(request.scope, request.receive, exchange)
            return
        values = parameters(request, self.settings)
        live = self._library(values.pop("library", []), token)
        body = await read_body(request, self.settings) if request.method == "POST" else None
        if route == MCP:
            await self._pass_on(request, exchange, live, body or b"")
            return
        if body is not None and not _is_json(request):
            raise ProblemError(415, "send the body as application/json")
        operation = OPERATIONS[route]
        asked = read_request(operation.request, values, body)
        named = request.scope["path"].removeprefix(_SKILLS)
        document = await self._in_thread(lambda: operation.answer(live, asked, named))
        await _json(document)(request.scope, request.receive, exchange)

    def _identify(self, request: Request) -> Token | None:
        secret = bearer(request)
        if self.tokens is None or not secret:
            return None
        try:
            return find_token(self.tokens.tokens(), secret)
        except UsageError as error:  # a file that cannot be trusted lets nobody in
            _LOG.error("nobody is let in: %s", error)
            return None

    def _limit(self, request: Request, token: Token | None) -> None:
        address = request.client.host if request.client else ""
        wait = self._limiter.take(f"token {token.name}" if token else f"address {address}")
        if wait:
            raise ProblemError(429, "too many requests", headers={"retry-after": str(wait)})

    def _library(self, wanted: list[str], token: Token | None) -> LiveLibrary:
        """The library that was asked for. One out of scope is answered as one that does not exist."""
        visible = sorted(name for name in self.libraries if token is None or token.may_read(name))
        if len(wanted) > 1:
            raise ProblemError(422, f"library is given {len(wanted)} times")
        if not wanted and len(visible) > 1:
            raise ProblemError(400, "say which library, as in ?library=NAME", members={"libraries": visible})
        name = wanted[0] if wanted else next(iter(visible), "")
        if name not in visible:
            raise ProblemError(404, "there is no such library for you to read")
        return self.libraries[name]

    # --- the answer ---------------------------------------------------------------------------

    def _page(self, route: str, token: Token | None) -> ASGIApp:
        if route == "/healthz":
            return _json({"status": "ok"})
        if route == "/metrics":
            text = self.metrics.text(under_way=self._places.taken)
            return Response(text, headers={"content-type": metrics.MEDIA_TYPE})
        if route == "/openapi.json":
            return _json(openapi(OPERATIONS, tokens=self.tokens is not None))
        names = sorted(name for name in self.libraries if token is None or token.may_read(name))

        async def libraries(scope: Scope, receive: Receive, send: Send) -> None:
            document = await self._in_thread(lambda: {"libraries": [self._row(name) for name in names]})
            await _json(document)(scope, receive, send)

        return libraries

    def _row(self, name: str) -> Document:
        status = self.libraries[name].status()
        return {
            "name": name,
            "state": status.state.value,
            "skills": status.skills,
            "generation": status.generation,
            "encoder": status.encoder.value,
            "degraded": status.degraded,
        }

    def _enter(self) -> None:
        if not self._places.enter():
            raise ProblemError(503, "busy", headers={"retry-after": str(RETRY_BUSY_SECONDS)})

    async def _in_thread(self, work: Callable[[], Document]) -> Document:
        """Answer in a worker thread. A late answer is given up, but keeps its place until it is there."""
        self._enter()
        future = self._workers.submit(work)
        future.add_done_callback(lambda _: self._places.leave())
        waiting = asyncio.wrap_future(future)
        await asyncio.wait({waiting}, timeout=self.settings.timeout_seconds)
        if not waiting.done():
            raise ProblemError(504, "the answer took too long")
        return waiting.result()

    async def _pass_on(self, request: Request, exchange: _Exchange, live: LiveLibrary, body: bytes) -> None:
        """Let the MCP face answer. Host and Origin have been checked: it sees those of this machine."""
        if self.mcp is None:
            raise ProblemError(404, "MCP is not served here")
        left_out = (b"host", b"origin", b"authorization")
        headers = [(name, value) for name, value in request.scope["headers"] if name not in left_out]
        scope = {**request.scope, "headers": [*headers, (b"host", b"localhost")], CHOSEN: live}
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return whole.pop() if whole else await request.receive()

        self._enter()
        try:
            async with asyncio.timeout(self.settings.timeout_seconds):
                await self.mcp(scope, receive, exchange)
        except TimeoutError as error:
            raise ProblemError(504, "the answer took too long") from error
        finally:
            self._places.leave()


def _route_of(path: str) -> str:
    """The pattern that ``path`` fits: one of a few, whatever is asked for."""
    if path in _PAGES or path == MCP or path in OPERATIONS:
        return path
    return "/skills/{id}" if path.startswith(_SKILLS) and path != _SKILLS else "other"


_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})


def _check_method(method: str, route: str) -> None:
    if route == "other":
        raise ProblemError(404, "there is nothing here; /openapi.json lists what there is")
    allowed = ("GET",) if route in _PAGES else ("POST",) if route == MCP else OPERATIONS[route].methods
    if method not in allowed:
        told = ", ".join(allowed)
        raise ProblemError(405, f"{route} takes {told}", headers={"allow": told})


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json"


def _json(document: Mapping[str, Any]) -> Response:
    return Response(to_json(document, indent=False), media_type="application/json")

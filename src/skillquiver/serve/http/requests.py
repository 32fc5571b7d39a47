"""Requests into records: sizes, encodings, hosts and parameters are checked before anything is asked."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
from starlette.requests import ClientDisconnect, Request

from skillquiver.serve.http.problems import ProblemError
from skillquiver.settings import HttpSettings

__all__ = ["MAX_FIELDS", "bearer", "check_host", "parameters", "read_body", "read_request"]

MAX_FIELDS = 700
"""Parameters in one query string: three lists of the longest kind, and room."""

Parameters = dict[str, list[str]]


def check_host(request: Request, hosts: frozenset[str]) -> None:
    """Refuse requests that call the server by a name not its own, or that a page of another site sends.

    Without this a web page could read a server on this machine by pointing its own name there (DNS
    rebinding). No ``hosts``: every name will do. Raises ``ProblemError`` 421 or 403.
    """
    if not hosts:
        return
    named = request.headers.getlist("host")
    if len(named) != 1 or _hostname(f"//{named[0]}") not in hosts:
        raise ProblemError(421, "this server does not go by the name in the Host header")
    origin = request.headers.get("origin")
    if origin is not None and _hostname(origin) not in hosts:
        raise ProblemError(403, "pages of other sites may not ask this server")


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def bearer(request: Request) -> str:
    """Return the bearer token; empty if there is none, or more than one."""
    given = request.headers.getlist("authorization")
    scheme, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if scheme.lower() == "bearer" else ""


def parameters(request: Request, settings: HttpSettings) -> Parameters:
    """Return the values of each parameter in the query string. Raises ``ProblemError`` 414 or 400."""
    raw: bytes = request.scope["query_string"]
    if len(raw) > settings.max_query_bytes:
        raise ProblemError(
            414, f"the query string has more than {settings.max_query_bytes} bytes; send a POST"
        )
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:  # UnicodeDecodeError included
        raise ProblemError(
            400, "the query string is not percent-encoded UTF-8, or has too many fields"
        ) from error
    found: Parameters = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


async def read_body(request: Request, settings: HttpSettings) -> bytes:
    """Return the body. Raises ``ProblemError`` 413 as soon as it is too large, 408 if it does not come."""
    told = request.headers.get("content-length", "0")
    if told.isdecimal() and int(told[:20]) > settings.max_body_bytes:
        raise _too_large(settings)
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(settings.body_timeout_seconds):
            async for part in request.stream():
                parts.append(part)
                if sum(map(len, parts)) > settings.max_body_bytes:
                    raise _too_large(settings)
    except TimeoutError as error:
        raise ProblemError(408, "the body took too long", headers={"connection": "close"}) from error
    except ClientDisconnect as error:
        raise ProblemError(400, "the body ended early") from error
    return b"".join(parts)


def _too_large(settings: HttpSettings) -> ProblemError:
    told = f"the body has more than {settings.max_body_bytes} bytes"
    return ProblemError(413, told, headers={"connection": "close"})


def read_request(record: type[msgspec.Struct], values: Parameters, body: bytes | None) -> Any:
    """Return the record of a request, from its query string or from its JSON ``body``.

    Raises ``ProblemError`` 400 for what is no JSON, 422 for a wrong, missing, repeated or unknown parameter.
    """
    try:
        if body is None:
            return msgspec.convert(_single(record, values), record, strict=False)
        if values:
            raise ProblemError(422, f"{', '.join(sorted(values))}: parameters of a POST go into its body")
        return msgspec.convert(_whole(msgspec.json.decode(body)), record)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(record))
        raise ProblemError(422, f"{error}; parameters: library, {known}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProblemError(400, f"the body is no JSON: {error}") from error
    except RecursionError as error:
        raise ProblemError(400, "the body is nested too deeply") from error


def _whole(body: Any) -> Any:
    """JSON has one kind of number: 5.0 is as good as 5."""
    if not isinstance(body, dict):
        return body
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in body.items()
    }


def _single(record: type[msgspec.Struct], values: Parameters) -> dict[str, Any]:
    lists = {field.name for field in msgspec.structs.fields(record) if isinstance(field.default, tuple)}
    found: dict[str, Any] = {}
    for name, given in values.items():
        if name not in lists and len(given) > 1:
            raise ProblemError(422, f"{name} is given {len(given)} times")
        found[name] = given if name in lists else given[0]
    return found

"""Query files: one JSON object a line, with ``query_id`` and ``query``; other fields are for scorers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from skillquiver.errors import UsageError
from skillquiver.serve.usecases.searching import BatchQuery

__all__ = ["read_queries"]


def read_queries(file: Path) -> list[BatchQuery]:
    """Read a query file. Raises ``UsageError`` with the line for anything that is not a query."""
    queries: list[BatchQuery] = []
    seen: set[str] = set()
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            query = msgspec.json.decode(line, type=BatchQuery)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UsageError(
                f"{file}, line {number}: {error}; each line is an object with query_id and query"
            ) from error
        if query.query_id in seen:
            raise UsageError(f"{file}, line {number}: query_id {query.query_id!r} occurs twice")
        seen.add(query.query_id)
        queries.append(query)
    return queries

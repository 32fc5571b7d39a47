"""What goes wrong, as ``application/problem+json`` (RFC 9457). No answer tells of the server's inside."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from skillquiver.errors import (
    AmbiguousNameError,
    ConflictError,
    LibraryError,
    LibraryMissingError,
    SkillquiverError,
    UnknownSkillError,
)
from skillquiver.serve.render import to_json
from skillquiver.skills.sanitize import plain

__all__ = ["MEDIA_TYPE", "ProblemError", "problem_of", "problem_response"]

MEDIA_TYPE = "application/problem+json"

RETRY_LIBRARY_SECONDS = 5
"""After which a library that could not be read is worth another try: `quiver index` may be running."""


class ProblemError(Exception):
    """A refusal: HTTP ``status``, what is wrong in words, further members of the document, and headers."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        self.status, self.detail = status, detail
        self.headers, self.members = dict(headers or {}), dict(members or {})
        super().__init__(detail)


def problem_of(error: SkillquiverError) -> ProblemError:
    """Return how HTTP says ``error``.

    404 no such skill, 409 wishes against each other, 422 what else the caller can mend, 503 the library.
    """
    if isinstance(error, UnknownSkillError):
        return ProblemError(404, str(error), members={"suggestions": list(error.suggestions)})
    if isinstance(error, AmbiguousNameError):
        return ProblemError(422, str(error), members={"candidates": list(error.candidates)})
    if isinstance(error, ConflictError):
        return ProblemError(409, str(error))
    if isinstance(error, LibraryError):  # its message names folders of this machine, which goes to the log
        missing = isinstance(error, LibraryMissingError)
        told = "nothing is indexed in this library yet" if missing else "this library cannot be read now"
        return ProblemError(503, told, headers={"retry-after": str(RETRY_LIBRARY_SECONDS)})
    return ProblemError(422, str(error))


def problem_response(problem: ProblemError) -> Response:
    """Return the document with its status and headers."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": plain(problem.detail),
        **problem.members,
    }
    return Response(
        to_json(document, indent=False),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )

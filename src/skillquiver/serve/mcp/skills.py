"""The skills extension, ``io.modelcontextprotocol/skills``: the library's skills as a catalogue and files.

A skill's URI is ``skill://<id>/SKILL.md``; its files are ``skill://<id>/<path>``. Everything but the
frontmatter is read from disk when it is asked for, so that digests are those of what is read next.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.exceptions import MCPError

from skillquiver.errors import LibraryError, UsageError
from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.usecases.catalogue import Page, skills_page
from skillquiver.serve.usecases.folders import SKILL_FILE, FolderListing, list_folder, read_file
from skillquiver.serve.usecases.library import Library
from skillquiver.skills.records import Kind, Skill
from skillquiver.skills.sanitize import clean, plain

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

__all__ = ["EXTENSION", "PAGE", "GetSkillParams", "LibraryOf", "add_skills"]

EXTENSION = "io.modelcontextprotocol/skills"

PAGE = 50
"""Skills per page: about 60 KB with their frontmatter and digests."""

SCHEME = "skill://"

_CURSOR = "after:"


class GetSkillParams(types.RequestParams):
    """Parameters of ``skills/get``."""

    uri: str


LibraryOf = Callable[[Any], LiveLibrary]


def add_skills(server: Server[Any], library: LibraryOf, workers: anyio.CapacityLimiter) -> None:
    """Register the extension's methods, and the resources it refers to, on ``server``."""

    def asked(work: Callable[[LiveLibrary, Any], Any]) -> Callable[[Any, Any], Any]:
        async def handler(ctx: ServerRequestContext[Any, Any], params: Any) -> Any:
            chosen = library(ctx)
            return await anyio.to_thread.run_sync(_guarded, work, chosen, params, limiter=workers)

        return handler

    server.add_request_handler("skills/list", types.PaginatedRequestParams, asked(_list_skills))
    server.add_request_handler("skills/get", GetSkillParams, asked(_get_skill))
    server.add_request_handler("resources/list", types.PaginatedRequestParams, asked(_list_resources))
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, asked(_read_resource))


def _guarded(work: Callable[[LiveLibrary, Any], Any], live: LiveLibrary, params: Any) -> Any:
    try:
        return work(live, params)
    except UsageError as error:
        raise MCPError(types.INVALID_PARAMS, clean(str(error))) from error
    except LibraryError as error:
        raise MCPError(types.INTERNAL_ERROR, clean(str(error))) from error


# --- methods ---------------------------------------------------------------------------------


def _list_skills(live: LiveLibrary, params: types.PaginatedRequestParams) -> dict[str, Any]:
    page = _page(live, params.cursor)
    entries = [_entry(skill, listing) for skill in page.skills if (listing := list_folder(skill)).files]
    result = {**_result(page.generation), "skills": entries}
    if page.after:
        result["nextCursor"] = _cursor(page.after)
    return result


def _get_skill(live: LiveLibrary, params: GetSkillParams) -> dict[str, Any]:
    skill, name, generation = live.ask(lambda library: _found(library, params.uri))
    listing = list_folder(skill)
    if name != SKILL_FILE or not listing.files:
        raise UsageError(f"unknown skill URI {plain(params.uri)!r}; skills/list has the known ones")
    return {**_result(generation), "skill": _entry(skill, listing)}


def _list_resources(live: LiveLibrary, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
    page = _page(live, params.cursor)
    resources = [
        types.Resource(
            uri=_uri(skill, SKILL_FILE),
            name=plain(skill.name),
            description=plain(skill.description),
            mime_type="text/markdown",
        )
        for skill in page.skills
    ]
    return types.ListResourcesResult(
        resources=resources, next_cursor=_cursor(page.after) if page.after else None
    )


def _read_resource(live: LiveLibrary, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    skill, name, _ = live.ask(lambda library: _found(library, params.uri))
    data, kind = read_file(skill, name), _mime_type(name)
    try:
        if b"\0" in data:
            raise UnicodeError("binary")
        text = data.decode("utf-8")
    except UnicodeError:  # whatever is no text goes as bytes
        blob = base64.b64encode(data).decode("ascii")
        content: Any = types.BlobResourceContents(uri=params.uri, mime_type=kind, blob=blob)
    else:
        content = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
    return types.ReadResourceResult(contents=[content])


# --- shapes ----------------------------------------------------------------------------------


def _result(generation: int) -> dict[str, Any]:
    """What every result of revision 2026-07-28 carries; nothing may be kept, since skills change on disk."""
    return {
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"skillquiver/generation": generation},
    }


def _entry(skill: Skill, listing: FolderListing) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "uri": _uri(skill, SKILL_FILE),
        "frontmatter": _frontmatter(skill),
        "resources": [
            {"uri": _uri(skill, file.name), "digest": f"sha256:{file.digest}", "size": file.size}
            for file in listing.files
        ],
    }
    if not listing.complete:
        entry["_meta"] = {"skillquiver/incomplete": True}
    return entry


def _frontmatter(skill: Skill) -> dict[str, Any]:
    """The frontmatter as it stands; a name or description it lacks is the one the skill is found by."""
    needed = {"name": skill.name, "description": skill.description}
    lacking = {key: value for key, value in needed.items() if not isinstance(skill.metadata.get(key), str)}
    return {**skill.metadata, **lacking}


def _page(live: LiveLibrary, cursor: str | None) -> Page:
    after = _after(cursor) if cursor else ""
    return live.ask(lambda library: skills_page(library, after=after, size=PAGE, hidden=False))


def _cursor(after: str) -> str:
    return base64.urlsafe_b64encode(f"{_CURSOR}{after}".encode()).decode("ascii")


def _after(cursor: str) -> str:
    try:
        text = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (UnicodeError, binascii.Error):
        text = ""
    if not text.startswith(_CURSOR):
        raise UsageError("this cursor is not one of this server; begin again without a cursor")
    return text.removeprefix(_CURSOR)


def _uri(skill: Skill, name: str) -> str:
    return f"{SCHEME}{quote(skill.id)}/{quote(os.fsencode(name))}"


def _found(library: Library, uri: str) -> tuple[Skill, str, int]:
    """(skill, file name, generation) that a URI names: the longest id that it begins with.

    Raises ``UsageError`` for any other, and for a skill that is hidden from models.
    """
    parts = unquote_to_bytes(uri.removeprefix(SCHEME)).split(b"/") if uri.startswith(SCHEME) else []
    for end in range(len(parts) - 1, 0, -1):
        skill_id = b"/".join(parts[:end]).decode("utf-8", "replace")
        skill = library.store.skill(skill_id)
        if skill is not None and skill.kind is Kind.SKILL and not skill.hidden:
            return skill, os.fsdecode(b"/".join(parts[end:])), library.store.generation
    raise UsageError(f"unknown skill URI {plain(uri)!r}; skills/list has the known ones")


def _mime_type(name: str) -> str:
    return _MIME_TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


_MIME_TYPES = {
    "csv": "text/csv",
    "css": "text/css",
    "gif": "image/gif",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "svg": "image/svg+xml",
    "ts": "text/x-typescript",
    "txt": "text/plain",
    "xml": "text/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
"""By suffix. A table of our own: that of the language is extended by whatever the machine has installed."""

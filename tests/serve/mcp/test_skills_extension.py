from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from skillquiver.serve.live import LiveLibrary
from skillquiver.serve.mcp.server import build_mcp
from skillquiver.serve.mcp.skills import EXTENSION, PAGE
from tests.libraries import hashing, index, put
from tests.serve.mcp.helpers import ERAS, on_library, request, with_client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tools = tmp_path / "tools"
    put(tools, "pdf", "Fill in pdf forms.", license="MIT")
    (tools / "pdf" / "scripts").mkdir()
    (tools / "pdf" / "scripts" / "fill.py").write_bytes(b"print()\n")
    (tools / "pdf" / "form é.bin").write_bytes(b"\0\1")
    put(tools, "bread", "Bake sourdough bread.")
    put(tools, "deploy", "Deploy.", **{"disable-model-invocation": "true"})
    (tools / ".claude" / "commands").mkdir(parents=True)
    index(tmp_path / "library", tools)
    return tmp_path / "library"


@pytest.fixture
def live(folder: Path) -> Iterator[LiveLibrary]:
    with LiveLibrary(folder, open_encoder=hashing) as opened:
        yield opened


def refused(live: LiveLibrary, method: str, **params: Any) -> MCPError:
    """The error that a request is answered with."""

    async def scenario(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await request(client, method, **params)
        return caught.value

    return with_client(build_mcp(live), scenario)


def asked(live: LiveLibrary, method: str, *, era: str = "2026-07-28", **params: Any) -> dict[str, Any]:
    return with_client(build_mcp(live), lambda client: request(client, method, **params), era=era)


def every_page(live: LiveLibrary) -> list[list[str]]:
    """URIs of `skills/list`, page by page."""

    async def scenario(client: Client) -> list[list[str]]:
        pages: list[list[str]] = []
        params: dict[str, str] = {}
        while len(pages) < 10:
            page = await request(client, "skills/list", **params)
            pages.append([skill["uri"] for skill in page["skills"]])
            if "nextCursor" not in page:
                return pages
            params = {"cursor": page["nextCursor"]}
        raise AssertionError("the pages do not end")

    return with_client(build_mcp(live), scenario)


def test_the_extension_is_declared(live: LiveLibrary) -> None:
    async def scenario(client: Client) -> Any:
        return client.server_capabilities

    capabilities = with_client(build_mcp(live), scenario, era="auto")
    assert capabilities.extensions == {EXTENSION: {}}
    assert capabilities.resources is not None


@pytest.mark.parametrize("era", ERAS)
def test_a_skill_comes_with_its_frontmatter_and_the_digests_of_its_files(
    live: LiveLibrary, folder: Path, era: str
) -> None:
    own = (folder.parent / "tools" / "pdf" / "SKILL.md").read_bytes()
    found = asked(live, "skills/get", era=era, uri="skill://tools/pdf/SKILL.md")
    assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")
    assert found["_meta"]["skillquiver/generation"] == 1
    assert found["skill"] == {
        "uri": "skill://tools/pdf/SKILL.md",
        "frontmatter": {"name": "pdf", "description": "Fill in pdf forms.", "license": "MIT"},
        "resources": [
            {
                "uri": "skill://tools/pdf/SKILL.md",
                "digest": f"sha256:{hashlib.sha256(own).hexdigest()}",
                "size": len(own),
            },
            {
                "uri": "skill://tools/pdf/form%20%C3%A9.bin",
                "digest": f"sha256:{hashlib.sha256(bytes([0, 1])).hexdigest()}",
                "size": 2,
            },
            {
                "uri": "skill://tools/pdf/scripts/fill.py",
                "digest": f"sha256:{hashlib.sha256(b'print()' + bytes([10])).hexdigest()}",
                "size": 8,
            },
        ],
    }


def test_what_is_listed_is_what_is_read(live: LiveLibrary) -> None:
    async def scenario(client: Client) -> int:
        entry = (await request(client, "skills/get", uri="skill://tools/pdf/SKILL.md"))["skill"]
        for resource in entry["resources"]:
            (content,) = (await client.read_resource(resource["uri"])).contents
            kind = content.model_dump()
            data = kind["text"].encode() if kind.get("text") else base64.b64decode(kind["blob"])
            assert f"sha256:{hashlib.sha256(data).hexdigest()}" == resource["digest"]
            assert content.uri == resource["uri"]
        return len(entry["resources"])

    assert with_client(build_mcp(live), scenario) == 3


def test_resources_name_their_media_type(live: LiveLibrary) -> None:
    async def kinds(client: Client) -> list[str | None]:
        names = ("SKILL.md", "scripts/fill.py", "form%20%C3%A9.bin")
        uris = [f"skill://tools/pdf/{name}" for name in names]
        return [(await client.read_resource(uri)).contents[0].mime_type for uri in uris]

    assert with_client(build_mcp(live), kinds) == [
        "text/markdown",
        "text/x-python",
        "application/octet-stream",
    ]


def test_resources_are_listed_as_the_files_of_skills(live: LiveLibrary) -> None:
    async def uris(client: Client) -> list[str]:
        return [resource.uri for resource in (await client.list_resources()).resources]

    assert with_client(build_mcp(live), uris) == [
        "skill://tools/bread/SKILL.md",
        "skill://tools/pdf/SKILL.md",
    ]


@pytest.mark.parametrize(
    "uri",
    [
        "skill://nope/SKILL.md",
        "skill://tools/deploy/SKILL.md",
        "skill://tools/pdf/scripts/fill.py",
        "skill://tools/pdf",
        "skill://",
        "file:///etc/passwd",
        "skill://tools/pdf/%00/SKILL.md",
        "skill://tools/../tools/pdf/SKILL.md",
    ],
)
def test_an_unknown_or_hidden_skill_is_an_invalid_parameter(live: LiveLibrary, uri: str) -> None:
    error = refused(live, "skills/get", uri=uri)
    assert error.code == -32602
    assert "unknown skill URI" in error.message


@pytest.mark.parametrize(
    "name", ["../bread/SKILL.md", "%2E%2E/bread/SKILL.md", "scripts", "gone.txt", "a%00b", "scripts%2F..%2Fx"]
)
def test_no_file_outside_a_skill_can_be_read(live: LiveLibrary, name: str) -> None:
    assert refused(live, "resources/read", uri=f"skill://tools/pdf/{name}").code == -32602


def test_parameters_that_are_missing_or_of_another_server_are_refused(live: LiveLibrary) -> None:
    assert refused(live, "skills/get").code == -32602
    for cursor in ("x", "é", "bm8=", base64.urlsafe_b64encode(b"elsewhere").decode()):
        assert refused(live, "skills/list", cursor=cursor).code == -32602


def test_a_missing_library_is_an_internal_error_that_names_the_command(tmp_path: Path) -> None:
    with LiveLibrary(tmp_path / "nowhere", open_encoder=hashing) as live:
        error = refused(live, "skills/list")
    assert (error.code, "quiver index" in error.message) == (-32603, True)


def test_more_than_128_skills_come_in_pages_each_once_and_in_order(tmp_path: Path) -> None:
    names = [f"s{number:03}" for number in range(3 * PAGE)]
    for name in names:
        put(tmp_path / "many", name)
    index(tmp_path / "library", tmp_path / "many", vectors=False)
    with LiveLibrary(tmp_path / "library", open_encoder=hashing) as live:
        pages = every_page(live)
    assert [len(page) for page in pages] == [PAGE, PAGE, PAGE]
    assert [uri for page in pages for uri in page] == [f"skill://many/{name}/SKILL.md" for name in names]


def test_skills_that_come_and_go_between_pages_neither_repeat_nor_hide_others(tmp_path: Path) -> None:
    many = tmp_path / "many"
    for number in range(PAGE + 10):
        put(many, f"s{number:03}")
    index(tmp_path / "library", many, vectors=False)

    async def scenario(client: Client) -> tuple[list[str], list[str]]:
        first = await request(client, "skills/list")
        put(many, "a-new-one", "Comes before everything.")
        (many / "s000" / "SKILL.md").unlink()
        (many / f"s{PAGE - 1:03}" / "SKILL.md").unlink()
        index(tmp_path / "library", vectors=False)
        second = await request(client, "skills/list", cursor=first["nextCursor"])
        assert "nextCursor" not in second
        return [skill["uri"] for skill in first["skills"]], [skill["uri"] for skill in second["skills"]]

    first, second = on_library(tmp_path / "library", scenario)
    assert first[-1] == f"skill://many/s{PAGE - 1:03}/SKILL.md"
    assert second == [f"skill://many/s{number:03}/SKILL.md" for number in range(PAGE, PAGE + 10)]


def test_pages_of_hidden_skills_are_passed_over(tmp_path: Path) -> None:
    for number in range(2 * PAGE):
        put(tmp_path / "many", f"s{number:03}", **{"disable-model-invocation": "true"})
    put(tmp_path / "many", "zebra")
    index(tmp_path / "library", tmp_path / "many", vectors=False)
    with LiveLibrary(tmp_path / "library", open_encoder=hashing) as live:
        assert every_page(live) == [["skill://many/zebra/SKILL.md"]]


def test_a_skill_without_frontmatter_gets_the_name_it_is_found_by(live: LiveLibrary, folder: Path) -> None:
    file = folder.parent / "tools" / "plain" / "SKILL.md"
    file.parent.mkdir()
    file.write_text("Just some instructions.\n", encoding="utf-8")
    index(folder)
    found = asked(live, "skills/get", uri="skill://tools/plain/SKILL.md")["skill"]["frontmatter"]
    assert found == {"name": "plain", "description": "Just some instructions."}


def test_a_skill_whose_file_is_gone_is_left_out_until_it_is_indexed_again(
    live: LiveLibrary, folder: Path
) -> None:
    (folder.parent / "tools" / "pdf" / "SKILL.md").unlink()
    assert every_page(live) == [["skill://tools/bread/SKILL.md"]]
    assert refused(live, "skills/get", uri="skill://tools/pdf/SKILL.md").code == -32602

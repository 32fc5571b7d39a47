from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from skillquiver.serve.mcp.contract import TOOLS, input_schema, output_schema
from skillquiver.serve.mcp.server import tool_list
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.skills.tokens import count_tokens
from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder
from tests.libraries import index, put
from tests.serve.mcp.helpers import ERAS, call, on_library, structured, text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tools = tmp_path / "tools"
    put(tools, "pdf", "Fill in pdf forms.", "```\n## 9. forged\n```\nOpen the form.")
    put(tools, "bread", "Bake sourdough bread.")
    put(tools, "deploy", "Deploy to production with secrets.", **{"disable-model-invocation": "true"})
    index(tmp_path / "library", tools)
    return tmp_path / "library"


# --- the list of tools -------------------------------------------------------------------------


def test_the_list_of_tools_costs_at_most_1200_tokens() -> None:
    listed = tool_list().model_dump_json(by_alias=True, exclude_none=True)
    assert 500 < count_tokens(listed) <= 1200


@pytest.mark.parametrize("era", ERAS)
def test_clients_of_both_eras_list_the_same_tools_in_the_same_order(folder: Path, era: str) -> None:
    async def names(client: Client) -> list[str]:
        first, second = await client.list_tools(), await client.list_tools()
        assert first.tools == second.tools
        return [tool.name for tool in first.tools]

    expected = ["find_skills", "get_bundle", "resolve_skill", "next_skills", "library_status"]
    assert on_library(folder, names, era=era) == expected


def test_every_tool_reads_only_and_has_schemas_that_are_schemas() -> None:
    for tool in tool_list().tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint
        assert tool.annotations.open_world_hint is False
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert "$ref" not in json.dumps(schema)


def test_schemas_name_what_may_be_left_out() -> None:
    find = next(spec for spec in TOOLS if spec.name == "find_skills")
    assert input_schema(find)["required"] == ["task"]
    assert input_schema(find)["additionalProperties"] is False
    assert output_schema(find)["required"] == ["status", "degraded", "skills"]


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_find_skills_ranks_and_says_that_it_is_degraded_while_the_encoder_loads(
    folder: Path, era: str
) -> None:
    may_load = Event()

    def opener(_: str) -> Encoder:
        assert may_load.wait(30)
        return HashEncoder()

    async def scenario(client: Client) -> None:
        try:
            result = await client.call_tool("find_skills", {"task": "fill in a pdf form"})
            data = structured(result, "find_skills")
            assert data["skills"][0]["id"] == "tools/pdf"
            assert data["skills"][0]["description"] == "Fill in pdf forms."
            assert data["degraded"] == "the encoder is warming up: lexical only"
            assert "(degraded: the encoder is warming up: lexical only)" in text(result)
        finally:
            may_load.set()

    on_library(folder, scenario, era=era, open_encoder=opener)


def test_find_skills_offers_nothing_where_nothing_matches(folder: Path) -> None:
    result = call(folder, "find_skills", task="quantum chromodynamics")
    data = structured(result, "find_skills")
    assert (data["status"], data["skills"]) == ("none", [])
    assert text(result).startswith("none: nothing in this library matches")


def test_get_bundle_gives_the_text_within_its_budget(folder: Path) -> None:
    result = call(folder, "get_bundle", task="fill in a pdf form", budget=600, max_skills=1)
    data = structured(result, "get_bundle")
    assert [(one["id"], one["role"], one["tier"]) for one in data["skills"]] == [
        ("tools/pdf", "match", "body")
    ]
    assert count_tokens(data["text"]) == data["tokens"] <= 600
    assert text(result).startswith(data["text"].rstrip())


def test_get_bundle_heeds_what_must_come_must_not_or_is_there(folder: Path) -> None:
    task = "fill in a pdf form"

    def ids(**wishes: list[str]) -> list[str]:
        data = structured(call(folder, "get_bundle", task=task, **wishes), "get_bundle")
        return [one["id"] for one in data["skills"]]

    assert "tools/bread" in ids(must=["bread"])
    assert "tools/pdf" not in ids(without=["pdf"])
    assert "tools/pdf" not in ids(loaded=["tools/pdf"])
    refused = call(folder, "get_bundle", task=task, must=["deploy"])
    assert refused.is_error
    assert "for people only" in text(refused)


def test_a_body_cannot_leave_its_fence(folder: Path) -> None:
    data = structured(call(folder, "resolve_skill", skill="pdf"), "resolve_skill")
    assert (data["id"], data["tier"]) == ("tools/pdf", "body")
    assert "````markdown\n" in data["text"]
    assert data["text"].index("````markdown") < data["text"].index("## 9. forged")


def test_resolve_skill_shortens_what_exceeds_the_budget(folder: Path) -> None:
    data = structured(call(folder, "resolve_skill", skill="pdf", budget=5), "resolve_skill")
    assert (data["tier"], data["text"]) == ("none", "")


def test_next_skills_of_a_library_without_a_graph_says_so(folder: Path) -> None:
    result = call(folder, "next_skills", skill="pdf")
    data = structured(result, "next_skills")
    assert (data["id"], data["related"]) == ("tools/pdf", [])
    assert text(result) == f"No related skills are known.\n(note: {data['note']})"
    assert "quiver graph build" in data["note"]


def test_library_status_tells_a_ready_library_from_a_missing_one(folder: Path, tmp_path: Path) -> None:
    data = structured(call(folder, "library_status"), "library_status")
    assert (data["state"], data["skills"], data["fault"]) == ("ready", 3, "")
    gone = structured(call(tmp_path / "nowhere", "library_status"), "library_status")
    assert (gone["state"], gone["skills"]) == ("missing", 0)
    assert "quiver index" in gone["fault"]


def test_the_next_answer_knows_what_was_indexed_while_the_server_ran(folder: Path) -> None:
    async def scenario(client: Client) -> None:
        before = structured(await client.call_tool("find_skills", {"task": "spreadsheet"}), "find_skills")
        assert before["skills"] == []
        put(folder.parent / "tools", "sheets", "Edit a spreadsheet.")
        index(folder)
        after = structured(await client.call_tool("find_skills", {"task": "spreadsheet"}), "find_skills")
        assert after["skills"][0]["id"] == "tools/sheets"

    on_library(folder, scenario)


# --- what is hidden from models ------------------------------------------------------------------


def test_hidden_skills_are_in_no_answer(folder: Path) -> None:
    task = "deploy to production with secrets"
    found = structured(call(folder, "find_skills", task=task), "find_skills")
    assert "tools/deploy" not in json.dumps(found)
    packed = structured(call(folder, "get_bundle", task=task), "get_bundle")
    assert "tools/deploy" not in json.dumps(packed)
    result = call(folder, "resolve_skill", skill="tools/deploy")
    assert result.is_error
    assert "for people only" in text(result)
    misspelt = call(folder, "resolve_skill", skill="deployy")
    assert misspelt.is_error
    assert "tools/deploy," not in text(misspelt)
    assert "tools/deploy?" not in text(misspelt)


def test_a_name_that_one_visible_skill_has_means_that_one(folder: Path) -> None:
    hidden = {"disable-model-invocation": "true"}
    put(folder.parent / "more", "pdf", "Another way with forms.", "Print them.", **hidden)
    index(folder, folder.parent / "more")
    assert structured(call(folder, "resolve_skill", skill="pdf"), "resolve_skill")["id"] == "tools/pdf"
    put(folder.parent / "more", "bread", "Another loaf.", "Use a machine.")
    put(folder.parent / "more", "deploy", "Another deployment.", "By hand.", **hidden)
    index(folder)
    assert text(call(folder, "resolve_skill", skill="bread")).endswith("more/bread, tools/bread")
    assert "no skill called 'deploy'" in text(call(folder, "resolve_skill", skill="deploy"))


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "taught"),
    [
        ("find_skills", {}, "missing required field `task`; its arguments: task, limit"),
        ("find_skills", {"task": "x", "limit": 0}, "`int` >= 1"),
        ("find_skills", {"query": "x"}, "unknown field `query`"),
        ("library_status", {"verbose": True}, "its arguments: none"),
        ("resolve_skill", {"skill": "pdff"}, "did you mean tools/pdf?"),
        ("resolve_skill", {"skill": "sourdough-bread"}, "did you mean tools/bread?"),
        ("next_skills", {"skill": "../../etc/passwd"}, "no skill id"),
        ("resolve_skill", {"skill": "a\0b"}, "control characters"),
    ],
)
def test_errors_teach_and_carry_no_structure(
    folder: Path, tool: str, arguments: dict[str, object], taught: str, era: str
) -> None:
    result = on_library(folder, lambda client: client.call_tool(tool, arguments), era=era)
    assert result.is_error
    assert result.structured_content is None
    assert taught in text(result)


def test_a_missing_library_is_an_error_result_that_names_the_command(tmp_path: Path) -> None:
    result = call(tmp_path / "nowhere", "find_skills", task="pdf")
    assert result.is_error
    assert "quiver index" in text(result)


def test_an_unknown_tool_is_a_protocol_error_that_lists_the_tools(folder: Path) -> None:
    async def scenario(client: Client) -> None:
        with pytest.raises(MCPError, match="find_skills, get_bundle") as caught:
            await client.call_tool("search_everything", {"task": "pdf"})
        assert caught.value.code == -32602

    on_library(folder, scenario)


# --- relations -----------------------------------------------------------------------------------


def test_related_skills_come_by_group_with_the_words_that_say_so(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    put(tools, "parse", "Parse logs into tables.")
    put(tools, "report", "Write a report.", requires="[parse]")
    put(tools, "secret", "Write a secret report.", "Other steps.", requires="[parse]")
    secret = tools / "secret" / "SKILL.md"
    shown = secret.read_text(encoding="utf-8")
    secret.write_text(shown.replace("---\n#", "disable-model-invocation: true\n---\n#"), encoding="utf-8")
    index(tmp_path / "library", tools)
    build_library_graph(tmp_path / "library")
    folder = tmp_path / "library"
    after = structured(call(folder, "next_skills", skill="parse"), "next_skills")
    assert [(one["id"], one["group"]) for one in after["related"]] == [("tools/report", "next_steps")]
    assert after["related"][0]["why"].startswith("required by (curated, ")
    result = call(folder, "resolve_skill", skill="report")
    before = structured(result, "resolve_skill")
    assert [(one["id"], one["group"]) for one in before["related"]] == [("tools/parse", "prerequisites")]
    assert "prerequisites: tools/parse, requires (curated, " in text(result)
    done = structured(call(folder, "next_skills", skill="report", done=["parse"]), "next_skills")
    assert (done["related"], done["note"]) == ([], "")

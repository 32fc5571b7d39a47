"""What the gateway answers: the documents of the command line, described by its OpenAPI document."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from skillquiver.serve.cli import main
from skillquiver.serve.http import contract
from skillquiver.skills.records import Skill
from tests.libraries import index
from tests.serve.http.helpers import Place

MCP = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "resources/list",
}

MESSAGE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "resources/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        }
    },
}

ASKED: list[tuple[str, dict[str, Any], Any]] = [
    ("/search", {"query": "fill in a pdf form", "explain": "true"}, contract.SearchDocument),
    ("/bundle", {"query": "fill in a pdf form", "budget": "500"}, contract.BundleDocument),
    ("/next", {"skill": "pdf"}, contract.NextDocument),
    ("/skills/tools-skills/pdf", {}, Skill),
    ("/libraries", {}, contract.LibrariesDocument),
    ("/healthz", {}, contract.HealthDocument),
]


@pytest.mark.parametrize(("path", "asked", "record"), ASKED)
def test_every_field_of_an_answer_is_in_its_record(
    place: Place, path: str, asked: dict[str, str], record: Any
) -> None:
    with place.client("tools", tokens=False) as client:
        response = client.get(path, params=asked)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    document = response.json()
    assert msgspec.json.decode(msgspec.json.encode(msgspec.convert(document, record))) == document


def test_a_search_answers_as_the_command_line_prints(place: Place) -> None:
    index(place.folder / "words", place.folder / "tools-skills", vectors=False)  # no encoder that warms up
    with place.client("words", tokens=False) as client:
        told = client.get("/search", params={"query": "pdf forms"}).json()
    arguments = ["search", "pdf", "forms", "--no-hidden", "--json"]
    printed = CliRunner().invoke(main, [*arguments, "--library", str(place.folder / "words")])
    assert told == msgspec.json.decode(printed.output)


def test_a_post_asks_the_same_as_a_get(place: Place) -> None:
    asked = {"query": "pdf", "without": ["merge"], "max_skills": 1.0, "loaded": []}
    with place.client("tools", tokens=False) as client:
        posted = client.post("/bundle", json=asked).json()
        got = client.get("/bundle", params={"query": "pdf", "without": "merge", "max_skills": 1}).json()
    assert posted["entries"][0]["id"] == got["entries"][0]["id"] == "tools-skills/pdf"


def test_skills_hidden_from_models_are_in_no_answer_unless_a_person_asks_for_them(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        found = client.get("/search", params={"query": "deploys pdf forms"})
        bundle = client.get("/bundle", params={"query": "deploys pdf forms"})
        must = client.get("/bundle", params={"query": "pdf", "must": "secret"})
        shown, after = client.get("/skills/secret"), client.get("/next", params={"skill": "secret"})
        asked = client.get("/search", params={"query": "deploys pdf forms", "hidden": "true"})
        person = client.get("/skills/secret", params={"hidden": "true"})
    assert "tools-skills/secret" not in found.text + bundle.text
    assert [one.status_code for one in (must, shown, after)] == [404, 404, 404]
    assert "tools-skills/secret" in asked.text
    assert person.json()["hidden"] is True


def test_each_request_is_answered_by_the_library_it_names(place: Place) -> None:
    with place.client("tools", "media", tokens=False) as client:
        found = client.get("/search", params={"query": "cut a video", "library": "media"}).json()
        rows = client.get("/libraries").json()["libraries"]
        unsaid = client.get("/search", params={"query": "cut a video"})
    assert found["results"][0]["id"] == "media-skills/video"
    assert [(row["name"], row["skills"], row["state"]) for row in rows] == [
        ("media", 1, "ready"),
        ("tools", 5, "ready"),
    ]
    assert (unsaid.status_code, unsaid.json()["libraries"]) == (400, ["media", "tools"])


def test_mcp_is_served_for_the_library_that_is_named(place: Place) -> None:
    with place.client("tools", "media", tokens=False) as client:
        response = client.post("/mcp", params={"library": "media"}, json=MESSAGE, headers=MCP)
    assert response.status_code == 200
    assert [one["name"] for one in response.json()["result"]["resources"]] == ["video"]


def test_the_openapi_document_describes_what_is_served(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        document = client.get("/openapi.json").json()
        responses = {path: client.get(path, params=asked).json() for path, asked, _ in ASKED}
    assert document["openapi"] == "3.1.0"
    assert "security" not in document
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for path, answer in responses.items():
        pattern = "/skills/{id}" if path.startswith("/skills/") else path
        told = document["paths"][pattern]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        Draft202012Validator({**told, "components": document["components"]}).validate(answer)


def test_with_tokens_the_openapi_document_says_where_one_is_needed(place: Place) -> None:
    with place.client("tools") as client:
        document = client.get("/openapi.json").json()
    assert document["security"] == [{"token": []}]
    assert document["paths"]["/healthz"]["get"]["security"] == []
    assert "security" not in document["paths"]["/search"]["get"]


def test_metrics_count_requests_by_route_and_status_and_name_no_library(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        for path in (
            "/search?query=pdf",
            "/search?query=pdf",
            "/search",
            "/skills/a",
            "/skills/b",
            "/x",
            "/y",
        ):
            client.get(path)
        response = client.get("/metrics")
    lines = response.text.splitlines()
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'skillquiver_requests_total{route="/search",status="200"} 2' in lines
    assert 'skillquiver_requests_total{route="/search",status="422"} 1' in lines
    assert 'skillquiver_requests_total{route="/skills/{id}",status="404"} 2' in lines
    assert 'skillquiver_requests_total{route="other",status="404"} 2' in lines
    assert 'skillquiver_request_seconds_bucket{route="/search",le="+Inf"} 3' in lines
    assert "tools" not in response.text


def test_the_access_log_has_no_query_no_path_and_no_token(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    headers = place.token("reader", "tools")
    with caplog.at_level(logging.INFO, "skillquiver.serve.http.access"), place.client("tools") as client:
        client.get("/search", params={"query": "private words"}, headers=headers)
    (record,) = [one for one in caplog.records if one.name == "skillquiver.serve.http.access"]
    line = msgspec.json.decode(record.message)
    assert (line["route"], line["status"], line["token"]) == ("/search", 200, "reader")
    assert "private" not in record.message
    assert headers["authorization"].split()[1] not in record.message

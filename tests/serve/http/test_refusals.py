"""What the gateway refuses, and how it says so."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from skillquiver.errors import UsageError
from skillquiver.serve.http.app import check_address
from skillquiver.serve.http.gateway import Gateway
from skillquiver.serve.http.tokens import TokenFile, remove_token
from skillquiver.serve.live import LiveLibrary
from skillquiver.settings import HttpSettings
from tests.libraries import hashing
from tests.serve.http.helpers import Clock, Place
from tests.serve.http.test_answers import MCP, MESSAGE

SEARCH = "/search?query=pdf"


def status(client: TestClient, path: str, method: str = "GET", **options: Any) -> int:
    """Status of a refusal, which must be a problem document."""
    response = client.request(method, path, **options)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == response.status_code
    return response.status_code


# --- who --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [SEARCH, "/libraries", "/metrics", "/skills/pdf", "/nothing"])
@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer qvr_wrong", "Basic dXNlcjpwYXNz", "Bearer \u00e9", "qvr_wrong"]
)
def test_without_a_known_token_nothing_is_seen(place: Place, path: str, header: str) -> None:
    place.token("reader", "tools")
    with place.client("tools") as client:
        headers = {"authorization": header.encode("latin-1")} if header else {}
        response = client.get(path, headers=headers)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert "tools" not in response.text


def test_probes_and_the_openapi_document_need_no_token(place: Place) -> None:
    place.token("reader", "media")
    with place.client("media") as client:
        pages = [client.get(path) for path in ("/healthz", "/openapi.json")]
    assert [page.status_code for page in pages] == [200, 200]
    assert "media" not in "".join(page.text for page in pages)


def test_a_library_out_of_scope_is_answered_as_one_that_does_not_exist(place: Place) -> None:
    headers = place.token("reader", "tools")
    with place.client("tools", "media") as client:
        hidden = client.get(f"{SEARCH}&library=media", headers=headers)
        absent = client.get(f"{SEARCH}&library=absent", headers=headers)
        rows = client.get("/libraries", headers=headers).json()["libraries"]
        found = client.get(SEARCH, headers=headers)  # its only library need not be named
        refused = client.post("/mcp?library=media", json=MESSAGE, headers=MCP | headers)
        passed = client.post("/mcp", json=MESSAGE, headers=MCP | headers)
    assert (hidden.status_code, hidden.content) == (absent.status_code, absent.content)
    assert hidden.status_code == refused.status_code == 404
    assert [row["name"] for row in rows] == ["tools"]
    assert (found.status_code, passed.status_code) == (200, 200)


def test_a_token_for_every_library_reads_each_and_one_for_none_of_them_none(place: Place) -> None:
    every, other = place.token("all", "*"), place.token("other", "absent")
    with place.client("tools", "media") as client:
        assert client.get(f"{SEARCH}&library=media", headers=every).status_code == 200
        assert status(client, SEARCH, headers=other) == 404


def test_a_removed_token_is_refused_by_the_running_server(place: Place) -> None:
    headers = place.token("reader", "tools")
    place.token("another", "tools")
    with place.client("tools") as client:
        assert client.get(SEARCH, headers=headers).status_code == 200
        remove_token(place.tokens, "reader")
        assert status(client, SEARCH, headers=headers) == 401


def test_a_token_file_that_others_may_read_lets_nobody_in(place: Place) -> None:
    headers = place.token("reader", "tools")
    with place.client("tools") as client:
        place.tokens.chmod(0o644)
        assert status(client, SEARCH, headers=headers) == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "[::1", "localhost.evil.example"])
def test_a_request_under_another_name_is_refused(place: Place, host: str) -> None:
    with place.client("tools", tokens=False) as client:
        assert status(client, SEARCH, headers={"host": host}) == 421
        assert client.get(SEARCH, headers={"host": "LOCALHOST:8766"}).status_code == 200


def test_a_page_of_another_site_is_refused(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        assert status(client, SEARCH, headers={"origin": "https://evil.example"}) == 403
        assert status(client, SEARCH, headers={"origin": "null"}) == 403
        assert client.get(SEARCH, headers={"origin": "http://localhost:3000"}).status_code == 200


def test_a_server_without_names_goes_by_any(place: Place) -> None:
    with place.client("tools", tokens=False, hosts=frozenset()) as client:
        assert client.get(SEARCH, headers={"host": "skills.example"}).status_code == 200


def test_an_address_that_others_reach_is_refused_without_tokens(place: Place) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org"):
        with pytest.raises(UsageError, match="can be reached from elsewhere"):
            check_address(host, None, ())
    assert "localhost" in check_address("127.0.0.1", None, ()).hosts
    with pytest.raises(UsageError, match="no tokens in"):
        check_address("127.0.0.1", TokenFile(place.tokens), ())
    place.token("reader", "tools")
    assert check_address("0.0.0.0", TokenFile(place.tokens), ("Skills.example",)).hosts == {"skills.example"}


# --- how much ---------------------------------------------------------------------------------


def test_a_token_may_ask_in_bursts_and_then_at_its_rate(place: Place) -> None:
    clock, headers, other = Clock(), place.token("reader", "tools"), place.token("other", "tools")
    with place.client("tools", clock=clock, rate_per_second=0.5, burst=2) as client:
        codes = [client.get("/libraries", headers=headers).status_code for _ in range(3)]
        refused = client.get("/libraries", headers=headers)
        assert (codes, refused.headers["retry-after"]) == ([200, 200, 429], "2")
        assert client.get("/libraries", headers=other).status_code == 200
        clock.now = 2.0
        assert client.get("/libraries", headers=headers).status_code == 200
        assert status(client, "/libraries", headers=headers) == 429


def test_wrong_tokens_are_limited_by_address(place: Place) -> None:
    place.token("reader", "tools")
    with place.client("tools", burst=2) as client:
        codes = [status(client, SEARCH, headers={"authorization": f"Bearer {n}"}) for n in range(3)]
    assert codes == [401, 401, 429]


def test_more_requests_than_places_are_turned_away_and_late_answers_are_given_up(libraries: Path) -> None:
    go, begun = Event(), Event()

    class Slow(LiveLibrary):
        def search(self, *args: Any, **options: Any) -> Any:
            begun.set()
            go.wait()
            return super().search(*args, **options)

    with Slow(libraries / "tools", open_encoder=hashing) as live:
        gateway = Gateway(
            libraries={"tools": live},
            tokens=None,
            settings=HttpSettings(max_concurrent=1, timeout_seconds=0.05),
            clock=Clock(),
        )
        client = TestClient(gateway, base_url="http://localhost")
        assert status(client, SEARCH) == 504
        assert begun.is_set()
        busy = client.get(SEARCH)  # the thread of the first request still holds the only place
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert client.get("/healthz").status_code == 200
        go.set()
        gateway.close()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/search?query=" + "a" * 300, 414),
        ("/search?query=%ff", 400),
        ("/search?" + "&".join(["done=a"] * 800), 414),
        ("/search", 422),
        ("/search?query=", 422),
        ("/search?query=a&query=b", 422),
        ("/search?query=a&top_k=0", 422),
        ("/search?query=a&top_k=ten", 422),
        ("/search?query=a&unknown=1", 422),
        ("/search?query=a&library=tools&library=tools", 422),
        ("/bundle?query=a&budget=200001", 422),
        ("/next?skill=../../etc", 404),
        ("/next?skill=same", 422),
        ("/next?skill=pdf&done=%01", 404),
        ("/bundle?query=a&without=", 404),
        ("/bundle?query=a&must=pdf&without=pdf", 409),
        ("/bundle?query=a&must=pdf&budget=1", 409),
        ("/skills/absent", 404),
        ("/skills/a%0Ab", 404),
        ("/a%0Ab", 404),
        ("/skills/", 404),
        ("/search/", 404),
        ("/", 404),
    ],
)
def test_a_request_that_cannot_be_answered_says_why(place: Place, path: str, expected: int) -> None:
    with place.client("tools", tokens=False, max_query_bytes=200) as client:
        assert status(client, path) == expected


def test_too_many_parameters_are_refused_before_they_are_looked_at(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        assert status(client, "/next?skill=pdf&" + "&".join(["done=a"] * 701)) == 400


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"query": "\xff"}', 400),
        (b"[" * 3000, 400),
        (b"[]", 422),
        (b'{"query": 1}', 422),
        (b'{"query": "a", "top_k": "3"}', 422),
        (b'{"query": "' + b"a" * 5000 + b'"}', 413),
    ],
)
def test_a_body_that_cannot_be_read_says_why(place: Place, body: bytes, expected: int) -> None:
    headers = {"content-type": "application/json; charset=utf-8"}
    with place.client("tools", tokens=False, max_body_bytes=4000) as client:
        assert status(client, "/search", "POST", content=body, headers=headers) == expected


def test_a_body_without_a_length_is_measured_as_it_comes(place: Place) -> None:
    with place.client("tools", tokens=False, max_body_bytes=4000) as client:
        parts = iter([b"a" * 3000, b"a" * 3000])
        assert status(client, "/search", "POST", content=parts) == 413


def test_parameters_of_a_post_go_into_its_json_body(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        assert status(client, "/search?top_k=1", "POST", json={"query": "pdf"}) == 422
        assert status(client, "/search", "POST", content=b"query=pdf") == 415
        assert client.post("/search?library=tools", json={"query": "pdf"}).status_code == 200


def test_another_method_is_refused_with_those_that_fit(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        refused = [client.request("DELETE", path) for path in ("/search", "/skills/pdf", "/mcp", "/healthz")]
    assert [(one.status_code, one.headers["allow"]) for one in refused] == [
        (405, "GET, POST"),
        (405, "GET"),
        (405, "POST"),
        (405, "GET"),
    ]


def test_an_unknown_skill_comes_with_the_nearest(place: Place) -> None:
    with place.client("tools", tokens=False) as client:
        assert client.get("/skills/pdff").json()["suggestions"] == ["tools-skills/pdf"]


def test_a_library_that_is_not_there_or_damaged_is_said_to_be_so_without_its_folder(place: Place) -> None:
    shutil.rmtree(place.folder / "media")
    with place.client("media", tokens=False) as client:
        missing = client.get(SEARCH)
        (row,) = client.get("/libraries").json()["libraries"]
    assert (missing.status_code, missing.headers["retry-after"]) == (503, "5")
    assert str(place.folder) not in missing.text
    assert row["state"] == "missing"
    (place.folder / "tools" / "library.sqlite3").write_bytes(b"no database" * 100)
    with place.client("tools", tokens=False) as client:
        assert status(client, SEARCH) == 503


def test_a_fault_of_the_program_tells_nothing_of_its_inside(libraries: Path) -> None:
    class Broken(LiveLibrary):
        def ask(self, _: Any) -> Any:
            raise ValueError("inside")

    with Broken(libraries / "tools", open_encoder=hashing) as live:
        gateway = Gateway(libraries={"tools": live}, tokens=None, settings=HttpSettings(), clock=Clock())
        response = TestClient(gateway).get(SEARCH)
        gateway.close()
    assert response.status_code == 500
    assert "inside" not in response.text.replace("its log", "")


def test_a_gateway_without_mcp_says_so_and_a_websocket_is_closed(libraries: Path) -> None:
    with LiveLibrary(libraries / "tools", open_encoder=hashing) as live:
        gateway = Gateway(libraries={"tools": live}, tokens=None, settings=HttpSettings(), clock=Clock())
        client = TestClient(gateway)
        assert status(client, "/mcp", "POST", json=MESSAGE) == 404
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/search"):
            pass
        gateway.close()


def test_a_body_that_ends_early_or_does_not_come_is_given_up(place: Place) -> None:
    import anyio

    sent: list[Any] = []

    async def ask(messages: list[Any]) -> int:
        async def receive() -> Any:
            if not messages:
                await anyio.sleep_forever()
            return messages.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/search",
            "query_string": b"",
            "headers": [(b"content-type", b"application/json")],
        }
        await gateway(scope, receive, send)
        return int(sent[-2]["status"])

    with LiveLibrary(place.folder / "tools", open_encoder=hashing) as live:
        settings = HttpSettings(body_timeout_seconds=0.02)
        gateway = Gateway(libraries={"tools": live}, tokens=None, settings=settings, clock=Clock())
        assert anyio.run(ask, []) == 408
        assert anyio.run(ask, [{"type": "http.disconnect"}]) == 400
        gateway.close()

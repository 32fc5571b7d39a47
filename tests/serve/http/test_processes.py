"""`quiver serve` as a process of its own, and what it refuses to begin with."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillquiver.serve.cli import main
from skillquiver.serve.http.tokens import add_token
from tests.serve.http.helpers import CREATED, Place


def test_a_server_answers_and_ends_in_order_when_it_is_told_to(place: Place) -> None:
    secret = add_token(place.tokens, "reader", ["tools"], created=CREATED)
    library = f"tools={place.folder / 'tools'}"
    command = [sys.executable, "-m", "skillquiver", "serve", "--port", "0", "--library", library]
    command += ["--tokens", str(place.tokens), "--rate", "5"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split()[-1]
            request = urllib.request.Request(
                f"{address}/search?query=pdf", headers={"authorization": f"Bearer {secret}"}
            )
            with urllib.request.urlopen(request) as response:
                found = json.load(response)
            server.send_signal(signal.SIGTERM)
            _, errors = server.communicate(timeout=60)
        finally:
            server.kill()
    assert found["results"][0]["id"].startswith("tools-skills/")
    (line,) = [json.loads(line) for line in errors.splitlines()]
    assert (line["route"], line["status"], line["token"]) == ("/search", 200, "reader")
    assert server.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0", "--without-tokens"], "can be reached from elsewhere"),
        ([], "no tokens in"),
        (["--library", "a=x", "--library", "a=y"], "two libraries are called 'a'"),
        (["--library", "a=~nobody-of-this-name/x"], "no such user"),
    ],
)
def test_a_server_that_should_not_run_says_why(tmp_path: Path, arguments: list[str], told: str) -> None:
    tokens = ["--tokens", str(tmp_path / "tokens.json")]
    result = CliRunner().invoke(main, ["serve", *tokens, *arguments])
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())


def test_an_address_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(
            main, ["serve", "--without-tokens", "--quiet", "--port", port, "--library", str(tmp_path)]
        )
    assert (result.exit_code, f"cannot listen on 127.0.0.1:{port}" in result.output) == (2, True)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = CliRunner().invoke(main, ["serve", "--without-tokens"])
    assert (result.exit_code, "pip install 'skillquiver[serve]'" in result.output) == (2, True)

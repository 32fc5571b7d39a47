from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from skillquiver.errors import LibraryLockedError, UsageError
from skillquiver.serve.cli import main
from skillquiver.serve.hook import client, endpoint, sockets
from skillquiver.serve.hook.client import ask_warm, exchange
from skillquiver.serve.hook.documents import document
from skillquiver.serve.hook.endpoint import LocalEndpoint, serve_until, start_local_endpoint
from skillquiver.serve.hook.sockets import owner_only, runtime_folder, socket_file
from skillquiver.serve.live import LiveLibrary
from tests.serve.hook.helpers import context_of, environment, hook

pytestmark = pytest.mark.skipif(not sockets.SUPPORTED, reason="no Unix sockets here")

PROMPT = "convert this csv file into parquet with typed columns"


@contextmanager
def served(library: Path) -> Iterator[LocalEndpoint]:
    with LiveLibrary(library) as live, start_local_endpoint(live) as one:
        yield one


def test_a_warm_server_answers_with_the_suggestions_of_the_library(library: Path) -> None:
    with served(library):
        assert "- `tools/csv-parquet`: " in told(library, PROMPT)
        for prompt in ("bake a chocolate cake", "yes", "continue", "[SYSTEM NOTIFICATION] all is well"):
            assert told(library, prompt) == ""


def told(library: Path, prompt: str) -> str:
    """The context of the warm server's document."""
    answer = ask_warm(str(library), event_of(prompt), seconds=30)
    assert answer is not None
    context = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert isinstance(context, str)
    return context


def event_of(prompt: object) -> bytes:
    return json.dumps({"prompt": prompt, "hook_event_name": "BeforeAgent"}).encode()


EVENT = event_of(PROMPT)


def test_the_document_of_a_warm_server_is_that_of_the_hook_by_itself(library: Path) -> None:
    alone = hook("prompt", EVENT, library=library)
    with served(library):
        assert ask_warm(str(library), EVENT, seconds=30) == alone.stdout
        assert hook("prompt", EVENT, library=library).stdout == alone.stdout


def test_a_command_is_left_to_the_hook_which_may_keep_it(library: Path) -> None:
    with served(library) as one:
        head, document = exchange(str(one.path), str(library), event_of("/pdf now"), seconds=30)
    assert (head, document) == (b"no the hook keeps what was used", b"")


def test_a_hook_asks_the_warm_server_and_does_not_open_the_library(library: Path, tmp_path: Path) -> None:
    """The server answers for a folder whose files are gone by the time the hook asks."""
    path = Path(socket_file(str(tmp_path), os.environ))
    with listening(path, b"ok \n" + document("prompt", "Told by the server.")):
        assert context_of(hook("prompt", {"prompt": PROMPT}, library=tmp_path)) == "Told by the server."


@contextmanager
def listening(path: Path, reply: bytes) -> Iterator[None]:
    """Something at the socket that reads a question, sends ``reply`` and hangs up, once."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen()

    def run() -> None:
        connection, _ = listener.accept()
        with connection:
            while connection.recv(65_536):
                pass
            connection.sendall(reply)

    thread = Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"ok",
        b'ok \n{"hookSpec',
        b"ok \nno json\n",
        b"ok \n{}\n{}\n",
        b"ok \n{\xff}\n",
        b"no library\n",
        b"no library\n{}\n",
        b"x" * 70_000,
    ],
    ids=["nothing", "head", "half", "words", "two", "bytes", "refusal", "both", "endless"],
)
def test_a_hook_answers_by_itself_when_the_server_dies_or_talks_nonsense(reply: bytes, library: Path) -> None:
    with listening(Path(socket_file(str(library), os.environ)), reply):
        assert "tools/csv-parquet" in context_of(hook("prompt", {"prompt": PROMPT}, library=library))


def test_without_a_server_or_without_time_there_is_no_answer(library: Path) -> None:
    assert ask_warm(str(library), EVENT, seconds=30) is None
    assert ask_warm(str(library), EVENT, seconds=0) is None


def test_the_socket_and_its_folder_are_closed_to_everybody_else(library: Path) -> None:
    with served(library) as one:
        assert one.path.stat().st_mode & 0o777 == 0o600
        assert one.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_socket_that_others_may_open_is_not_asked(library: Path) -> None:
    with served(library) as one:
        one.path.chmod(0o666)
        assert ask_warm(str(library), EVENT, seconds=30) is None
        one.path.chmod(0o600)
        one.path.parent.chmod(0o755)
        assert ask_warm(str(library), EVENT, seconds=30) is None
        one.path.parent.chmod(0o700)
        assert ask_warm(str(library), EVENT, seconds=30) is not None


def test_nothing_is_served_from_a_folder_that_others_may_enter(library: Path, runtime: Path) -> None:
    (runtime / "skillquiver").mkdir(mode=0o755)
    with LiveLibrary(library) as live, pytest.raises(UsageError, match="not this user's alone"):
        start_local_endpoint(live)


def test_a_link_is_not_followed_to_a_folder_of_somebody_else(library: Path, runtime: Path) -> None:
    (runtime / "elsewhere").mkdir(mode=0o700)
    (runtime / "skillquiver").symlink_to(runtime / "elsewhere")
    assert owner_only(str(runtime / "elsewhere"))
    with LiveLibrary(library) as live, pytest.raises(UsageError, match="not this user's alone"):
        start_local_endpoint(live)


def test_what_belongs_to_another_user_is_not_this_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    assert owner_only(str(tmp_path))
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    assert not owner_only(str(tmp_path))


def test_a_peer_of_another_user_is_refused_on_both_ends(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(library):
        with monkeypatch.context() as patch:
            patch.setattr(client, "peer_is_owner", lambda _: False)
            assert ask_warm(str(library), EVENT, seconds=30) is None
        with monkeypatch.context() as patch:
            patch.setattr(endpoint, "peer_is_owner", lambda _: False)
            assert ask_warm(str(library), EVENT, seconds=30) is None


def test_the_system_tells_who_is_at_the_other_end() -> None:
    left, right = socket.socketpair(socket.AF_UNIX)
    with left, right:
        assert sockets.peer_is_owner(left)


def test_a_second_server_for_the_same_library_is_refused(library: Path) -> None:
    with served(library), LiveLibrary(library) as live:
        with pytest.raises(LibraryLockedError, match="answers hooks for this library already"):
            start_local_endpoint(live)
        assert ask_warm(str(library), EVENT, seconds=30) is not None


def test_the_socket_of_a_server_that_died_is_replaced_and_removed_at_the_end(library: Path) -> None:
    path = Path(socket_file(str(library), os.environ))
    path.parent.mkdir(mode=0o700)
    path.write_text("left behind", encoding="utf-8")
    with served(library) as one:
        assert ask_warm(str(library), EVENT, seconds=30) is not None
        one.close()
        one.close()
        assert not path.exists()


@pytest.mark.parametrize(
    ("greeting", "elsewhere"), [(b"skillquiver 9", ""), (b"", ""), (client.GREETING, "x")]
)
def test_another_version_and_another_library_are_refused(
    greeting: bytes, elsewhere: str, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "GREETING", greeting)
    with served(library) as one:
        answer = exchange(str(one.path), str(library) + elsewhere, EVENT, seconds=30)
    assert answer == (b"no another library, or another version", b"")


def test_an_event_that_is_none_is_left_to_the_hook_which_says_so(library: Path) -> None:
    with served(library):
        assert ask_warm(str(library), b"{", seconds=30) is None
        run = hook("prompt", b"{", library=library)
    assert (context_of(run), run.stderr.startswith(b"quiver hook: the event on")) == ("", True)


def test_a_question_without_an_end_is_hung_up_on_and_others_are_answered(library: Path) -> None:
    with served(library) as one:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(one.path))
            with pytest.raises(OSError):  # noqa: PT011 - a broken pipe, or a reset
                connection.sendall(b"x" * 16_000_000)
        assert ask_warm(str(library), EVENT, seconds=30) is not None


def test_a_library_that_is_missing_is_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    with served(tmp_path / "none"):
        assert ask_warm(str(tmp_path / "none"), EVENT, seconds=30) is None


def test_serving_ends_when_it_is_told_to_or_nobody_asks(library: Path) -> None:
    stop = Event()
    with served(library) as one:
        serve_until(one, stop, idle=0.0, tick=lambda left: left)
        stop.set()
        serve_until(one, stop, idle=1_000.0, tick=lambda left: left)
        assert one.idle_seconds >= 0


def test_a_warm_process_serves_until_sigterm_and_leaves_no_socket(library: Path) -> None:
    words = [sys.executable, "-m", "skillquiver", "warm", "--library", str(library)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, env=environment())
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.readline().startswith(b"quiver: answering hooks at ")
        assert ask_warm(str(library), EVENT, seconds=30) is not None
        second = CliRunner().invoke(main, ["warm", "--library", str(library)])
        assert (second.exit_code, "already" in second.output) == (3, True)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert not Path(socket_file(str(library), os.environ)).exists()


def test_the_runtime_folder_is_the_systems_or_one_of_this_user() -> None:
    assert runtime_folder({"XDG_RUNTIME_DIR": "/run/user/7"}) == "/run/user/7/skillquiver"
    assert runtime_folder({"TMPDIR": "/var/tmp"}) == f"/var/tmp/skillquiver-{os.getuid()}"
    assert runtime_folder({"XDG_RUNTIME_DIR": "odd"}) == f"/tmp/skillquiver-{os.getuid()}"


def test_a_folder_that_cannot_be_made_and_a_name_that_is_too_long_are_said(
    library: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runtime / "file").write_text("", encoding="utf-8")
    with LiveLibrary(library) as live:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime / "file"))
        with pytest.raises(UsageError, match="no socket can be kept"):
            start_local_endpoint(live)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime / ("long" * 40)))
        with pytest.raises(UsageError, match="cannot listen at"):
            start_local_endpoint(live)


def test_a_system_without_unix_sockets_is_said(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "SUPPORTED", False)
    with LiveLibrary(library) as live, pytest.raises(UsageError, match="no Unix sockets"):
        start_local_endpoint(live)


def test_warm_ends_by_itself_when_nobody_asks_and_refuses_times_that_cannot_be(library: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        run = CliRunner().invoke(main, ["warm", "--library", str(library), "--idle", "0.00001"])
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
            signal.signal(number, handler)
    assert (run.exit_code, run.output.startswith("quiver: answering hooks at ")) == (0, True)
    run = CliRunner().invoke(main, ["warm", "--library", str(library), "--idle", "nan"])
    assert (run.exit_code, run.output) == (2, "quiver: --idle is nan; give minutes above 0\n")

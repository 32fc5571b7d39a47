from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillquiver.serve.cli import main
from skillquiver.serve.hook.process import answer
from tests.libraries import index, put
from tests.serve.hook.helpers import context_of, document_of, environment, hook

EMPTY = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": ""}}
PROMPT = "convert this csv file into parquet with typed columns"


def test_a_prompt_that_a_skill_answers_gets_one_document_with_its_id(library: Path) -> None:
    run = hook("prompt", {"prompt": PROMPT, "session_id": "s"}, library=library)
    assert run.stderr == b""
    assert "- `tools/csv-parquet`: " in context_of(run)


def test_a_prompt_that_no_skill_answers_gets_an_empty_context(library: Path) -> None:
    assert document_of(hook("prompt", {"prompt": "bake a chocolate cake for six"}, library=library)) == EMPTY


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"prompt"',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        {"prompt": 7},
        {"prompt": None},
        {"prompt": ["convert a csv file"]},
        {},
        b'{"prompt": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda value: repr(value)[:20],
)
def test_an_event_that_is_none_gets_an_empty_context(event: object, library: Path) -> None:
    assert document_of(hook("prompt", event, library=library)) == EMPTY


def test_what_is_wrong_with_an_event_is_said_on_standard_error(library: Path) -> None:
    assert hook("prompt", b"{", library=library).stderr.startswith(
        b"quiver hook: the event on standard input is"
    )


def test_a_prompt_with_lone_surrogates_is_answered(library: Path) -> None:
    event = json.dumps({"prompt": "\ud800 " + PROMPT}).encode()
    assert "csv-parquet" in context_of(hook("prompt", event, library=library))


def test_ten_thousand_characters_get_at_most_two_thousand(library: Path) -> None:
    context = context_of(hook("prompt", {"prompt": (PROMPT + ". ") * 200}, library=library))
    assert "csv-parquet" in context
    assert len(context) <= 2_000


@pytest.mark.parametrize("name", ["prompt", "session"])
def test_without_a_library_the_context_is_empty(name: str, tmp_path: Path) -> None:
    run = hook(name, {"prompt": PROMPT, "source": "startup"}, library=tmp_path / "none")
    assert context_of(run) == ""


def test_a_broken_library_is_said_on_standard_error_and_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "library.sqlite3").write_bytes(b"no database" * 1_000)
    run = hook("prompt", {"prompt": PROMPT}, library=tmp_path)
    assert document_of(run) == EMPTY
    assert run.stderr.startswith(b"quiver hook: ")


def test_options_a_hook_does_not_know_are_no_veto(library: Path) -> None:
    for words in (["--loud"], ["--library"], ["more"]):
        run = hook("prompt", {"prompt": PROMPT}, *words, library=library)
        assert document_of(run) == EMPTY
        assert b"is no option of a hook" in run.stderr


def test_the_library_can_be_given_as_one_word_or_two(library: Path, tmp_path: Path) -> None:
    for words in (["--library", str(library)], [f"--library={library}"]):
        run = hook("prompt", {"prompt": PROMPT}, *words, library=tmp_path)
        assert "csv-parquet" in context_of(run)


def test_a_name_the_host_has_for_the_event_comes_back(library: Path) -> None:
    for given, told in (("BeforeAgent", "BeforeAgent"), ("Other", "UserPromptSubmit")):
        run = hook("prompt", {"prompt": "yes", "hook_event_name": given}, library=library)
        assert document_of(run)["hookSpecificOutput"]["hookEventName"] == told


def test_a_host_that_never_closes_standard_input_gets_an_empty_document_in_time(library: Path) -> None:
    """The pipe stays open until the process has ended by itself."""
    reading, writing = os.pipe()
    run = subprocess.run(
        [sys.executable, "-m", "skillquiver", "hook", "prompt"],
        stdin=reading,
        capture_output=True,
        env=environment(QUIVER_LIBRARY=str(library), QUIVER_HOOK_SECONDS="0.2"),
        check=False,
    )
    os.close(writing)
    os.close(reading)
    assert document_of(run) == EMPTY


def test_a_deadline_that_is_no_number_is_said_and_not_obeyed(library: Path) -> None:
    run = hook("prompt", {"prompt": PROMPT}, library=library, QUIVER_HOOK_SECONDS="soon")
    assert document_of(run)
    assert b"QUIVER_HOOK_SECONDS is 'soon'; give seconds above 0" in run.stderr


def test_a_reader_that_went_away_is_no_failure(library: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "skillquiver", "hook", "prompt"],
        input=b"{}",
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(QUIVER_LIBRARY=str(library)),
        check=False,
    )
    os.close(writing)
    assert run.returncode == 0
    assert b"cannot write the answer" in run.stderr


_LOADED = """
import io, os, sys
from pathlib import Path
from skillquiver.serve.hook.process import answer
event = io.BytesIO(b'{"prompt": "convert this csv file into parquet with typed columns"}')
print(answer("prompt", [], event, left=lambda: 60.0).decode(), end="")
heavy = ("numpy", "onnxruntime", "tokenizers", "tiktoken", "click", "rich", "yaml", "importlib.metadata")
print([name for name in heavy if name in sys.modules])
"""


def test_a_lexical_answer_imports_neither_numpy_nor_other_heavy_libraries(library: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _LOADED],
        capture_output=True,
        env=environment(QUIVER_LIBRARY=str(library)),
        check=True,
        encoding="utf-8",
    )
    answered, loaded = run.stdout.splitlines()
    assert "csv-parquet" in answered
    assert loaded == "[]"


def test_a_hidden_skill_is_never_suggested(tmp_path: Path) -> None:
    put(
        tmp_path / "tools",
        "pdf",
        "Fill in pdf forms of the tax office.",
        **{"disable-model-invocation": "true"},
    )
    for number in range(30):
        put(tmp_path / "tools", f"other-{number}", f"Bakes bread number {number}.")
    index(tmp_path / "library", tmp_path / "tools", vectors=False)
    prompt = "fill in pdf forms of the tax office"
    assert context_of(hook("prompt", {"prompt": prompt}, library=tmp_path / "library")) == ""


def test_the_command_group_answers_the_same_within_its_process(library: Path) -> None:
    data = json.dumps({"prompt": PROMPT})
    shown = CliRunner().invoke(main, ["hook", "prompt", "--library", str(library)], input=data)
    direct = answer("prompt", ["--library", str(library)], io.BytesIO(data.encode()), left=lambda: 1.0)
    assert (shown.exit_code, shown.stdout.encode()) == (0, direct)
    for name in ("tool", "session"):
        assert CliRunner().invoke(main, ["hook", name], input="{}").exit_code == 0

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillquiver.errors import LibraryError
from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.completion import (
    Completion,
    CompletionRun,
    Manifest,
    apply_manifest,
    complete_skills,
    missing_fields,
)
from skillquiver.graph.llm.manifest import read_manifest, write_manifest
from skillquiver.graph.llm.protocol import Failure
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from tests.graph.llm.provider import Asked, LocalProvider
from tests.graph.llm.support import ONE_BY_ONE, Client, ClientMaker, RecordingClock

PLAIN = make_skill("plain", "Turns PDFs into rows.", "Writes rows.csv.")
TOLD = make_skill("told", "Charts.", "Draws.", inputs=(".csv",), tags=("charts",))
ANSWER = {
    "capability": "Turns PDF\n tables into rows.",
    "inputs": [".pdf"],
    "outputs": ["rows.csv", ".csv", "rows.csv"],
    "tags": ["PDF", "tables"],
}


def answers(asked: Asked) -> Any:
    """Whatever fields are asked for."""
    (tool,) = asked.body["tools"]
    schema = tool["function"]["parameters"] if asked.protocol == "openai" else tool["input_schema"]
    return {name: ANSWER[name] for name in schema["properties"]}


class Filler:
    """Completes skills as often as a test wants."""

    def __init__(self, client: Client, cache: SqliteJudgmentCache) -> None:
        self.client, self.cache = client, cache

    def run(self, skills: list[Skill], manifest: Manifest | None = None) -> CompletionRun:
        """One run, upon an empty manifest by default."""
        return complete_skills(
            skills,
            manifest or Manifest(),
            client=self.client,
            cache=self.cache,
            settings=ONE_BY_ONE,
            clock=RecordingClock(),
        )


@pytest.fixture
def filler(provider: LocalProvider, connect: ClientMaker, cache: SqliteJudgmentCache) -> Filler:
    provider.brain = answers
    return Filler(connect(), cache)


def test_only_what_the_author_left_out_is_asked_for() -> None:
    assert missing_fields(PLAIN) == ("capability", "inputs", "outputs", "tags")
    assert missing_fields(TOLD) == ("capability", "outputs")


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_empty_fields_are_filled_and_declared_ones_are_left(
    protocol: str, provider: LocalProvider, connect: ClientMaker, cache: SqliteJudgmentCache
) -> None:
    provider.brain = answers
    run = Filler(connect(protocol), cache).run([PLAIN, TOLD])
    done = apply_manifest([PLAIN, TOLD], run.manifest)
    plain, told = done.skills
    assert (plain.inputs, plain.outputs, plain.tags) == ((".pdf",), (".csv", "rows.csv"), ("pdf", "tables"))
    assert (told.inputs, told.outputs, told.tags) == ((".csv",), (".csv", "rows.csv"), ("charts",))
    assert done.capabilities[PLAIN.id] == "Turns PDF tables into rows."
    assert (run.tally.calls, run.missing, done.stale) == (2, (), ())


def test_a_second_run_makes_no_call_and_the_same_manifest(filler: Filler, provider: LocalProvider) -> None:
    first = filler.run([PLAIN, TOLD])
    again = filler.run([TOLD, PLAIN], first.manifest)
    assert again.manifest == first.manifest
    assert len(provider.asked) == 2


def test_a_lost_manifest_is_made_again_from_the_cache(filler: Filler, provider: LocalProvider) -> None:
    first = filler.run([PLAIN])
    assert filler.run([PLAIN]).manifest == first.manifest
    assert len(provider.asked) == 1


def test_an_edited_skill_is_stale_until_it_is_completed_again(filler: Filler) -> None:
    first = filler.run([PLAIN, TOLD])
    edited = make_skill("plain", "Turns PDFs into rows.", "Writes other things.")
    done = apply_manifest([edited, TOLD], first.manifest)
    assert done.stale == (PLAIN.id,)
    assert done.skills[0] == edited
    again = filler.run([edited, TOLD], first.manifest)
    assert again.tally.calls == 1
    assert apply_manifest([edited, TOLD], again.manifest).stale == ()


def test_a_skill_that_is_gone_leaves_the_manifest(filler: Filler) -> None:
    first = filler.run([PLAIN, TOLD])
    assert list(filler.run([TOLD], first.manifest).manifest.skills) == [TOLD.id]


@pytest.mark.parametrize(
    "answer",
    [
        {"capability": "x", "inputs": [], "outputs": []},
        {**ANSWER, "requires": ["test/told"]},
        {**ANSWER, "content_hash": "forged"},
        {**ANSWER, "tags": ["x" * 81]},
        {**ANSWER, "tags": "pdf"},
        {**ANSWER, "inputs": [str(i) for i in range(13)]},
    ],
)
def test_an_answer_with_other_fields_or_sizes_is_not_taken(
    answer: Any, filler: Filler, provider: LocalProvider
) -> None:
    provider.brain = lambda _: answer
    run = filler.run([PLAIN])
    assert run.missing == (PLAIN.id,)
    assert run.tally.failures == {Failure.MALFORMED: 2}
    assert run.manifest.skills == {}


def test_the_manifest_file_is_canonical_and_comes_back_equal(tmp_path: Path) -> None:
    file = tmp_path / "completion.json"
    one = Completion(content_hash="h1", capability="Führt aus.", tags=("a",))
    forward = Manifest(model="openai:m", skills={TOLD.id: one, PLAIN.id: one})
    backward = Manifest(model="openai:m", skills={PLAIN.id: one, TOLD.id: one})
    write_manifest(file, forward)
    first = file.read_bytes()
    write_manifest(file, backward)
    assert file.read_bytes() == first
    assert read_manifest(file) == forward
    assert first.startswith(b'{\n "model": "openai:m",\n "prompt": "1",\n "skills": {\n  "test/plain": {\n')
    assert [path.name for path in tmp_path.iterdir()] == ["completion.json"]


def test_no_manifest_is_an_empty_one_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    assert read_manifest(tmp_path / "none.json") == Manifest()
    bad = tmp_path / "bad.json"
    bad.write_text('{"model": 1}', encoding="utf-8")
    with pytest.raises(LibraryError, match=r"bad\.json"):
        read_manifest(bad)

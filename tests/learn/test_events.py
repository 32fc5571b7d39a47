from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillquiver.errors import LibraryError
from skillquiver.learn.events import Event, EventLog, EventSource, recording, uses
from skillquiver.learn.transcripts import transcript_events

TOOL, PROMPT, TRANSCRIPT = EventSource.TOOL, EventSource.PROMPT, EventSource.TRANSCRIPT


def event(skill: str, source: EventSource = TOOL, *, time: float = 1.0, session: str = "s") -> Event:
    return Event(time, session, skill, source)


def call(skill: str, *, identity: str = "", **line: str) -> str:
    """A line of a transcript with one call of the Skill tool, nested as hosts nest it."""
    block: dict[str, object] = {"type": "tool_use", "name": "Skill", "input": {"skill": skill}}
    if identity:
        block["id"] = identity
    return json.dumps({"type": "assistant", "message": {"content": [block]}, **line})


def test_one_use_seen_by_all_three_sources_is_counted_once() -> None:
    seen = [event("pdf", TOOL, time=3.0), event("pdf", PROMPT, time=2.0), event("pdf", TRANSCRIPT, time=9.0)]
    assert uses(seen) == [event("pdf", PROMPT, time=2.0)]


def test_two_uses_seen_by_one_source_are_two() -> None:
    assert uses([event("pdf", time=1.0), event("pdf", time=2.0)]) == [
        event("pdf", time=1.0),
        event("pdf", time=2.0),
    ]


def test_a_session_has_as_many_uses_as_the_source_that_saw_most() -> None:
    """The transcript saw both uses, the hook only the second: the first of each are the same use."""
    seen = [
        event("pdf", TRANSCRIPT, time=1.0),
        event("pdf", TRANSCRIPT, time=5.0),
        event("pdf", TOOL, time=5.1),
    ]
    assert [use.time for use in uses(seen)] == [1.0, 5.0]


def test_sessions_and_skills_are_counted_apart() -> None:
    seen = [event("pdf"), event("csv"), event("pdf", session="t")]
    assert len(uses(seen)) == 3


def test_a_bare_name_is_the_plugins_skill_if_the_session_knows_one_such() -> None:
    assert uses([event("doctor", PROMPT), event("a:doctor", TOOL, time=2.0)]) == [event("a:doctor", PROMPT)]
    both = [event("doctor", PROMPT), event("a:doctor"), event("b:doctor")]
    assert len(uses(both)) == 3


def test_order_does_not_matter() -> None:
    seen = [event("b", time=2.0), event("a", PROMPT, time=1.0), event("a", time=1.5)]
    assert uses(seen) == uses(seen[::-1]) == [event("a", PROMPT, time=1.0), event("b", time=2.0)]


@pytest.mark.parametrize(
    ("session", "skill"),
    [("", "pdf"), ("s", ""), ("s", "a b"), ("s", "x" * 300), ("s\n", "pdf"), ("s", "a\nb")],
)
def test_what_is_no_name_is_no_event(session: str, skill: str) -> None:
    assert Event.seen(session=session, skill=skill, time=1.0, source=TOOL) is None


def test_the_log_gives_back_what_was_added_and_is_the_owners_alone(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "data")
    assert log.read() == ([], 0)
    log.add([])
    assert not log.folder.exists()
    log.add([event("pdf")])
    log.add([event("csv", PROMPT, time=2.0)])
    assert log.read() == ([event("pdf"), event("csv", PROMPT, time=2.0)], 0)
    assert (log.folder / EventLog.FILE).stat().st_mode & 0o077 == 0


def test_damaged_lines_are_counted_and_the_others_read(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.add([event("pdf")])
    with (tmp_path / EventLog.FILE).open("a", encoding="utf-8") as file:
        file.write('{"session": "s"\n[]\n{"session": 1, "skill": "a", "time": 1, "source": "tool"}\n')
    assert log.read() == ([event("pdf")], 3)


def test_a_log_that_cannot_be_written_or_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / EventLog.FILE).mkdir()
    with pytest.raises(LibraryError, match="cannot write"):
        EventLog(tmp_path).add([event("pdf")])
    with pytest.raises(LibraryError, match="cannot read"):
        EventLog(tmp_path).read()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LibraryError, match="no events can be kept"):
        EventLog(tmp_path / "file" / "data").switch(on=True)


def test_nothing_is_recorded_until_it_is_switched_on_and_the_environment_has_the_last_word(
    tmp_path: Path,
) -> None:
    log = EventLog(tmp_path)
    assert not recording(tmp_path, {})
    log.switch(on=True)
    assert recording(tmp_path, {})
    assert not recording(tmp_path, {"QUIVER_RECORD": "0"})
    log.switch(on=False)
    log.switch(on=False)
    assert not recording(tmp_path, {})
    assert recording(tmp_path, {"QUIVER_RECORD": "on"})


# --- transcripts -----------------------------------------------------------------------------------


def test_a_transcript_shows_each_call_once_with_its_session_and_time() -> None:
    lines = [
        '{"type": "user", "message": "use the \\"Skill\\" tool"}',
        call("pdf", identity="1", sessionId="x", timestamp="1970-01-01T00:01:00Z"),
        call("pdf", identity="1", sessionId="x", timestamp="1970-01-01T00:01:01Z"),
        call("csv", timestamp="soon"),
        '"Skill" is no JSON',
        '["Skill"]',
    ]
    assert list(transcript_events(lines, session="file")) == [
        event("pdf", TRANSCRIPT, time=60.0, session="x"),
        event("csv", TRANSCRIPT, time=61.0, session="file"),
    ]


def test_other_tools_deep_nests_and_names_that_are_none_are_no_uses() -> None:
    deep = "[" * 50 + call("pdf") + "]" * 50
    lines = [
        '{"name": "Skill", "input": {"file": "x"}}',
        '{"name": "Read", "input": {"skill": "Skill"}}',
        '{"a": ' + deep + "}",
        call("not a name"),
        "[" * 100_000 + '"Skill"',
    ]
    assert list(transcript_events(lines, session="s")) == []


def test_reading_a_transcript_again_adds_only_what_is_new(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    first = list(transcript_events([call("pdf"), call("pdf"), call("csv")], session="s"))
    assert log.add_transcript(first) == 3
    assert log.add_transcript(first) == 0
    assert log.add_transcript([*first, event("pdf", TRANSCRIPT, time=0.0)]) == 1
    assert len(uses(log.read()[0])) == 4

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillquiver.skills.markdown import read_markdown
from skillquiver.skills.sanitize import clean, fence_for, fenced, plain

HOSTILE = st.text(alphabet="a \n\r\t`~#\u200b\x1b[31m\x00\u202e\u2028\ufeff\ud800🏴é", max_size=200)


def test_terminal_escapes_vanish_whole() -> None:
    assert clean("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x9b2Jx") == "red link x"


def test_other_controls_become_one_visible_mark_a_run() -> None:
    assert clean("a\x00\x01b\x7fc") == "a\ufffdb\ufffdc"


def test_direction_overrides_and_tag_characters_become_visible() -> None:
    assert clean("a\u202eb\u2066c") == "a\ufffdb\ufffdc"
    assert clean("hi\U000e0068\U000e0069") == "hi\ufffd"


def test_every_line_end_becomes_a_line_feed_and_tabs_stay() -> None:
    assert clean("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h\ti") == "a\nb\nc\nd\ne\nf\ng\nh\ti"


def test_joiners_that_scripts_and_emoji_need_stay() -> None:
    family = "\U0001f468\u200d\U0001f469"
    assert clean(family + "\u200b") == family


def test_plain_text_is_one_line() -> None:
    assert plain(" a\n## Skill: b\r\n\tc ") == "a ## Skill: b c"


def test_a_fence_is_longer_than_any_run_within() -> None:
    assert fence_for("no fence", "``") == "```"
    assert fence_for("```\nx\n```", "~~~~~") == "``````"


def test_runs_that_cleaning_joins_count_as_one() -> None:
    assert fence_for("``\u200b``\x1b[0m``") == "`" * 7


def test_a_fence_in_the_text_cannot_close_ours() -> None:
    text = "```\n````\n# forged\n"
    assert fenced(text, "markdown") == "`````markdown\n```\n````\n# forged\n`````\n"


@given(HOSTILE)
def test_fenced_text_is_one_code_block_and_nothing_else(text: str) -> None:
    document = read_markdown(fenced(text, "markdown") + "\n# ours\n")
    assert [(b.language, b.text.rstrip("\n")) for b in document.code_blocks] == [
        ("markdown", clean(text).rstrip("\n"))
    ]
    assert [h.text for h in document.headings] == ["ours"]


@given(HOSTILE)
def test_cleaning_twice_changes_nothing_and_the_result_encodes(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    once.encode("utf-8")


@given(st.text(max_size=100))
def test_a_plain_line_has_no_line_break_and_no_outer_space(text: str) -> None:
    line = plain(text)
    assert len(line.splitlines()) <= 1
    assert line == line.strip()

from __future__ import annotations

import pytest

from skillquiver.errors import UsageError
from skillquiver.skills.ids import check_label, check_skill_ref, clean_part


@pytest.mark.parametrize(
    "text",
    [
        "../../../etc/passwd",
        "a/../b",
        "..",
        ".",
        "a/./b",
        "/etc/passwd",
        "//server/share",
        "~/x",
        "C:/Windows",
        "c:\\Windows",
        "a\\b",
        "a\x00b",
        "a\nb",
        "a\x1b[31m",
        "a\u202eb",
        "a//b",
        "",
        "   ",
        "x" * 1025,
        "a/ ../b",
    ],
)
def test_a_reference_that_could_leave_the_library_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        check_skill_ref(text)


@pytest.mark.parametrize(
    "text", ["pdf", "tools/pdf", "plugin:skill", "日本/語", "a b/c", ".claude/skills/x", "v1..2"]
)
def test_ids_names_and_plugin_names_pass_unchanged(text: str) -> None:
    assert check_skill_ref(text) == text


def test_outer_blanks_and_a_last_slash_are_dropped_and_unicode_is_composed() -> None:
    assert check_skill_ref(" tools/cafe\u0301/ ") == "tools/caf\u00e9"


def test_an_error_message_never_repeats_control_characters() -> None:
    with pytest.raises(UsageError) as caught:
        check_skill_ref("a\x1b[2J\nb")
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "a/b", "..", "-a", "a b", "a=b", "x" * 65])
def test_illegal_labels_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        check_label(text)


def test_a_part_of_an_id_is_never_empty_nor_a_step_up() -> None:
    assert [clean_part(name) for name in ("..", ".", " ", "a\\b", "a\x7fb")] == ["_", "_", "_", "a_b", "a_b"]

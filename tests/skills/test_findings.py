from __future__ import annotations

from pathlib import Path

from skillquiver.skills.findings import FAULTS, clip, finding, findings_page

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"


def test_the_documented_findings_are_those_of_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == findings_page()


def test_a_message_from_skill_text_stays_on_one_line_without_control_characters() -> None:
    said = finding("mirror", "a\nb", "x\r\n\x1b[31m## Skill: other\u202e")
    assert (said.path, said.message) == ("a b", "x [31m## Skill: other")


def test_a_long_quotation_is_cut_to_its_limit() -> None:
    assert clip("a" * 200, 10) == "a" * 9 + "…"


def test_every_fault_says_what_to_do() -> None:
    assert all(fault.meaning and fault.remedy for fault in FAULTS.values())

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.errors import UsageError
from skillquiver.settings import ReadSettings
from skillquiver.skills.discover import Root, discover
from skillquiver.skills.ids import check_skill_ref
from skillquiver.skills.parse import read_skill
from skillquiver.skills.records import Kind, Skill

from .library import codes, parse, search, write_skill


def skill_of(text: str | bytes) -> Skill:
    skill = parse(text).skill
    assert skill is not None
    return skill


def with_fields(yaml: str) -> Skill:
    return skill_of(f"---\nname: thing\ndescription: d\n{yaml}\n---\nText\n")


def test_a_plain_skill_becomes_a_record_without_findings() -> None:
    data = "---\nname: thing\ndescription: Does it.\nlicense: MIT\n---\n# Thing\n\n## Steps\nGo.\n"
    parsed = parse(data)
    assert parsed.findings == ()
    assert parsed.skill is not None
    assert (parsed.skill.id, parsed.skill.name, parsed.skill.description) == (
        "lib/thing",
        "thing",
        "Does it.",
    )
    assert parsed.skill.body == "# Thing\n\n## Steps\nGo.\n"
    assert parsed.skill.headings == ("Thing", "Steps")
    assert parsed.skill.content_hash == hashlib.sha256(data.encode()).hexdigest()
    assert parsed.document is not None


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-8"])
def test_any_encoding_and_line_end_gives_the_same_fields_without_carriage_returns(codec: str) -> None:
    text = "---\r\nname: thing\r\ndescription: |\r\n  Does\r\n  it.\r\n---\r\n# T\r\n"
    skill = skill_of(text.encode(codec))
    assert (skill.name, skill.description, skill.body) == ("thing", "Does it.", "# T\n")


@pytest.mark.parametrize(
    ("data", "code"),
    [("", "file-empty"), ("---\n---", "frontmatter-empty"), ("---\n---\n\n", "frontmatter-empty")],
)
def test_a_file_without_anything_is_one_finding_and_no_skill(data: str, code: str) -> None:
    parsed = parse(data)
    assert (parsed.skill, codes(parsed.findings)) == (None, [code])


def test_a_frontmatter_that_never_closes_is_one_finding_and_a_skill() -> None:
    parsed = parse("---\nname: thing\ndescription: Does it.\n\n# Title\nText\n")
    assert parsed.skill is not None
    assert codes(parsed.findings) == ["frontmatter-unclosed"]


def test_an_empty_frontmatter_above_a_text_is_one_finding_and_a_skill() -> None:
    parsed = parse("---\n---\n# Title\n\nDoes it well.\n")
    assert parsed.skill is not None
    assert (parsed.skill.description, codes(parsed.findings)) == ("Does it well.", ["frontmatter-blank"])


def test_a_bad_folder_never_stops_the_others(tmp_path: Path) -> None:
    for n in range(17):
        write_skill(tmp_path / f"s{n}")
    long = "x" * 1068
    write_skill(tmp_path / "long", f"---\nname: long\ndescription: {long}\n---\nText\n")
    parsed = [read_skill(found) for found in search(tmp_path).files]
    assert sum(p.skill is not None for p in parsed) == 18
    (finding,) = [f for p in parsed for f in p.findings]
    assert (finding.code, finding.message) == ("description-too-long", "1068 > 1024 characters")


def test_without_frontmatter_the_name_is_the_folder_and_the_description_the_first_prose() -> None:
    parsed = parse(
        "# My Thing\n\n[![badge](x)](y)\n\n```sh\nls\n```\n\n> **Makes** [things](http://x) fast.\n\nMore.\n"
    )
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("thing", "Makes things fast.")
    assert codes(parsed.findings) == ["frontmatter-missing"]


def test_a_description_line_in_the_body_loses_its_label() -> None:
    assert skill_of("# Note\n\ndescription: Draft a note.\n").description == "Draft a note."


def test_broken_yaml_keeps_its_restriction_in_the_record() -> None:
    parsed = parse("---\nname: thing\nx: {[}\nallowed-tools: Read, Bash(git add:*)\n---\nText\n")
    assert parsed.skill is not None
    assert parsed.skill.allowed_tools == ("Read", "Bash(git add:*)")
    assert "frontmatter-restriction" in codes(parsed.findings)


@pytest.mark.parametrize(
    "yaml",
    ["allowed-tools: Read Bash(git add:*) Write", "allowed-tools: Read, Bash(git add:*), Write",
     "allowed-tools:\n  - Read\n  - Bash(git add:*)\n  - Write",
     "allowed_tools: [Read, 'Bash(git add:*)', Write]"],
)  # fmt: skip
def test_allowed_tools_are_the_same_as_a_list_or_as_text(yaml: str) -> None:
    assert with_fields(yaml).allowed_tools == ("Read", "Bash(git add:*)", "Write")


@pytest.mark.parametrize(
    "yaml", ["when_to_use: In doubt", "when-to-use:\n  - In doubt", "metadata:\n  when_to_use: In doubt"]
)
def test_when_to_use_is_text_however_it_is_written(yaml: str) -> None:
    assert with_fields(yaml).when_to_use == "In doubt"


def test_tags_come_from_lists_text_and_metadata() -> None:
    assert with_fields("tags: [PDF, 'Form Fill']").tags == ("pdf", "form fill")
    assert with_fields("tags: pdf, form fill").tags == ("pdf", "form fill")
    assert with_fields("keywords: '#pdf #forms'").tags == ("pdf", "forms")
    assert with_fields("metadata:\n  tags: [x]\n  category: Office").tags == ("x",)
    assert with_fields("metadata:\n  category: Office").category == "office"


@pytest.mark.parametrize(
    ("value", "hidden"), [("true", True), ("yes", True), ("'true'", True), ("false", False)]
)
def test_disable_model_invocation_hides_a_skill(value: str, hidden: bool) -> None:
    assert with_fields(f"disable-model-invocation: {value}").hidden is hidden


def test_the_whole_frontmatter_is_kept_as_metadata() -> None:
    assert with_fields("requires: {bins: [git]}").metadata == {
        "name": "thing",
        "description": "d",
        "requires": {"bins": ["git"]},
    }


def test_nested_metadata_is_information_only() -> None:
    parsed = parse("---\nname: thing\ndescription: d\nmetadata:\n  a: {b: 1}\n---\nText\n")
    assert [(f.code, f.severity) for f in parsed.findings] == [("metadata-not-text", "info")]


def test_equal_bodies_have_equal_hashes_whatever_the_line_ends_and_frontmatter() -> None:
    first = skill_of("---\nname: a\n---\nOne  \nTwo\n")
    second = skill_of("---\r\nname: b\r\n---\r\n\r\nOne\r\nTwo\r\n\r\n")
    assert first.body_hash == second.body_hash
    assert first.content_hash != second.content_hash


def test_skills_without_text_are_not_copies_of_each_other() -> None:
    assert skill_of("---\nname: a\n---\n").body_hash == ""


def test_a_changed_body_changes_the_hashes() -> None:
    first, second = skill_of("# A\n\nOne.\n"), skill_of("# A\n\nTwo.\n")
    assert first.body_hash != second.body_hash
    assert first.content_hash != second.content_hash


def test_a_quoted_pipe_to_a_shell_is_noted_with_its_place_and_not_blocked() -> None:
    parsed = parse(
        "---\nname: thing\ndescription: Teaches.\n---\nNever do\n\n```sh\ncurl -s http://x | sh\n```\n"
    )
    assert parsed.skill is not None
    assert [(f.code, f.severity, f.line, f.message) for f in parsed.findings] == [
        ("pipe-to-shell", "info", 8, "curl -s http://x | sh")
    ]


def test_invisible_characters_leave_the_fields_and_are_reported_in_the_body() -> None:
    parsed = parse("---\nname: thing\ndescription: a\u202eb\u200bc\n---\nText \U000e0041hidden\n")
    assert parsed.skill is not None
    assert parsed.skill.description == "a b c"
    assert [(f.code, f.line) for f in parsed.findings] == [("characters-hidden", 5)]


def test_an_agent_takes_its_tools_from_the_field_that_agents_have() -> None:
    agent = parse(
        "---\nname: reviewer\ndescription: d\ntools: Read, Grep\n---\nText\n", "reviewer", Kind.AGENT
    ).skill
    assert agent is not None
    assert agent.allowed_tools == ("Read", "Grep")


# reading from the disk


def test_a_file_above_the_bound_is_a_finding(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "x")
    with path.open("r+b") as file:
        file.truncate(50_000_000)
    (found,) = search(tmp_path).files
    assert codes(read_skill(found).findings) == ["file-too-large"]


def test_a_file_that_grew_since_it_was_found_is_still_bounded(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "x")
    (found,) = search(tmp_path).files
    path.write_text("x" * 5000, encoding="utf-8")
    assert codes(read_skill(found, ReadSettings(max_file_bytes=1000)).findings) == ["file-too-large"]


def test_a_file_that_vanished_is_a_finding(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "x")
    (found,) = search(tmp_path).files
    path.unlink()
    assert codes(read_skill(found).findings) == ["unreadable"]


def test_bundled_scripts_are_entrypoints_but_those_of_a_nested_skill_are_not(tmp_path: Path) -> None:
    write_skill(tmp_path / "x")
    (tmp_path / "x" / "scripts").mkdir()
    (tmp_path / "x" / "scripts" / "fill.py").write_text("", encoding="utf-8")
    (tmp_path / "x" / "notes.txt").write_text("", encoding="utf-8")
    write_skill(tmp_path / "x" / "inner")
    (tmp_path / "x" / "inner" / "run.sh").write_text("", encoding="utf-8")
    (outer,) = [f for f in search(tmp_path).files if f.id == "lib/x"]
    skill = read_skill(outer).skill
    assert skill is not None
    assert skill.entrypoints == ("scripts/fill.py",)


@given(st.binary(max_size=400) | st.text(max_size=400).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_no_bytes_make_it_raise_and_no_field_has_a_carriage_return(data: bytes) -> None:
    check_any(data)


@given(st.text(alphabet="---\n: '\"[]{}#&*!|>,abcname\t\r", max_size=120))
def test_no_frontmatter_makes_it_raise(text: str) -> None:
    check_any(f"---\nname: x\n{text}\n---\n{text}".encode())
    check_any(f"---\n{text}".encode())


def check_any(data: bytes) -> None:
    parsed = parse(data)
    assert parsed == parse(data)
    assert parsed.skill is not None or parsed.findings
    for finding in parsed.findings:
        assert finding.message.isprintable()
    if parsed.skill is None:
        return
    skill = parsed.skill
    texts = (skill.name, skill.description, skill.when_to_use, skill.body, skill.category, skill.license)
    assert not any("\r" in text for text in (*texts, *skill.tags, *skill.headings, *skill.tools))
    assert not any("\n" in text for text in (skill.name, skill.description, *skill.allowed_tools))
    assert skill.name.encode() is not None
    assert check_skill_ref(skill.id) == skill.id


@given(st.text(min_size=1, max_size=40).filter(lambda t: "/" not in t and "\x00" not in t))
def test_every_folder_name_gives_a_legal_id(name: str) -> None:
    from skillquiver.skills.ids import clean_part

    ref = f"lib/{clean_part(name)}"
    try:
        assert check_skill_ref(ref) == ref
    except UsageError as error:  # pragma: no cover - the message shows the case
        pytest.fail(str(error))


def test_reading_twice_gives_the_same_record(tmp_path: Path) -> None:
    write_skill(tmp_path / "x")
    os.utime(tmp_path / "x" / "SKILL.md", ns=(5, 5))
    (found,) = search(tmp_path).files
    assert read_skill(found) == read_skill(found)


def test_a_skill_knows_the_line_of_the_file_that_holds_a_place_in_its_body(tmp_path: Path) -> None:
    file = tmp_path / "demo" / "SKILL.md"
    file.parent.mkdir()
    file.write_text("---\nname: demo\ndescription: Does.\n---\n# Title\n\nHere.\n", encoding="utf-8")
    (found,) = discover([Root("t", tmp_path)]).files
    skill = read_skill(found).skill
    assert skill is not None
    assert (
        file.read_text(encoding="utf-8").splitlines()[skill.line_of(skill.body.index("Here")) - 1] == "Here."
    )

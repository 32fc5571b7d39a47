from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillquiver.settings import ReadSettings
from skillquiver.skills.frontmatter import Frontmatter, split_frontmatter

from .library import codes


def split(yaml: str, body: str = "# Body\n") -> Frontmatter:
    return split_frontmatter(f"---\n{yaml}\n---\n{body}")


def test_valid_yaml_is_read_as_it_is_without_findings() -> None:
    front = split("name: x\ndescription: >\n  two\n  lines\ntags: [a, b]")
    assert front.fields == {"name": "x", "description": "two lines\n", "tags": ["a", "b"]}
    assert (front.body, front.findings, front.body_line) == ("# Body\n", (), 8)
    assert front.lines == {"name": 2, "description": 3, "tags": 6}


# F1


def test_an_unquoted_colon_is_read_as_text_with_a_finding_at_its_line_and_column() -> None:
    front = split("name: ecc\ndescription: Configure the harness: Hooks, MCP Servers")
    assert front.fields["description"] == "Configure the harness: Hooks, MCP Servers"
    (finding,) = front.findings
    # "description: Configure the harness" has 34 characters; the colon is the 35th of line 3 of the file
    assert (finding.code, finding.line, finding.column) == ("frontmatter-quoted", 3, 35)


def test_several_values_are_quoted_and_continuation_lines_stay_with_their_value() -> None:
    front = split("description: Use: one\n  and 'two': three\nnote: a: b\nname: x")
    assert front.fields == {"description": "Use: one and 'two': three", "note": "a: b", "name": "x"}
    assert [f.line for f in front.findings] == [2, 4]


@pytest.mark.parametrize(
    "value",
    [
        "`@expo/ui` is a package",
        "@handle does it",
        "[one] [two]",
        "%percent first",
        "*bold* text",
        "a: b # c",
    ],
)
def test_a_value_that_is_no_yaml_without_quotes_is_read_as_text(value: str) -> None:
    front = split(f"name: x\ndescription: {value}")
    assert (front.fields, codes(front.findings)) == (
        {"name": "x", "description": value},
        ["frontmatter-quoted"],
    )


@pytest.mark.parametrize(
    "yaml",
    [
        "description: 'a: b'",
        'description: "a: b"',
        "url: http://x.y/z",
        "description: |\n  a: b\n  c",
        "a:\n  b: c",
    ],
)
def test_valid_yaml_never_goes_through_the_rewrite(yaml: str) -> None:
    assert split(yaml).findings == ()


def test_tabs_as_indentation_are_read_as_blanks() -> None:
    front = split("name: x\nmetadata:\n\tauthor: me")
    assert front.fields == {"name": "x", "metadata": {"author": "me"}}
    assert codes(front.findings) == ["frontmatter-tab"]


# F2


def test_a_tool_restriction_in_broken_yaml_is_kept_with_an_error() -> None:
    front = split("name: x\nmetadata: {a: [}\nallowed-tools: Read\ndescription: does it")
    assert front.fields["allowed-tools"] == "Read"
    errors = {f.code: f for f in front.findings if f.severity == "error"}
    assert "Read" in errors["frontmatter-restriction"].message
    assert errors["frontmatter-restriction"].line == 4


def test_a_list_of_tools_in_broken_yaml_is_kept_too() -> None:
    front = split('name: "x\nallowed-tools:\n  - Read\n  - "Bash(ls:*)"\n}{')
    assert front.fields["allowed-tools"] == ["Read", "Bash(ls:*)"]


# F4


def test_frontmatter_without_fields_has_an_empty_body_or_the_rest() -> None:
    assert split_frontmatter("---\n---\nText").body == "Text"
    assert split_frontmatter("---\n---\n").fields == {}


def test_a_frontmatter_that_never_closes_ends_where_its_fields_end() -> None:
    front = split_frontmatter("---\nname: x\ndescription: does it\n\n# Title\n\nText: more\n")
    assert front.fields == {"name": "x", "description": "does it"}
    assert front.body.strip() == "# Title\n\nText: more"
    assert codes(front.findings) == ["frontmatter-unclosed"]


def test_a_rule_of_the_body_does_not_close_a_frontmatter_that_never_closes() -> None:
    front = split_frontmatter("---\nname: x\ntags: [a]\n2. Do this first\n3. Then: that\n---\nMore\n")
    assert front.fields == {"name": "x", "tags": ["a"]}
    assert front.body == "2. Do this first\n3. Then: that\n---\nMore\n"
    assert codes(front.findings) == ["frontmatter-unclosed"]


def test_a_rule_above_plain_text_is_no_frontmatter() -> None:
    front = split_frontmatter("---\nJust some text.\n")
    assert (front.fields, codes(front.findings)) == ({}, ["frontmatter-missing"])


# F6, F8


def test_nested_metadata_and_numbers_are_kept_verbatim() -> None:
    front = split(
        "metadata:\n  version: 1.10\n  n: 3\n  f: 2.5\n  on: true\n"
        "  day: 2026-01-02\n  zip: 01234\n  m: {a: [1, x]}"
    )
    assert front.fields["metadata"] == {
        "version": "1.10",
        "n": 3,
        "f": 2.5,
        "on": True,
        "day": "2026-01-02",
        "zip": "01234",
        "m": {"a": [1, "x"]},
    }


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!python/name:os.system", "!Custom"])
def test_a_tag_is_never_obeyed_and_is_an_error(tag: str) -> None:
    front = split(f"name: x\nbad: {tag} ['echo hi']\ndescription: y")
    assert front.fields == {"name": "x", "bad": None, "description": "y"}
    assert [(f.code, f.severity, f.line) for f in front.findings] == [("frontmatter-tag", "error", 3)]


def test_an_alias_bomb_is_bounded_and_an_error() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]\n" for n in range(1, 9)
    )
    front = split(bomb + "name: x")
    assert codes(front.findings) == ["frontmatter-aliases"]
    assert front.fields["name"] == "x"


def test_an_alias_of_itself_is_bounded() -> None:
    assert codes(split("a: &a [*a]").findings)[0] in ("frontmatter-aliases", "frontmatter-too-large")


@pytest.mark.parametrize(
    "text",
    ["[" * 5000, "{a: " * 5000, "- " * 5000, "a:\n" + "".join(" " * n + "a:\n" for n in range(1, 300))],
)
def test_deep_nesting_is_bounded(text: str) -> None:
    assert codes(split(text).findings) == ["frontmatter-too-large"]


def test_an_endless_frontmatter_is_bounded() -> None:
    front = split_frontmatter(
        "---\nname: x\n" + "k: v\n" * 20_000 + "---\n", "", ReadSettings(max_yaml_bytes=1000)
    )
    assert codes(front.findings) == ["frontmatter-too-large"]
    assert front.fields["name"] == "x"


def test_a_repeated_field_is_reported_and_the_last_one_counts() -> None:
    front = split("name: a\nname: b")
    assert front.fields == {"name": "b"}
    assert [(f.code, f.line) for f in front.findings] == [("field-repeated", 3)]


def test_a_frontmatter_that_is_a_list_has_no_fields() -> None:
    front = split("- a\n- b")
    assert (front.fields, codes(front.findings)) == ({}, ["frontmatter-not-fields"])


# F9 and what stands before the frontmatter


def test_an_example_of_frontmatter_in_the_body_is_not_taken_as_the_skills_own() -> None:
    body = "Write:\n\n```yaml\n---\nname: other\n---\n```\n"
    front = split("name: mine", body)
    assert (front.fields, front.body) == ({"name": "mine"}, body)
    assert split_frontmatter(body).fields == {}
    assert split_frontmatter("```\n---\nname: other\n---\n```\n").fields == {}


def test_blank_lines_or_a_licence_comment_may_stand_before_the_frontmatter() -> None:
    front = split_frontmatter("\n<!-- Copyright\nsomebody -->\n\n---\nname: x\n---\nText\n")
    assert (front.fields, front.body, codes(front.findings)) == (
        {"name": "x"},
        "Text\n",
        ["frontmatter-late"],
    )
    assert front.lines == {"name": 6}


def test_fields_without_fences_are_read_with_a_finding() -> None:
    front = split_frontmatter("name: X\ndescription: Does it.\n\n# Title\n")
    assert front.fields == {"name": "X", "description": "Does it."}
    assert codes(front.findings) == ["frontmatter-unfenced"]


PRINTABLE = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff"
)
WORDS = st.text(PRINTABLE, max_size=30)
KEYS = st.from_regex(r"[a-z][a-z_-]{0,9}", fullmatch=True)


@given(
    st.dictionaries(
        KEYS, WORDS | st.lists(WORDS, max_size=3) | st.booleans() | st.integers(0, 999), max_size=5
    )
)
def test_whatever_a_yaml_writer_writes_is_read_back_unchanged_without_findings(
    fields: dict[str, object],
) -> None:
    front = split(yaml.safe_dump(fields, allow_unicode=True).rstrip("\n"))
    assert front.fields == fields
    assert front.findings == ()

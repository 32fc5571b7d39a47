from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillquiver.serve.hosts.json_edit import (
    EditError,
    insert_item,
    insert_json,
    is_blank_json,
    remove_item,
    remove_json,
)
from skillquiver.serve.hosts.jsonc import MAX_DEPTH, JsonError, parse_jsonc, value_of

SERVER = {"skillquiver": {"command": "/a b/quiver", "args": ["mcp"]}}


def put_in(text: str, members: dict[str, Any] = SERVER, path: tuple[str, ...] = ("mcpServers",)) -> str:
    after, how = insert_json(text, path, members)
    assert how is not None
    assert remove_json(after, path, how) == (text, True)
    return after


def test_a_member_is_added_in_the_style_of_its_neighbours() -> None:
    before = '{\n\t"mcpServers": {\n\t\t"x": {}\n\t}\n}\n'
    assert put_in(before, {"y": 1}) == '{\n\t"mcpServers": {\n\t\t"x": {},\n\t\t"y": 1\n\t}\n}\n'


def test_a_comment_stays_beside_the_value_it_is_about() -> None:
    assert put_in('{\n  "a": 1 // one\n}', {"b": 2}, ()) == '{\n  "a": 1, // one\n  "b": 2\n}'


def test_a_trailing_comma_stays_the_style_of_the_file() -> None:
    assert put_in('{\r\n  "a": 1,\r\n}', {"b": 2}, ()) == '{\r\n  "a": 1,\r\n  "b": 2,\r\n}'


def test_one_line_stays_one_line() -> None:
    assert put_in('{"a": {"x": 1}}', {"y": 2}, ("a",)) == '{"a": {"x": 1, "y": 2}}'


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }",
        "{\n}",
        "\ufeff{}\r\n",
        '{"mcpServers":{}}',
        '{\n  "mcpServers": {\n    // none yet\n  }, /* y */ "z":[1,2,]\n}',
        '// head\n{"mcpServers" : {"x" : {"y":"// no comment"} } } // tail',
        '{"mcpServers": {"x": 1}, "mcpServers": {"z": 2}}',
    ],
)
def test_taking_out_what_was_put_in_restores_every_byte(text: str) -> None:
    assert value_of(after := put_in(text), parse_jsonc(after))["mcpServers"]["skillquiver"]


def test_members_that_others_added_to_a_container_of_ours_stay() -> None:
    after, how = insert_json("{}", ("mcpServers",), {"q": 1})
    assert how is not None
    edited = after.replace('"q": 1', '"q": 1,\n    "theirs": 2')
    assert json.loads(remove_json(edited, ("mcpServers",), how)[0]) == {"mcpServers": {"theirs": 2}}


def test_a_neighbour_removed_in_between_leaves_a_document_that_parses() -> None:
    after, how = insert_json('{"a": 1, "b": 2}', (), {"q": 3, "r": 4})
    assert how is not None
    text, there = remove_json(after.replace('"a": 1, "b": 2, ', ""), (), how)
    assert (json.loads(text), there) == ({}, True)


def test_a_value_that_is_there_changes_nothing_and_another_one_is_refused() -> None:
    assert insert_json('{"a": 1}', (), {"a": 1}) == ('{"a": 1}', None)
    with pytest.raises(EditError, match=r"m\.a is there already"):
        insert_json('{"m": {"a": 2}}', ("m",), {"a": 1})


@pytest.mark.parametrize("text", ["[]", '{"m": null}', '{"m": []}', '{"m": 3}'])
def test_what_is_no_object_takes_no_member(text: str) -> None:
    with pytest.raises(EditError, match="is no object"):
        insert_json(text, ("m", "n"), {"a": 1})


def test_an_item_is_appended_once_and_found_by_its_value() -> None:
    before = '{"hooks": {"E": [{"x": 1}]}}'
    after, how = insert_item(before, ("hooks", "E"), {"y": 2})
    assert how is not None
    assert after == '{"hooks": {"E": [{"x": 1}, {"y": 2}]}}'
    assert insert_item(after, ("hooks", "E"), {"y": 2}) == (after, None)
    assert remove_item(after, ("hooks", "E"), {"y": 2}, how) == (before, True)
    assert remove_item(before, ("hooks", "E"), {"y": 2}, how) == (before, False)
    assert remove_item("{}", ("hooks", "E"), {"y": 2}, how) == ("{}", False)
    with pytest.raises(EditError, match="is no array"):
        insert_item('{"hooks": {"E": {}}}', ("hooks", "E"), 1)
    with pytest.raises(EditError, match="is no object"):
        insert_item('{"hooks": []}', ("hooks", "E"), 1)


def test_what_is_gone_already_is_not_there() -> None:
    _, how = insert_json("{}", ("m",), {"a": 1})
    assert how is not None
    assert remove_json('{"m": {"b": 1}}', ("m",), how) == ('{"m": {"b": 1}}', False)
    assert remove_json("{}", ("m",), how) == ("{}", False)


@pytest.mark.parametrize(
    ("text", "blank"),
    [("{}", True), ("{\n}\n", True), ("{/* x */}", False), ("{} // x", False), ("[]", False)],
)
def test_only_an_object_without_comments_is_blank(text: str, blank: bool) -> None:
    assert is_blank_json(text) is blank


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: the document ends early"),
        ('{"a": 1', "a comma or '}' is missing"),
        ('{"a" 1}', "':' is missing"),
        ("{\n  a: 1}", "line 2, column 3: a name in double quotes is missing"),
        ("{'a': 1}", "a name in double quotes"),
        ('{"a": tru}', "no JSON value"),
        ('{"a": "x\ny"}', "no JSON value"),
        ('{"a": 01}', "a comma or '}' is missing"),
        ("{} {}", "something follows the document"),
        ("{ /* x }", "a comment never ends"),
        ("[1,,2]", "no JSON value"),
        ("[" * (MAX_DEPTH + 2), "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(JsonError, match=r"line \d+, column \d+") as error:
        parse_jsonc(text)
    assert said in str(error.value)


# --- any document ----------------------------------------------------------------------------------

SPACES = st.sampled_from(["", " ", "\n", "\r\n\t", "  ", " /* c */ ", " // c\n", "\n  // {,}\n  "])
KEYS = st.sampled_from(["mcpServers", "skillquiver", "a", 'q"uote', "é\\"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4)).map(
    lambda value: json.dumps(value, ensure_ascii=False)
)


@st.composite
def containers(draw: st.DrawFn, inner: st.SearchStrategy[str], *, members: bool) -> str:
    """Text of an object or array, with comments and white space wherever they may be."""
    parts = []
    for key in draw(st.lists(KEYS, max_size=2, unique=True)):
        name = f"{json.dumps(key)}{draw(SPACES)}:" if members else ""
        parts.append(f"{draw(SPACES)}{name}{draw(SPACES)}{draw(inner)}{draw(SPACES)}")
    comma = "," + draw(SPACES) if parts and draw(st.booleans()) else "" if parts else draw(SPACES)
    return ("{%s}" if members else "[%s]") % (",".join(parts) + comma)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The inner values, and containers of them."""
    return st.one_of(inner, containers(inner, members=True), containers(inner, members=False))


VALUES = nested(nested(SCALARS))
ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100)
"""Documents are built piece by piece; how long that takes says nothing."""


@ANY
@given(before=SPACES, document=containers(VALUES, members=True), after=SPACES)
def test_put_in_and_taken_out_is_the_same_document_whatever_it_is(
    before: str, document: str, after: str
) -> None:
    text = before + document + after
    try:
        changed, how = insert_json(text, ("mcpServers",), SERVER)
    except EditError:  # the document holds something else there
        return
    if how is None:
        return
    held = value_of(text, parse_jsonc(text))
    held.setdefault("mcpServers", {}).update(SERVER)
    assert value_of(changed, parse_jsonc(changed)) == held
    assert remove_json(changed, ("mcpServers",), how) == (text, True)


@ANY
@given(document=containers(VALUES, members=True))
def test_an_item_put_in_and_taken_out_leaves_the_same_document(document: str) -> None:
    try:
        changed, how = insert_item(document, ("a", "mcpServers"), SERVER)
    except EditError:
        return
    if how is not None:
        assert remove_item(changed, ("a", "mcpServers"), SERVER, how) == (document, True)

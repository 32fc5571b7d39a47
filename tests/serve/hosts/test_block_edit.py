from __future__ import annotations

import pytest

from skillquiver.serve.hosts.block_edit import (
    NOTE_BEGIN,
    insert_note,
    insert_table,
    remove_note,
    remove_table,
)
from skillquiver.serve.hosts.json_edit import EditError

PATH = ("mcp_servers", "skillquiver")
TABLE = '[mcp_servers.skillquiver]\ncommand = "q"\nargs = ["mcp"]\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "a = 1 # no line end",
        "# c\r\n[b]\r\nc = 2\r\n",
        '[mcp_servers.x]\ncommand = "y"\n\n\n',
        'mcp_servers.x.command = "y"\n',
        "[mcp_servers]\n",
    ],
)
def test_a_table_taken_out_restores_every_byte(text: str) -> None:
    after, chunk = insert_table(text, PATH, TABLE)
    assert "skillquiver" in after
    assert remove_table(after, PATH, chunk) == (text, True)


def test_a_table_takes_the_line_ends_of_the_file() -> None:
    assert insert_table("a = 1\r\n", PATH, TABLE)[0].count("\r\n") == 5


def test_a_table_that_is_there_changes_nothing_and_another_one_is_refused() -> None:
    assert insert_table(TABLE, PATH, TABLE) == (TABLE, "")
    with pytest.raises(EditError, match="there already"):
        insert_table(TABLE.replace('"q"', '"other"'), PATH, TABLE)


def test_an_inline_parent_is_refused_with_what_to_do() -> None:
    with pytest.raises(EditError, match="written inline"):
        insert_table("mcp_servers = {x = {command = 'y'}}\n", PATH, TABLE)


def test_broken_toml_is_refused() -> None:
    with pytest.raises(EditError, match="line 1"):
        insert_table("a = \n", PATH, TABLE)


def test_an_edited_table_goes_with_its_sub_tables_and_the_rest_stays() -> None:
    after, chunk = insert_table("a = 1\n", PATH, TABLE)
    edited = (
        after.replace('"q"', '"mine"') + '[mcp_servers.skillquiver.env]\nA = "1"\n# about z\n[z]\nk = 1\n'
    )
    assert remove_table(edited, PATH, chunk) == ("a = 1\n\n# about z\n[z]\nk = 1\n", True)
    assert remove_table(after.replace('"q"', '"mine"') + "# mine\n", PATH, chunk) == (
        "a = 1\n\n# mine\n",
        True,
    )


def test_a_table_that_is_gone_or_cannot_be_found_is_said() -> None:
    assert remove_table("a = 1\n", PATH, TABLE) == ("a = 1\n", False)
    with pytest.raises(EditError, match="remove it by hand"):
        remove_table("mcp_servers = {skillquiver = {command = 'q'}}\n", PATH, TABLE)
    with pytest.raises(EditError, match="remove it by hand"):
        remove_table(
            "x = '''\n[mcp_servers.skillquiver]\n'''\n[mcp_servers]\nskillquiver.a = 1\n", PATH, TABLE
        )


@pytest.mark.parametrize("text", ["", "x", "# A\r\n", "a\n\n"])
def test_a_note_taken_out_restores_every_byte(text: str) -> None:
    after, chunk = insert_note(text, "ask first")
    assert remove_note(after, chunk) == (text, True)
    assert insert_note(after, "ask first") == (after, "")


def test_an_edited_note_goes_with_its_marks() -> None:
    after, chunk = insert_note("# A\n", "ask first")
    assert remove_note(after.replace("ask", "shout") + "more\n", chunk) == ("# A\nmore\n", True)
    assert remove_note("# A\n", chunk) == ("# A\n", False)


def test_another_note_of_ours_is_refused() -> None:
    with pytest.raises(EditError, match="older note"):
        insert_note(f"{NOTE_BEGIN}\nold\n", "new")

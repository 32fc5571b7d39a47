"""The file of tokens, and the commands that keep it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import UsageError
from skillquiver.serve.cli import main
from skillquiver.serve.http.tokens import TokenFile, add_token, find_token, read_tokens, remove_token
from tests.serve.http.helpers import CREATED


def quiver(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["token", *arguments])


def test_a_token_is_shown_once_and_stored_as_a_hash_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "tokens.json"
    secret = add_token(file, "reader", ["b", "a", "a"], created=CREATED)
    (token,) = read_tokens(file)
    assert token.libraries == ("a", "b")
    assert token.sha256 == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o077 == 0
    assert len(secret) == len("qvr_") + 43  # 256 bits in base64
    assert find_token([token], secret) is token
    assert find_token([token], secret[:-1]) is None


def test_names_are_unique_and_what_is_not_there_cannot_be_removed(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    add_token(file, "reader", ["a"], created=CREATED)
    for name, libraries, fault in (
        ("reader", ["a"], "already"),
        ("", ["a"], "printable"),
        ("a\n", ["a"], "printable"),
        ("none", [], "which libraries"),
    ):
        with pytest.raises(UsageError, match=fault):
            add_token(file, name, libraries, created=CREATED)
    with pytest.raises(UsageError, match="no token 'other'"):
        remove_token(file, "other")
    remove_token(file, "reader")
    assert read_tokens(file) == ()
    assert sorted(path.name for path in tmp_path.iterdir()) in (
        ["tokens.json"],
        ["tokens.json", "tokens.json.lock"],
    )


@pytest.mark.parametrize("text", ["", "{}x", '{"tokens": [{"name": 1}]}', '{"format": 2}'])
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(UsageError, match=r"no file of tokens|format 2"):
        add_token(file, "reader", ["a"], created=CREATED)
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_others_may_open_is_refused_until_it_is_mended(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    add_token(file, "reader", ["a"], created=CREATED)
    tokens = TokenFile(file)
    assert [token.name for token in tokens.tokens()] == ["reader"]
    file.chmod(0o640)
    for _ in range(2):
        with pytest.raises(UsageError, match="chmod 600"):
            tokens.tokens()
    file.chmod(0o600)
    assert [token.name for token in tokens.tokens()] == ["reader"]
    file.unlink()
    assert tokens.tokens() == ()


def test_a_place_that_cannot_be_written_or_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot read|cannot write"):
        add_token(tmp_path / "file" / "tokens.json", "reader", ["a"], created=CREATED)
    with pytest.raises(UsageError, match="cannot read"):
        read_tokens(tmp_path)


def test_the_commands_add_list_and_remove(tmp_path: Path) -> None:
    file = ["--tokens", str(tmp_path / "tokens.json")]
    assert quiver("list", *file).output == "no tokens\n"
    secret = quiver("add", "ci", "--library", "tools", *file).output.strip()
    quiver("add", "admin", "--every-library", *file)
    assert find_token(read_tokens(Path(file[1])), secret) is not None
    lines = quiver("list", *file).output.splitlines()
    assert [line.split("  ")[:2] for line in lines] == [["ci", "tools"], ["admin", "*"]]
    rows = json.loads(quiver("list", "--json", *file).output)["tokens"]
    assert [(row["name"], row["libraries"]) for row in rows] == [("ci", ["tools"]), ("admin", ["*"])]
    assert quiver("remove", "ci", *file).exit_code == 0
    again = quiver("remove", "ci", *file)
    assert again.exit_code == 2
    assert quiver("add", "both", "--library", "a", "--every-library", *file).exit_code == 2


def test_tokens_are_kept_in_the_users_own_folder_unless_said_otherwise() -> None:
    assert quiver("add", "ci", "--every-library").exit_code == 0
    assert [line.split()[0] for line in quiver("list").output.splitlines()] == ["ci"]

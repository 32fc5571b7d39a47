from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.serve.usecases import folders
from skillquiver.serve.usecases.folders import list_folder, read_file
from skillquiver.skills.records import Kind, Skill
from skillquiver.testing import make_skill

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    folder = tmp_path / "pdf"
    (folder / "scripts").mkdir(parents=True)
    (folder / "skill.md").write_bytes(b"own")
    (folder / "scripts" / "fill.py").write_bytes(b"fill")
    return make_skill("pdf", path=str(folder / "skill.md"))


def names(skill: Skill) -> list[str]:
    return [file.name for file in list_folder(skill).files]


def test_files_come_by_name_with_digest_and_size_and_the_own_one_as_skill_md(skill: Skill) -> None:
    found = list_folder(skill)
    assert [(file.name, file.digest, file.size) for file in found.files] == [
        ("SKILL.md", hashlib.sha256(b"own").hexdigest(), 3),
        ("scripts/fill.py", hashlib.sha256(b"fill").hexdigest(), 4),
    ]
    assert found.complete
    assert read_file(skill, "SKILL.md") == b"own"
    assert read_file(skill, "scripts/fill.py") == b"fill"


@posix
def test_links_are_neither_listed_nor_read(skill: Skill, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_bytes(b"secret")
    folder = Path(skill.path).parent
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "below").symlink_to(tmp_path / "elsewhere")
    assert names(skill) == ["SKILL.md", "scripts/fill.py"]
    for name in ("link", "below/secret"):
        with pytest.raises(UsageError, match="cannot be read"):
            read_file(skill, name)


@posix
def test_a_pipe_is_no_file_and_hangs_nobody(skill: Skill) -> None:
    os.mkfifo(Path(skill.path).parent / "pipe")
    assert names(skill) == ["SKILL.md", "scripts/fill.py"]
    with pytest.raises(UsageError, match="is no file"):
        read_file(skill, "pipe")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "scripts/../skill.md",
        "/etc/passwd",
        "a//b",
        "c:x",
        "a\\b",
        "a\0b",
        ".git/config",
    ],
)
def test_names_that_lead_elsewhere_are_refused(skill: Skill, name: str) -> None:
    with pytest.raises(UsageError, match="is no file of the skill"):
        read_file(skill, name)


def test_a_folder_is_no_file(skill: Skill) -> None:
    with pytest.raises(UsageError):
        read_file(skill, "scripts")


def test_history_and_other_skills_below_are_left_out(skill: Skill) -> None:
    folder = Path(skill.path).parent
    for name in (".git/config", "node_modules/x.js", "sub/SKILL.md", "sub/notes.md", "docs/notes.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    assert names(skill) == ["SKILL.md", "docs/notes.md", "scripts/fill.py"]


def test_a_command_is_its_file_alone(skill: Skill, tmp_path: Path) -> None:
    command = make_skill("do", path=skill.path, kind=Kind.COMMAND)
    assert names(command) == ["SKILL.md"]
    with pytest.raises(UsageError):
        read_file(command, "scripts/fill.py")


def test_a_skill_whose_file_is_gone_has_no_files(skill: Skill) -> None:
    Path(skill.path).unlink()
    assert list_folder(skill).files == ()
    with pytest.raises(UsageError, match="cannot be read"):
        read_file(skill, "SKILL.md")


def test_more_files_or_bytes_than_the_bounds_are_left_out_and_said_so(
    skill: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(skill.path).parent
    for name in "abc":
        (folder / name).write_bytes(b"12345")
    monkeypatch.setattr(folders, "MAX_FILES", 3)
    found = list_folder(skill)
    assert ([file.name for file in found.files], found.complete) == (["SKILL.md", "a", "b"], False)
    monkeypatch.setattr(folders, "MAX_FILES", 512)
    monkeypatch.setattr(folders, "MAX_BYTES", 12)
    found = list_folder(skill)
    assert ([file.name for file in found.files], found.complete) == (
        ["SKILL.md", "a", "scripts/fill.py"],
        False,
    )
    monkeypatch.setattr(folders, "MAX_BYTES", 4)
    assert not list_folder(skill).complete
    with pytest.raises(UsageError, match="larger than 4 bytes"):
        read_file(skill, "a")
    monkeypatch.setattr(folders, "MAX_ENTRIES", 2)
    assert names(skill) == ["SKILL.md"]


def test_a_changed_file_has_another_digest(skill: Skill) -> None:
    before = list_folder(skill).files[1].digest
    file = Path(skill.path).parent / "scripts" / "fill.py"
    file.write_bytes(b"other")
    assert list_folder(skill).files[1].digest == hashlib.sha256(b"other").hexdigest() != before

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from skillquiver.evaluate.agents import folders
from skillquiver.evaluate.agents.folders import (
    PACK_LIMITS,
    SKILL_LIMITS,
    Copied,
    Limits,
    copy_skill,
    copy_tree,
    safe_name,
    safe_names,
)
from skillquiver.skills.records import Kind
from skillquiver.testing import make_skill

links = pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege on Windows")


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("PDF Tables", "pdf-tables"),
        ("../../etc/passwd", "etc-passwd"),
        ("Überblick_2", "uberblick-2"),
        ("将 CSV", "csv"),
        ("技能", "skill"),
        ("-a--b-", "a-b"),
        ("x" * 70, "x" * 64),
        ("x" * 63 + " y", "x" * 63),
    ],
)
def test_a_name_becomes_that_of_a_skill_folder(text: str, name: str) -> None:
    assert safe_name(text) == name


def test_of_several_with_one_name_the_first_by_id_keeps_it() -> None:
    names = {"b/pdf": "PDF", "a/pdf": "pdf", "c/pdf": "pdf-2", "d/pdf": "pdf"}
    assert safe_names(names) == {"a/pdf": "pdf", "b/pdf": "pdf-2", "c/pdf": "pdf-2-2", "d/pdf": "pdf-3"}


def test_a_counted_name_is_no_longer_than_names_may_be() -> None:
    names = safe_names({"a": "x" * 64, "b": "x" * 64})
    assert names == {"a": "x" * 64, "b": "x" * 62 + "-2"}


def test_a_skill_is_copied_with_its_scripts_and_what_may_be_executed_stays_so(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", SKILL_dot_md="text", scripts__run_dot_sh="echo", references__a_dot_md="a")
    (source / "scripts" / "run.sh").chmod(0o4755)
    copied = copy_skill(make_skill("s", path=str(source / "SKILL.md")), tmp_path / "out")
    assert _files(tmp_path / "out") == {"SKILL.md": "text", "references/a.md": "a", "scripts/run.sh": "echo"}
    assert copied == Copied(3, 9)
    if os.name != "nt":
        assert (tmp_path / "out" / "scripts" / "run.sh").stat().st_mode & 0o7777 == 0o755
        assert (tmp_path / "out" / "SKILL.md").stat().st_mode & 0o7777 == 0o644


def test_a_lower_case_skill_file_is_copied_under_its_usual_name(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", skill_dot_md="text")
    copy_skill(make_skill("s", path=str(source / "skill.md")), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["SKILL.md"]


def test_a_command_is_its_file_alone(tmp_path: Path) -> None:
    source = _write(tmp_path / "commands", deploy_dot_md="deploy", other_dot_md="other")
    skill = make_skill("deploy", path=str(source / "deploy.md"), kind=Kind.COMMAND)
    assert copy_skill(skill, tmp_path / "out") == Copied(1, 6)
    assert _files(tmp_path / "out") == {"SKILL.md": "deploy"}


def test_skills_below_a_skill_and_folders_of_tools_stay_out(tmp_path: Path) -> None:
    source = _write(
        tmp_path / "s",
        SKILL_dot_md="text",
        inner__SKILL_dot_md="another",
        inner__a_dot_md="of the other",
        node_modules__x_dot_js="x",
        deep__references__b_dot_md="b",
    )
    copy_skill(make_skill("s", path=str(source / "SKILL.md")), tmp_path / "out")
    assert _files(tmp_path / "out") == {"SKILL.md": "text", "deep/references/b.md": "b"}


@links
def test_links_out_of_a_skill_are_named_and_not_followed(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", SKILL_dot_md="text", real_dot_txt="real", folder__in_dot_txt="in")
    _write(tmp_path / "outside", secret_dot_txt="secret")
    (source / "a-out").symlink_to(tmp_path / "outside" / "secret.txt")
    (source / "b-out").symlink_to(tmp_path / "outside")
    (source / "c-nowhere").symlink_to(tmp_path / "gone")
    (source / "d-up").symlink_to(source)
    (source / "e-loop").symlink_to(source / "e-loop")
    (source / "f-in").symlink_to(source / "real.txt")
    (source / "g-folder").symlink_to(source / "folder")
    os.mkfifo(source / "h-pipe")
    copied = copy_skill(make_skill("s", path=str(source / "SKILL.md")), tmp_path / "out")
    assert _files(tmp_path / "out") == {
        "SKILL.md": "text", "f-in": "real", "folder/in.txt": "in", "real.txt": "real",
    }  # fmt: skip
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))
    assert dict(copied.left_out) == {
        "a-out": "a link out of the folder",
        "b-out": "a link out of the folder",
        "c-nowhere": "a link to nowhere",
        "d-up": "a link to a folder",
        "e-loop": "a link to nowhere",
        "g-folder": "a link to a folder",
        "h-pipe": "neither file nor folder",
    }


@links
def test_a_skill_file_that_is_a_link_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    _write(tmp_path / "outside", secret_dot_txt="secret")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "SKILL.md").symlink_to(tmp_path / "outside" / "secret.txt")
    with pytest.raises(OSError, match="a link out of the folder"):
        copy_skill(make_skill("s", path=str(tmp_path / "s" / "SKILL.md")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@links
def test_a_skill_whose_folder_is_a_link_is_copied(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", SKILL_dot_md="text", a_dot_txt="a")
    (tmp_path / "link").symlink_to(source)
    copy_skill(make_skill("s", path=str(tmp_path / "link" / "SKILL.md")), tmp_path / "out")
    assert _files(tmp_path / "out") == {"SKILL.md": "text", "a.txt": "a"}


def test_a_copy_ends_at_its_limits_in_the_order_of_paths(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", a="1234", b="12345", c="1", d__e="1", d__f__g="1")
    limits = Limits(files=3, size=7, depth=2)
    copied = copy_tree(source, tmp_path / "out", limits)
    assert _files(tmp_path / "out") == {"a": "1234", "c": "1", "d/e": "1"}
    assert copied == Copied(3, 6, (("b", "over 3 files or 7 bytes"), ("d/f", "deeper than 2 folders")))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    source = _write(tmp_path / "s", a="a", b="b")
    (source / "a").chmod(0)
    assert copy_tree(source, tmp_path / "out", SKILL_LIMITS).left_out == (("a", "Permission denied"),)


def test_a_folder_that_cannot_be_listed_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _write(tmp_path / "source", **{"a.txt": "a", "shut/b.txt": "b", "z/c.txt": "c"})
    listed = folders._listed

    def refused(folder: Path) -> Iterable[Path]:
        if folder.name == "shut":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(folders, "_listed", refused)
    copied = copy_tree(source, tmp_path / "copy", PACK_LIMITS)
    assert sorted(_files(tmp_path / "copy")) == ["a.txt", "z/c.txt"]
    assert copied.left_out == (("shut", "Permission denied"),)

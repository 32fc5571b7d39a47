from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.settings import ReadSettings
from skillquiver.skills.discover import Root, Scope, discover, parse_root
from skillquiver.skills.records import Kind

from .library import codes, ids, search, write_skill


def test_ids_are_the_label_and_the_folders_below_the_root_in_order(tmp_path: Path) -> None:
    write_skill(tmp_path / "b")
    write_skill(tmp_path / "a" / "deep")
    assert ids(search(tmp_path)) == ["lib/a/deep", "lib/b"]


def test_a_skill_directly_in_the_root_has_the_label_as_its_id(tmp_path: Path) -> None:
    write_skill(tmp_path)
    assert ids(search(tmp_path)) == ["lib"]


def test_discovery_gives_size_time_and_an_absolute_path(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "a", "12345")
    os.utime(path, ns=(7, 7))
    (file,) = search(tmp_path).files
    assert (file.path, file.size, file.mtime_ns, file.root, file.kind) == (str(path), 5, 7, "lib", Kind.SKILL)


# D1


def test_a_root_that_is_a_link_is_searched_once_and_the_finding_shows_its_target(tmp_path: Path) -> None:
    write_skill(tmp_path / "dotfiles" / "pdf")
    (tmp_path / "skills").symlink_to(tmp_path / "dotfiles")
    found = search(tmp_path / "skills")
    assert ids(found) == ["lib/pdf"]
    (finding,) = found.findings
    assert finding.code == "root-link"
    assert finding.message == f"{tmp_path / 'skills'} → {tmp_path / 'dotfiles'}"


def test_a_skill_folder_linked_from_outside_is_found_and_the_finding_shows_its_target(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere" / "pdf")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "mine").symlink_to(tmp_path / "elsewhere" / "pdf")
    found = search(tmp_path / "skills")
    assert ids(found) == ["lib/mine"]
    (finding,) = found.findings
    assert (finding.code, finding.path) == ("link-followed", str(tmp_path / "skills" / "mine"))
    assert finding.message.endswith(f"→ {tmp_path / 'elsewhere' / 'pdf'}")


def test_a_folder_linked_twice_is_found_once(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere" / "pdf")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "a").symlink_to(tmp_path / "elsewhere" / "pdf")
    (tmp_path / "skills" / "b").symlink_to(tmp_path / "elsewhere" / "pdf")
    found = search(tmp_path / "skills")
    assert ids(found) == ["lib/a"]
    assert codes(found.findings) == ["link-followed", "link-repeated"]


def test_the_real_place_of_a_skill_gives_its_id_whatever_the_links_are_called(tmp_path: Path) -> None:
    write_skill(tmp_path / "z" / "pdf")
    (tmp_path / "a").symlink_to(tmp_path / "z" / "pdf")
    found = search(tmp_path)
    assert ids(found) == ["lib/z/pdf"]
    assert codes(found.findings) == ["link-repeated"]


def test_a_link_out_of_the_root_that_holds_no_skill_is_not_followed(tmp_path: Path) -> None:
    write_skill(tmp_path / "big" / "one" / "two" / "three" / "pdf")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "all").symlink_to(tmp_path / "big")
    found = search(tmp_path / "skills")
    assert (ids(found), codes(found.findings)) == ([], ["link-leaves-root"])


def test_a_skill_file_that_links_to_some_other_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key", encoding="utf-8")
    (tmp_path / "skills" / "x").mkdir(parents=True)
    (tmp_path / "skills" / "x" / "SKILL.md").symlink_to(tmp_path / "secret")
    found = search(tmp_path / "skills")
    assert (ids(found), codes(found.findings)) == ([], ["link-leaves-root"])


def test_a_skill_file_that_links_to_a_skill_file_elsewhere_is_read(tmp_path: Path) -> None:
    target = write_skill(tmp_path / "dotfiles" / "x")
    (tmp_path / "skills" / "x").mkdir(parents=True)
    (tmp_path / "skills" / "x" / "SKILL.md").symlink_to(target)
    found = search(tmp_path / "skills")
    assert (ids(found), codes(found.findings)) == (["lib/x"], ["link-followed"])


# D2


def test_a_link_to_an_ancestor_gives_one_entry_and_one_finding_that_names_it(tmp_path: Path) -> None:
    write_skill(tmp_path / "pdf")
    (tmp_path / "pdf" / "up").symlink_to(tmp_path)
    found = search(tmp_path)
    assert ids(found) == ["lib/pdf"]
    (finding,) = found.findings
    assert (finding.code, finding.path) == ("link-loop", str(tmp_path / "pdf" / "up"))


def test_two_links_that_point_at_each_other_give_one_finding(tmp_path: Path) -> None:
    write_skill(tmp_path / "pdf")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    found = search(tmp_path)
    assert ids(found) == ["lib/pdf"]
    (finding,) = found.findings
    assert (finding.code, finding.path) == ("link-loop", str(tmp_path / "a"))


def test_skills_that_link_each_other_are_found_once_each(tmp_path: Path) -> None:
    write_skill(tmp_path / "a")
    write_skill(tmp_path / "b")
    (tmp_path / "a" / "to-b").symlink_to(tmp_path / "b")
    (tmp_path / "b" / "to-a").symlink_to(tmp_path / "a")
    found = search(tmp_path)
    assert ids(found) == ["lib/a", "lib/b"]
    assert codes(found.findings) == ["link-repeated", "link-repeated"]


def test_a_dangling_link_is_reported_and_nothing_else_happens(tmp_path: Path) -> None:
    write_skill(tmp_path / "pdf")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    found = search(tmp_path)
    assert (ids(found), codes(found.findings)) == (["lib/pdf"], ["link-dangling"])


# D3


def test_nested_skills_are_found_and_one_finding_says_which_hosts_miss_them(tmp_path: Path) -> None:
    write_skill(tmp_path / ".claude" / "skills" / "common" / "goodbye")
    write_skill(tmp_path / "parent" / "skills" / "child")
    found = search(tmp_path)
    assert ids(found) == ["lib/.claude/skills/common/goodbye", "lib/parent/skills/child"]
    (finding,) = found.findings
    assert finding.code == "nested-skill"
    assert "Claude Code" in finding.message
    assert "goodbye" in finding.message
    assert "child" not in finding.message


def test_skills_deeper_than_hosts_look_are_found_with_one_finding_for_the_root(tmp_path: Path) -> None:
    write_skill(tmp_path.joinpath(*"123456", "a"))
    write_skill(tmp_path.joinpath(*"123456", "b"))
    found = search(tmp_path)
    assert len(found.files) == 2
    assert codes(found.findings) == ["deeper-than-hosts"]


def test_the_hard_bound_on_depth_is_reported(tmp_path: Path) -> None:
    write_skill(tmp_path / "a" / "b" / "c")
    found = discover([Root("lib", tmp_path)], ReadSettings(pack_depth=2))
    assert (ids(found), codes(found.findings)) == ([], ["too-deep"])


# D4


@pytest.mark.parametrize("folder", [".git", "node_modules", ".venv", "venv", "site-packages"])
def test_other_peoples_code_is_not_searched(tmp_path: Path, folder: str) -> None:
    write_skill(tmp_path / folder / "x")
    assert ids(search(tmp_path)) == []


def test_a_virtual_environment_under_any_name_is_not_searched(tmp_path: Path) -> None:
    write_skill(tmp_path / "env39" / "lib" / "x")
    (tmp_path / "env39" / "pyvenv.cfg").write_text("", encoding="utf-8")
    assert ids(search(tmp_path)) == []


def test_other_hidden_folders_are_searched(tmp_path: Path) -> None:
    write_skill(tmp_path / ".github" / "x")
    assert ids(search(tmp_path)) == ["lib/.github/x"]


# D5


def test_the_newest_version_of_a_plugin_counts_and_a_marketplace_checkout_does_not(tmp_path: Path) -> None:
    plugins = tmp_path / ".claude" / "plugins"
    for version in ("1.9.0", "1.10.0"):
        write_skill(plugins / "cache" / "market" / "tool" / version / "skills" / "pdf")
    write_skill(plugins / "marketplaces" / "market" / "tool" / "skills" / "pdf")
    found = search(plugins)
    assert ids(found) == ["lib/cache/market/tool/1.10.0/skills/pdf"]
    assert sorted(codes(found.findings)) == ["marketplace-skipped", "plugin-version-old"]


def test_a_plugin_that_the_settings_switch_off_does_not_count(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    for plugin in ("on", "off"):
        write_skill(home / "plugins" / "cache" / "market" / plugin / "v1" / "skills" / plugin)
    switches = '{"enabledPlugins": {"on@market": true, "off@market": false}}'
    (home / "settings.json").write_text(switches, encoding="utf-8")
    found = search(home / "plugins" / "cache")
    assert ids(found) == ["lib/market/on/v1/skills/on"]
    assert codes(found.findings) == ["plugin-disabled"]


# D8


@pytest.mark.parametrize("name", ["skill.md", "SKILL.MD", "Skill.md"])
def test_another_spelling_of_the_file_is_read_and_reported(tmp_path: Path, name: str) -> None:
    write_skill(tmp_path / "x", file=name)
    found = search(tmp_path)
    assert (ids(found), codes(found.findings)) == (["lib/x"], ["skill-file-case"])


def test_the_second_skill_file_of_a_folder_is_reported(tmp_path: Path) -> None:
    write_skill(tmp_path / "x")
    second = write_skill(tmp_path / "x", file="Skill.md")
    found = search(tmp_path)
    assert found.files[0].path.endswith("/SKILL.md")
    assert [(f.code, f.path) for f in found.findings] == [("skill-file-second", str(second))]


# commands, agents, odd files


def test_commands_and_agents_of_a_host_are_found_by_their_file_name(tmp_path: Path) -> None:
    write_skill(tmp_path / ".claude" / "commands", file="deploy.md")
    write_skill(tmp_path / ".claude" / "commands" / "git", file="push.md")
    write_skill(tmp_path / ".claude" / "agents", file="reviewer.md")
    write_skill(tmp_path / ".claude" / "commands", file="README.md")
    write_skill(tmp_path / "docs" / "commands", file="other.md")
    assert [(f.id, f.kind) for f in search(tmp_path).files] == [
        ("lib/.claude/agents/reviewer", Kind.AGENT),
        ("lib/.claude/commands/deploy", Kind.COMMAND),
        ("lib/.claude/commands/git/push", Kind.COMMAND),
    ]


def test_a_skill_and_a_command_of_one_name_have_different_ids(tmp_path: Path) -> None:
    write_skill(tmp_path / ".claude" / "commands" / "deploy")
    write_skill(tmp_path / ".claude" / "commands", file="deploy.md")
    assert ids(search(tmp_path)) == ["lib/.claude/commands/deploy", "lib/.claude/commands/deploy~2"]


def test_a_pipe_named_like_a_skill_file_is_reported_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    os.mkfifo(tmp_path / "x" / "SKILL.md")
    assert codes(search(tmp_path).findings) == ["not-a-file"]


def test_a_folder_name_with_control_characters_becomes_a_legal_id(tmp_path: Path) -> None:
    write_skill(tmp_path / "a\nb", name="ab")
    found = search(tmp_path)
    assert (ids(found), codes(found.findings)) == (["lib/a_b"], ["path-unsafe"])
    assert "\n" not in found.findings[0].path


def test_a_name_that_is_not_utf8_is_reported_and_not_read(tmp_path: Path) -> None:
    write_skill(tmp_path / "good")
    try:
        os.mkdir(os.fsencode(tmp_path) + b"/caf\xe9")  # noqa: PTH102 - a Path cannot name it on every system
    except OSError:
        pytest.skip("this file system refuses such names")
    found = search(tmp_path)
    assert (ids(found), codes(found.findings)) == (["lib/good"], ["path-not-text"])


def test_missing_roots_and_files_as_roots_are_findings(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "x")
    found = discover([Root("a", tmp_path / "no"), Root("b", path)])
    assert codes(found.findings) == ["root-missing", "root-not-folder"]


# roots


def test_a_folder_reached_through_two_roots_belongs_to_the_first(tmp_path: Path) -> None:
    write_skill(tmp_path / "a" / "x")
    write_skill(tmp_path / "b")
    found = discover([Root("all", tmp_path), Root("part", tmp_path / "a")])
    assert ids(found) == ["all/a/x", "all/b"]
    assert codes(found.findings) == ["roots-overlap"]


def test_repeated_labels_are_numbered_in_order_and_reported(tmp_path: Path) -> None:
    write_skill(tmp_path / "a" / "x")
    write_skill(tmp_path / "b" / "x")
    found = discover([Root("skills", tmp_path / "a"), Root("skills", tmp_path / "b")])
    assert ids(found) == ["skills-2/x", "skills/x"]
    assert codes(found.findings) == ["root-label-repeated"]


def test_a_numbered_label_never_takes_one_that_was_given(tmp_path: Path) -> None:
    roots = [Root(label, tmp_path / str(n)) for n, label in enumerate(["s", "s", "s-2"])]
    for n, root in enumerate(roots):
        write_skill(root.path / f"x{n}")
    assert ids(discover(roots)) == ["s-2/x2", "s-3/x1", "s/x0"]


def test_parse_root_reads_a_label_or_takes_the_name_of_the_folder() -> None:
    assert parse_root("tools=/opt/skills") == Root("tools", Path("/opt/skills"))
    assert parse_root("/opt/my skills/") == Root("my-skills", Path("/opt/my skills"))
    assert parse_root("/data/a=b/skills") == Root("skills", Path("/data/a=b/skills"))
    assert parse_root("/opt/.claude") == Root("claude", Path("/opt/.claude"))
    assert parse_root("~/skills").path == Path.home() / "skills"


@pytest.mark.parametrize("text", ["", "  ", "a=", "a b=/x", "=/x", "a\x00b", "..=/x"])
def test_parse_root_refuses_nonsense(text: str) -> None:
    with pytest.raises(UsageError):
        parse_root(text)


def test_the_scope_of_a_root_is_passed_on(tmp_path: Path) -> None:
    write_skill(tmp_path / "x")
    (file,) = discover([Root("p", tmp_path, Scope.PROJECT)]).files
    assert file.scope is Scope.PROJECT

from __future__ import annotations

from pathlib import Path

from skillquiver.skills.hosts import HOSTS, host_roots, hosts_blind_to
from skillquiver.skills.roots import Scope


def test_existing_host_folders_come_project_before_user_before_plugins(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "work"
    (home / ".claude" / "skills").mkdir(parents=True)
    (home / ".claude" / "plugins" / "cache").mkdir(parents=True)
    (project / ".claude" / "skills").mkdir(parents=True)
    (project / ".agents" / "skills").mkdir(parents=True)
    assert [(r.label, r.scope) for r in host_roots(home, project)] == [
        ("project-claude-skills", Scope.PROJECT),
        ("project-agents-skills", Scope.PROJECT),
        ("user-claude-skills", Scope.USER),
        ("plugins", Scope.PLUGIN),
    ]


def test_hosts_that_walk_up_search_to_the_root_of_the_repository_and_no_further(tmp_path: Path) -> None:
    (tmp_path / ".agents" / "skills").mkdir(parents=True)
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    (repository / ".agents" / "skills").mkdir(parents=True)
    (repository / "src" / ".agents" / "skills").mkdir(parents=True)
    roots = host_roots(tmp_path / "home", repository / "src", host="codex")
    assert [(r.label, r.path) for r in roots] == [
        ("project-agents-skills", repository / "src" / ".agents" / "skills"),
        ("project-agents-skills-2", repository / ".agents" / "skills"),
    ]


def test_the_home_folder_as_working_folder_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "skills").mkdir(parents=True)
    assert [r.scope for r in host_roots(tmp_path, tmp_path)] == [Scope.USER]


def test_every_host_sees_skills_directly_below_its_folder() -> None:
    assert hosts_blind_to(1) == ()
    assert len({host.name for host in HOSTS}) == len(HOSTS)

"""Where agent hosts keep skills, and what their listing shows: one table, from public documentation.

Functions take the home and working folder as arguments; nothing here reads the environment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillquiver.skills.roots import Root, Scope

__all__ = ["HOSTS", "PLUGIN_CACHE", "Host", "host_roots", "hosts_blind_to"]

PLUGIN_CACHE = (".claude", "plugins", "cache")
"""Below the home folder: ``<marketplace>/<plugin>/<version>/skills``."""


@dataclass(frozen=True, slots=True)
class Host:
    """One agent host. Folders are relative to the project's folders or to the home folder."""

    name: str
    title: str
    project: tuple[str, ...]
    user: tuple[str, ...]
    system: tuple[str, ...] = ()
    walks_up: bool = False
    """Whether parents of the working folder are searched, up to the repository's root."""
    depth: int = 1
    """Folders between the skills folder and SKILL.md, that one included: 1 is ``skills/<name>/SKILL.md``."""


HOSTS: tuple[Host, ...] = (
    Host(
        "claude-code",
        "Claude Code",
        (".claude/skills", ".claude/commands", ".claude/agents"),
        (".claude/skills", ".claude/commands", ".claude/agents"),
    ),
    Host(
        "codex",
        "Codex",
        (".agents/skills",),
        (".agents/skills", ".codex/skills"),
        ("/etc/codex/skills",),
        walks_up=True,
        depth=6,
    ),
    Host("gemini", "Gemini CLI", (".gemini/skills", ".agents/skills"), (".gemini/skills", ".agents/skills")),
    Host(
        "opencode",
        "OpenCode",
        (".opencode/skills", ".claude/skills", ".agents/skills"),
        (".config/opencode/skills", ".claude/skills", ".agents/skills"),
        walks_up=True,
        depth=6,
    ),
    Host(
        "cursor",
        "Cursor",
        (".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"),
        (".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"),
    ),
)


def host_roots(home: Path, cwd: Path, *, host: str = "") -> tuple[Root, ...]:
    """Every existing well-known root, project before user before plugins, each folder once.

    Labels are ``<place>-<host folder>`` such as ``project-claude-skills``; the caller may rename them.
    """
    wanted = [h for h in HOSTS if host in ("", h.name)]
    found: dict[Path, Root] = {}
    for root in _candidates(wanted, home, cwd):
        if root.path.is_dir():
            found.setdefault(root.path, root)
    return _unique(tuple(found.values()))


def hosts_blind_to(depth: int) -> tuple[str, ...]:
    """Titles of the hosts that do not look ``depth`` folders below a skills folder."""
    return tuple(h.title for h in HOSTS if h.depth < depth)


def _candidates(hosts: list[Host], home: Path, cwd: Path) -> Iterator[Root]:
    for host in hosts:
        for folder in _upwards(cwd, home) if host.walks_up else (cwd,):
            if folder != home:
                yield from (Root(_label("project", p), folder / p, Scope.PROJECT) for p in host.project)
    for host in hosts:
        yield from (Root(_label("user", p), home / p, Scope.USER) for p in host.user)
        yield from (Root(_label("system", p), Path(p), Scope.USER) for p in host.system)
    if any(host.name == "claude-code" for host in hosts):
        yield Root("plugins", home.joinpath(*PLUGIN_CACHE), Scope.PLUGIN)


def _upwards(cwd: Path, home: Path) -> tuple[Path, ...]:
    """``cwd`` and its parents up to the repository's root; only ``cwd`` outside a repository."""
    chain = (cwd, *cwd.parents)
    for count, folder in enumerate(chain, 1):
        if (folder / ".git").exists():
            return chain[:count]
        if folder == home:
            break
    return (cwd,)


def _label(place: str, relative: str) -> str:
    words = [part.lstrip(".") for part in relative.split("/") if part not in ("", ".config", "etc")]
    return "-".join((place, *words))


def _unique(roots: tuple[Root, ...]) -> tuple[Root, ...]:
    """Number repeated labels (parents of the working folder), nearest first."""
    seen: dict[str, int] = {}
    named = []
    for root in roots:
        seen[root.label] = seen.get(root.label, 0) + 1
        label = root.label if seen[root.label] == 1 else f"{root.label}-{seen[root.label]}"
        named.append(Root(label, root.path, root.scope))
    return tuple(named)

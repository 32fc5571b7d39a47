"""Library roots to skill files: which folders are searched, which links are followed, what an id is.

One ``os.scandir`` per folder, one ``stat`` per skill file, nothing is read. Real folders come before links,
so that a skill keeps the id of the place where it really is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillquiver.settings import DEFAULT_READ, ReadSettings
from skillquiver.skills.findings import finding
from skillquiver.skills.hosts import hosts_blind_to
from skillquiver.skills.ids import clean_part
from skillquiver.skills.links import LinkKind, judge_link
from skillquiver.skills.plugins import newest_versions
from skillquiver.skills.records import Kind
from skillquiver.skills.roots import Root, Scope, label_roots, parse_root
from skillquiver.types import Finding, SkillId

__all__ = ["Discovery", "FoundFile", "Root", "Scope", "discover", "parse_root"]

SKILL_FILE = "SKILL.md"
_SKILL_FILE_FOLDED = SKILL_FILE.casefold()

_NEVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"}
)
"""Folders that hold other people's code or history: their SKILL.md files are no skills of this library."""

_VENV_MARK = "pyvenv.cfg"
"""A virtual environment under any name has this file."""

_MARKDOWN_FOLDERS = {"commands": Kind.COMMAND, "agents": Kind.AGENT}
_HOST_FOLDERS = frozenset({".claude", ".opencode", ".gemini", ".codex", ".cursor"})
_NOT_COMMANDS = frozenset({"readme.md", "changelog.md", "license.md", "claude.md", "agents.md"})
_LINK_DEPTH = 2
"""Folders searched below the target of a link that leaves the root: the skill, or a folder of skills."""

_NAMED = 5
"""Skills that an aggregated finding names."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A skill file before it is read. ``path`` is absolute, as reached from the root."""

    id: SkillId
    path: str
    root: str
    kind: Kind
    size: int
    mtime_ns: int
    scope: Scope = Scope.GIVEN


@dataclass(frozen=True, slots=True)
class Discovery:
    """Files sorted by id, ids unique; findings in order of path and code."""

    files: tuple[FoundFile, ...]
    findings: tuple[Finding, ...]


def discover(roots: Sequence[Root], settings: ReadSettings = DEFAULT_READ) -> Discovery:
    """Search ``roots`` in order. A folder reached twice, by a link or by an overlapping root, counts once.

    Raises ``UsageError`` for an illegal root label; everything on the disk that is wrong becomes a finding.
    """
    named, found = label_roots(roots)
    findings, files, seen = list(found), dict[str, FoundFile](), set[str]()
    for root in named:
        walk = _Walk(root, settings, seen, files, findings)
        walk.run()
    ordered = sorted(files.values(), key=lambda f: f.id)
    return Discovery(tuple(ordered), tuple(sorted(findings, key=lambda f: (f.path, f.code, f.message))))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to search: where it was reached, where it really is, its id parts, and what limits it."""

    path: str
    real: str
    parts: tuple[str, ...]
    depth_left: int
    markdown: Kind | None = None
    host_depth: int = -1
    """Folders below the nearest skills folder of a host; -1 outside any."""


@dataclass(slots=True)
class _Walk:
    """The search of one root."""

    root: Root
    settings: ReadSettings
    seen: set[str]
    files: dict[str, FoundFile]
    findings: list[Finding]
    links: list[tuple[_Folder, str]] = field(default_factory=list)
    real_root: str = ""
    overlaps: int = 0
    too_deep: list[str] = field(default_factory=list)
    deep: list[str] = field(default_factory=list)
    nested: list[tuple[str, int]] = field(default_factory=list)
    broken_links: set[str] = field(default_factory=set)

    def run(self) -> None:
        path = os.path.abspath(self.root.path)  # noqa: PTH100 - keeps links, where resolve() would not
        self.real_root = os.path.realpath(path)
        if not os.path.isdir(self.real_root):  # noqa: PTH112
            code = "root-not-folder" if os.path.exists(path) else "root-missing"  # noqa: PTH110
            self._say(code, path)
            return
        if Path(path).is_symlink():
            self._say("root-link", path, f"{path} → {self.real_root}")
        kind = _markdown_kind(Path(path).name, Path(path).parent.name)
        host_depth = 0 if Path(path).name == "skills" else -1
        first = _Folder(path, self.real_root, (), self.settings.pack_depth, kind, host_depth)
        self._search(first)
        while self.links:
            self.links.sort(key=lambda link: (link[0].path, link[1]), reverse=True)
            self._follow(*self.links.pop())
        self._sum_up(path)

    def _search(self, first: _Folder) -> None:
        """Depth-first over real folders; links are kept for later."""
        stack = [first]
        while stack:
            folder = stack.pop()
            if folder.real in self.seen:
                self.overlaps += 1
                continue
            self.seen.add(folder.real)
            stack.extend(self._enter(folder))

    def _enter(self, folder: _Folder) -> list[_Folder]:
        try:
            with os.scandir(folder.path) as entries:
                listing = sorted((e for e in entries if self._is_text(e)), key=lambda entry: entry.name)
        except OSError as error:
            self._say("unreadable", folder.path, error.strerror or "cannot be listed")
            return []
        if any(entry.name == _VENV_MARK for entry in listing):
            return []
        self._take_files(folder, listing)
        children = [entry for entry in listing if self._is_folder(folder, entry)]
        if children and folder.depth_left == 0:
            self.too_deep.append(folder.path)
            return []
        names = self._allowed(folder, [entry.name for entry in children])
        return [self._child(folder, name) for name in reversed(names)]

    def _is_text(self, entry: os.DirEntry[str]) -> bool:
        """Whether a name can be written as UTF-8; others can be neither stored nor shown."""
        if entry.name.isascii() or not any("\ud800" <= character <= "\udfff" for character in entry.name):
            return True
        if entry.is_dir() or entry.name.casefold().endswith(".md"):
            self._say("path-not-text", entry.path)
        return False

    def _is_folder(self, folder: _Folder, entry: os.DirEntry[str]) -> bool:
        """A real folder; links are put aside, unless they are skill files (taken with the files)."""
        if entry.is_symlink():
            if entry.name not in _NEVER and not _is_wanted(folder, entry.name):
                self.links.append((folder, entry.name))
            return False
        return entry.name not in _NEVER and entry.is_dir(follow_symlinks=False)

    def _child(self, folder: _Folder, name: str) -> _Folder:
        part = clean_part(name)
        path = f"{folder.path.rstrip(os.sep)}{os.sep}{name}"
        if part != name and part.casefold() != name.casefold():
            self._say("path-unsafe", path, f"the id says {part}")
        kind = folder.markdown
        if kind is None and name in _MARKDOWN_FOLDERS:
            kind = _markdown_kind(name, Path(folder.path).name, folder.path)
        inside = name == "skills"
        host_depth = 0 if inside else folder.host_depth + 1 if folder.host_depth >= 0 else -1
        real = f"{folder.real.rstrip(os.sep)}{os.sep}{name}"
        return _Folder(path, real, (*folder.parts, part), folder.depth_left - 1, kind, host_depth)

    def _allowed(self, folder: _Folder, names: list[str]) -> list[str]:
        """Leave out what a host's plugin folders hold but do not use."""
        if "plugins" not in folder.path:
            return names
        kept, skipped = newest_versions(Path(folder.path), names)
        self.findings.extend(skipped)
        return kept

    # ---- files

    def _take_files(self, folder: _Folder, listing: list[os.DirEntry[str]]) -> None:
        wanted = [e for e in listing if e.name.casefold() == _SKILL_FILE_FOLDED]
        wanted.sort(key=lambda e: (e.name != SKILL_FILE, e.name))
        regular = [e for e in wanted if self._is_regular(e)]
        if regular:
            self._take(folder, regular[0], Kind.SKILL, folder.parts)
            if regular[0].name != SKILL_FILE:
                self._say("skill-file-case", regular[0].path, f"it is called {regular[0].name}")
            for other in regular[1:]:
                self._say("skill-file-second", other.path, f"{regular[0].name} was read, not {other.name}")
        if folder.markdown is None:
            return
        for entry in listing:
            if entry not in wanted and _is_wanted(folder, entry.name) and self._is_regular(entry):
                stem = clean_part(entry.name[: -len(".md")])
                self._take(folder, entry, folder.markdown, (*folder.parts, stem))

    def _is_regular(self, entry: os.DirEntry[str]) -> bool:
        """A regular file, or a link to one that is itself named like a skill file."""
        if not entry.is_symlink():
            if entry.is_file(follow_symlinks=False):
                return True
            if entry.is_dir(follow_symlinks=False):
                return False
            self._say("not-a-file", entry.path)
            return False
        kind, target = judge_link(entry.path, self.real_root)
        if kind in (LinkKind.DANGLING, LinkKind.LOOP):
            self._say(kind.code, entry.path, f"{entry.path} → {target}")
            return False
        name = os.path.basename(target)  # noqa: PTH119
        inside = kind is LinkKind.INSIDE
        if not entry.is_file() or not (inside or name.casefold().endswith(".md")):
            self._say("link-leaves-root", entry.path, f"{entry.path} → {target}")
            return False
        if not inside:
            self._say("link-followed", entry.path, f"{entry.path} → {target}")
        return True

    def _take(self, folder: _Folder, entry: os.DirEntry[str], kind: Kind, parts: tuple[str, ...]) -> None:
        try:
            status = entry.stat()
        except OSError as error:
            self._say("unreadable", entry.path, error.strerror or "no status")
            return
        base = "/".join((self.root.label, *parts))
        key, number = base, 1
        while key in self.files:
            number += 1
            key = f"{base}~{kind}" if number == 2 and kind is not Kind.SKILL else f"{base}~{number}"
        found = FoundFile(
            SkillId(key),
            entry.path,
            self.root.label,
            kind,
            status.st_size,
            status.st_mtime_ns,
            self.root.scope,
        )
        self.files[key] = found
        if kind is Kind.SKILL:
            if len(parts) > self.settings.max_depth:
                self.deep.append(key)
            if folder.host_depth > 1:
                self.nested.append((key, folder.host_depth))

    # ---- links

    def _follow(self, folder: _Folder, name: str) -> None:
        path = f"{folder.path.rstrip(os.sep)}{os.sep}{name}"
        kind, target = judge_link(path, self.real_root)
        arrow = f"{path} → {target}"
        if kind is LinkKind.DANGLING:
            if not Path(name).suffix or name.endswith(".md"):
                self._say(kind.code, path, arrow)
            return
        if kind is LinkKind.LOOP:
            if target not in self.broken_links:
                self._say(kind.code, path, arrow)
            self.broken_links.update((path, os.path.abspath(os.path.join(folder.path, name))))  # noqa: PTH100, PTH118
            return
        if not os.path.isdir(target):  # noqa: PTH112 - a link to some other file is no business of ours
            return
        if f"{folder.real}{os.sep}".startswith(f"{target.rstrip(os.sep)}{os.sep}"):
            self._say("link-loop", path, arrow)
        elif target in self.seen:
            self._say("link-repeated", path, arrow)
        elif kind is LinkKind.OUTSIDE and not _holds_skills(target):
            self._say("link-leaves-root", path, arrow)
        elif folder.depth_left == 0:
            self.too_deep.append(path)
        else:
            self._enter_link(folder, name, target, kind)

    def _enter_link(self, folder: _Folder, name: str, target: str, kind: LinkKind) -> None:
        child = self._child(folder, name)
        left = child.depth_left if kind is LinkKind.INSIDE else min(child.depth_left, _LINK_DEPTH)
        self._say("link-followed", child.path, f"{child.path} → {target}")
        self._search(_Folder(child.path, target, child.parts, left, child.markdown, child.host_depth))

    # ---- findings

    def _say(self, code: str, path: str, message: str = "") -> None:
        self.findings.append(finding(code, path, message))

    def _sum_up(self, path: str) -> None:
        """One finding for the root where there could be thousands."""
        if self.overlaps:
            self._say("roots-overlap", path, f"{self.overlaps} folders belong to an earlier root")
        if self.too_deep:
            limit = self.settings.pack_depth
            self._say("too-deep", path, f"{_some(self.too_deep)} deeper than {limit} folders")
        if self.deep:
            limit = self.settings.max_depth
            self._say("deeper-than-hosts", path, f"deeper than {limit} folders: {_some(self.deep)}")
        if self.nested:
            depth = max(depth for _, depth in self.nested)
            blind = ", ".join(hosts_blind_to(depth))
            self._say("nested-skill", path, f"{blind} may not see {_some([key for key, _ in self.nested])}")


def _some(names: list[str]) -> str:
    names = sorted(names)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _is_wanted(folder: _Folder, name: str) -> bool:
    """A skill file, or a Markdown file where every one is a command or an agent."""
    folded = name.casefold()
    if folded == _SKILL_FILE_FOLDED:
        return True
    return folder.markdown is not None and folded.endswith(".md") and folded not in _NOT_COMMANDS


def _markdown_kind(name: str, parent: str, parent_path: str = "") -> Kind | None:
    """What the Markdown files of a folder are: ``commands`` and ``agents`` of a host or of a plugin."""
    kind = _MARKDOWN_FOLDERS.get(name)
    if kind is None:
        return None
    plugin = bool(parent_path) and os.path.isdir(os.path.join(parent_path, ".claude-plugin"))  # noqa: PTH112, PTH118
    return kind if parent in _HOST_FOLDERS or plugin else None


def _holds_skills(target: str) -> bool:
    """Whether a folder is a skill, or holds skill folders directly."""
    return any(name.casefold() == _SKILL_FILE_FOLDED for name in _names(target)) or any(
        name.casefold() == _SKILL_FILE_FOLDED
        for child in _names(target)[:1000]
        for name in _names(os.path.join(target, child))  # noqa: PTH118
    )


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:  # not a folder, or not ours to read: it holds no skill for us
        return []

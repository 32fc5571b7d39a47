"""Which files a host needs, and what has to stand in each. Nothing is read or written here."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from skillquiver import __version__
from skillquiver.serve.hosts.edits import Edit, EditKind
from skillquiver.serve.hosts.facts import HostFacts, Instructions, Shape

__all__ = ["Command", "Wanted", "Where", "overrides_file", "wanted_files"]

_RULE_HEAD = """\
---
description: Where to find skills that are not listed
alwaysApply: true
---

"""

_DESCRIPTION = (
    "Finds the smallest set of skills that is enough for a task, in a library of any size, offline."
)


@dataclass(frozen=True, slots=True)
class Where:
    """Whose configuration: the user's, or that of ``project``; ``environment`` may move the user's."""

    home: Path
    project: Path | None
    environment: Mapping[str, str]

    @property
    def scope(self) -> str:
        """``user`` or ``project``."""
        return "project" if self.project else "user"


@dataclass(frozen=True, slots=True)
class Command:
    """How a host starts us: the program's words, and the library if it is not the default one."""

    program: tuple[str, ...]
    library: Path | None = None
    windows: bool = False

    def words(self, *more: str) -> tuple[str, ...]:
        """The words of ``quiver MORE``, as an argument list."""
        chosen = ("--library", str(self.library)) if self.library else ()
        return (*self.program, *more, *chosen)

    def line(self, *more: str) -> str:
        """The same as one line for a shell; on Windows quoted so that cmd and bash both understand."""
        if self.windows:
            return " ".join(_windows_quoted(word) for word in self.words(*more))
        return shlex.join(self.words(*more))


def _windows_quoted(word: str) -> str:
    word = word.replace("\\", "/")
    return f'"{word}"' if not word.replace("/", "").replace(":", "").replace(".", "").isalnum() else word


@dataclass(frozen=True, slots=True)
class Wanted:
    """What has to stand in one file."""

    path: Path
    edits: tuple[Edit, ...]


def wanted_files(host: HostFacts, where: Where, command: Command) -> tuple[Wanted, ...]:
    """Every file ``host`` needs, each once, in the order in which they are written."""
    gathered: dict[Path, list[Edit]] = {}
    for path, edit in _edits(host, where, command):
        gathered.setdefault(path, []).append(edit)
    return tuple(Wanted(path, tuple(edits)) for path, edits in gathered.items())


def overrides_file(host: HostFacts, where: Where) -> Path:
    """The settings file that hides entries of the host's list."""
    assert host.listing is not None
    assert host.listing.settings is not None
    place = host.listing.settings
    return where.project / place.project if where.project else _host_folder(host, where) / place.user


def _edits(host: HostFacts, where: Where, command: Command) -> Iterator[tuple[Path, Edit]]:
    base = _base(host, where)
    if host.plugin:
        manifest = {
            "name": "skillquiver",
            "version": __version__,
            "description": _DESCRIPTION,
            "author": {"name": "Skillquiver"},
            "license": "Apache-2.0",
        }
        yield base / ".claude-plugin" / "plugin.json", _file(_json(manifest))
    yield _mcp_file(host, where, base), _server(host, command)
    if host.hooks:
        place = host.hooks.place
        path = base / (place.project if where.project else place.user)
        yield from ((path, edit) for edit in _hooks(host, command))
    for kind, user, project in host.instructions:
        name = project if where.project else user
        if name:
            yield base / name, _instructions(kind)


def _base(host: HostFacts, where: Where) -> Path:
    """The folder that the places of the table are below."""
    if host.plugin and where.project:
        return where.project / host.plugin.project
    if where.project:
        return where.project
    folder = _host_folder(host, where)
    return folder / host.plugin.user if host.plugin else folder


def _host_folder(host: HostFacts, where: Where) -> Path:
    moved = where.environment.get(host.variable, "") if host.variable else ""
    if moved:
        return Path(moved).expanduser().absolute()
    configs = where.environment.get("XDG_CONFIG_HOME", "")
    if host.folder.startswith(".config/") and configs:
        folder = Path(configs) / host.folder.removeprefix(".config/")
        if folder.is_dir():
            return folder
    return where.home / host.folder


def _mcp_file(host: HostFacts, where: Where, base: Path) -> Path:
    usual = base / (host.mcp.project if where.project else host.mcp.user)
    others = [usual.with_name(name) for name in host.alternatives]
    return next((path for path in (usual, *others) if path.exists()), usual)


def _server(host: HostFacts, command: Command) -> Edit:
    first, *rest = words = list(command.words("mcp"))
    if host.shape is Shape.TOML_TABLE:
        table = ".".join(host.mcp_path)
        lines = f"[{table}]\ncommand = {_toml(first)}\nargs = [{', '.join(map(_toml, rest))}]\n"
        return Edit(EditKind.TABLE, lines, host.mcp_path)
    entry: dict[str, Any] = {"command": first, "args": rest}
    if host.shape is Shape.COMMAND_LIST:
        entry = {"type": "local", "command": words, "enabled": True}
    *path, name = host.mcp_path
    if host.plugin:
        return _file(_json({path[0]: {name: entry}}))
    return Edit(EditKind.MEMBERS, json.dumps({name: entry}), tuple(path))


def _hooks(host: HostFacts, command: Command) -> Iterator[Edit]:
    """One whole file for a plugin, else one array item for each event."""
    assert host.hooks is not None
    groups: dict[str, list[dict[str, Any]]] = {}
    for event, matcher, word in host.hooks.events:
        handler = {
            "type": "command",
            "command": command.line("hook", word.value),
            "timeout": host.hooks.timeout,
        }
        groups[event] = [{**({"matcher": matcher} if matcher else {}), "hooks": [handler]}]
    if host.plugin:
        yield _file(_json({"hooks": groups}))
        return
    for event, (group,) in groups.items():
        yield Edit(EditKind.ITEM, json.dumps(group), ("hooks", event))


def _instructions(kind: Instructions) -> Edit:
    data = files("skillquiver.serve.hosts") / "data"
    if kind is Instructions.SKILL:
        return _file((data / "find-skills" / "SKILL.md").read_text(encoding="utf-8"))
    note = (data / "note.md").read_text(encoding="utf-8")
    return Edit(EditKind.NOTE, note) if kind is Instructions.NOTE else _file(_RULE_HEAD + note)


def _file(text: str) -> Edit:
    return Edit(EditKind.FILE, text)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _toml(text: str) -> str:
    """A basic string: JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

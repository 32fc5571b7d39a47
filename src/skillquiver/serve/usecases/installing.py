"""Write a host's configuration, or take ours out of it again."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.serve.hosts.changes import Change, plan_install, plan_uninstall
from skillquiver.serve.hosts.config_files import (
    Replacement,
    Snapshot,
    missing_folders,
    remove_empty,
    replace_files,
)
from skillquiver.serve.hosts.facts import FACTS, HostFacts
from skillquiver.serve.hosts.ledger import Ledger, ledger_path, ledger_replacement, read_ledger
from skillquiver.serve.hosts.plans import Command, Wanted, Where, wanted_files

__all__ = ["InstallReport", "carry_out", "find_command", "holder_of", "host_facts", "install", "uninstall"]


@dataclass(frozen=True, slots=True)
class InstallReport:
    """What an installation changed, or with ``dry_run`` would change.

    ``action`` is ``install`` or ``uninstall``; ``command`` is what the host is told to start.
    """

    host: HostFacts
    action: str
    scope: str
    dry_run: bool
    command: tuple[str, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything had to be written."""
        return any(change.writes for change in self.changes)


def host_facts(name: str) -> HostFacts:
    """What is known of the host. Raises ``UsageError`` that lists the hosts."""
    if name not in FACTS:
        raise UsageError(f"no host {name!r}; one of: {', '.join(FACTS)}")
    return FACTS[name]


def install(host: HostFacts, where: Where, command: Command, *, dry_run: bool = False) -> InstallReport:
    """Make ``host`` start Skillquiver. A second run changes nothing.

    Raises ``HostFileError``, and nothing is written, if a file is broken, read-only, or holds something else
    where ours belongs.
    """
    wanted = wanted_files(host, where, command)
    changes = carry_out(holder_of(host, where), wanted, dry_run=dry_run)
    report = InstallReport(host, "install", where.scope, dry_run, command.words(), tuple(changes))
    return replace(report, notes=tuple(_notes(where, command)))


def uninstall(host: HostFacts, where: Where, *, dry_run: bool = False) -> InstallReport:
    """Take out everything that ``install`` put in for this host and this place, folders it made included."""
    changes = carry_out(holder_of(host, where), None, dry_run=dry_run)
    return InstallReport(host, "uninstall", where.scope, dry_run, (), tuple(changes))


def holder_of(host: HostFacts, where: Where, purpose: str = "") -> str:
    """The name under which the ledger keeps what one command wrote."""
    return "|".join((host.name, purpose, str(where.project or "")))


def carry_out(holder: str, wanted: Sequence[Wanted] | None, *, dry_run: bool) -> list[Change]:
    """Make ``wanted`` true for ``holder``, or with None take out all that is its own."""
    ledger, kept = read_ledger(ledger_path())
    if wanted is None:
        changes, after = plan_uninstall(holder, ledger)
    else:
        changes, after = plan_install(wanted, holder, ledger)
    if dry_run:
        return changes
    files = [Replacement(change.snapshot, change.data) for change in changes if change.writes]
    if files or after != ledger:
        _write(files, after, kept)
    return changes


def _write(files: Sequence[Replacement], after: Ledger, kept: Snapshot) -> None:
    """Write the ledger first: after a kill it may name edits that are not there, never the reverse."""
    if not after.files:
        replace_files([*files, ledger_replacement(after, kept)])
        remove_empty([Path(folder) for folder in after.folders])
        return
    own = {*after.folders, *map(str, missing_folders(kept.real))}
    replace_files([ledger_replacement(replace(after, folders=tuple(sorted(own))), kept), *files])
    gone = [Path(name) for name in own if Path(name) not in kept.real.parents]
    left = {str(folder) for folder in remove_empty([*gone])} | (own - set(map(str, gone)))
    if left != own:
        data = kept.real.read_bytes()
        snapshot = Snapshot(kept.path, kept.real, data)
        replace_files([ledger_replacement(replace(after, folders=tuple(sorted(left))), snapshot)])


def find_command(environment: Mapping[str, str], *, shared: bool, library: Path | None) -> Command:
    """How a host is to start this program (decisions/0052).

    For the user: the absolute path of the script beside the running interpreter, because hosts started from
    a desktop do not have the shell's PATH. For a project, whose files are ``shared`` with other machines:
    plain ``quiver``, if that is on the PATH here.
    """
    windows = os.name == "nt"
    on_path = shutil.which("quiver", path=environment.get("PATH"))
    beside = Path(sys.executable).with_name("quiver.exe" if windows else "quiver")
    if shared and on_path:
        program: tuple[str, ...] = ("quiver",)
    elif beside.is_file():
        program = (str(beside),)
    elif on_path:
        program = (str(Path(on_path).absolute()),)
    else:
        program = (sys.executable, "-m", "skillquiver")
    return Command(program, library, windows)


_TEMPORARY = ("/uv/archive-v", "/uv/builds-v", "/.cache/uv/", "/pipx/.cache/")
"""Where `uvx` and `pipx run` keep environments that they later delete."""


def _notes(where: Where, command: Command) -> list[str]:
    notes = []
    if any(part in command.program[0].replace("\\", "/") for part in _TEMPORARY):
        notes.append(
            f"{command.program[0]} is in a temporary environment and will vanish; install the package for "
            "good (`uv tool install skillquiver`) and run this again"
        )
    if importlib.util.find_spec("mcp") is None:
        notes.append(
            "the MCP server cannot start yet, as it needs an extra: pip install 'skillquiver[mcp]'; hooks "
            "and instructions do without"
        )
    if where.environment.get("QUIVER_LIBRARY") and command.library is None:
        notes.append(
            "QUIVER_LIBRARY is set here; the host sees it only if it is started with it. "
            "Pass --library to write it down"
        )
    if where.project and command.program != ("quiver",):
        notes.append("the project's files name a path of this machine: `quiver` is not on the PATH")
    return notes

"""Installations to JSON and to text for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillquiver.serve.hosts.changes import Action, Change
from skillquiver.skills.sanitize import clean, plain

if TYPE_CHECKING:
    from skillquiver.serve.usecases.installing import InstallReport

__all__ = ["changes_diff", "changes_lines", "install_data", "install_text"]


def install_data(report: InstallReport) -> dict[str, Any]:
    """An installation; ``diff`` is there in a dry run."""
    return {
        "host": report.host.name,
        "action": report.action,
        "scope": report.scope,
        "dry_run": report.dry_run,
        "changed": report.changed,
        "command": list(report.command),
        "files": [_change_data(change, diff=report.dry_run) for change in report.changes],
        "notes": list(report.notes),
        "cannot": list(report.host.cannot),
        "after": list(report.host.after) if report.action == "install" else [],
    }


def _change_data(change: Change, *, diff: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": str(change.snapshot.path),
        "action": change.action.value,
        "note": change.note,
    }
    return {**data, "diff": _diff(change)} if diff else data


def install_text(report: InstallReport) -> str:
    """An installation for people; a dry run as one unified diff for each file."""
    title = f"{report.host.title}, {report.scope} configuration"
    if not report.changes:
        return f"{title}: nothing of ours is recorded there"
    lines = [changes_diff(report.changes)] if report.dry_run and report.changed else []
    lines += [f"{title}: {_summary(report)}", *changes_lines(report.changes)]
    lines += [f"note: {plain(note)}" for note in report.notes]
    if report.action == "install":
        lines += [f"to do: {step}" for step in report.host.after]
        lines += [f"{report.host.title} cannot: {fact}" for fact in report.host.cannot]
    return "\n".join(lines)


def changes_lines(changes: tuple[Change, ...]) -> list[str]:
    """One line for each file: what happens to it."""
    return [
        f"  {change.action.value:<9} {plain(str(change.snapshot.path))}"
        + (f" ({change.note})" if change.note else "")
        for change in changes
    ]


def changes_diff(changes: tuple[Change, ...]) -> str:
    """One unified diff for each file that would be written."""
    return "\n".join(_diff(change).rstrip("\n") for change in changes if change.writes)


def _summary(report: InstallReport) -> str:
    if not report.changed:
        return "nothing to change" if report.action == "uninstall" else "installed already, nothing to change"
    return "would become, nothing was written" if report.dry_run else f"{report.action}ed"


def _diff(change: Change) -> str:
    if not change.writes:
        return ""
    path = str(change.snapshot.path)
    old, new = change.snapshot.text, (change.data or b"").decode("utf-8")
    before = "/dev/null" if change.action is Action.CREATE else path
    after = "/dev/null" if change.action is Action.REMOVE else path
    return clean("".join(_lines(difflib.unified_diff(_split(old), _split(new), before, after))))


def _split(text: str) -> list[str]:
    """Lines as ``diff`` sees them: only a line feed ends one."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _lines(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

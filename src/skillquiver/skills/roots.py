"""Library roots: a label, a folder, and how near to the user's work it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.skills.findings import clip, finding
from skillquiver.skills.ids import check_label, clean_part
from skillquiver.types import Finding

__all__ = ["Root", "Scope", "label_roots", "parse_root"]


class Scope(StrEnum):
    """Where a root comes from. On a clash of names the earlier of project, user, plugin wins."""

    GIVEN = "given"
    PROJECT = "project"
    USER = "user"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search, and the first part of the ids found there."""

    label: str
    path: Path
    scope: Scope = Scope.GIVEN


def parse_root(text: str) -> Root:
    """``label=path`` or ``path``; the label defaults to the folder's name. Raises ``UsageError`` for neither.

    ``~`` is the home folder. A text whose part before ``=`` holds a slash is a path.
    """
    if not text.strip() or "\x00" in text:
        raise UsageError("a root is a folder, or LABEL=FOLDER; this one is empty or has a NUL character")
    label, equals, rest = text.partition("=")
    named = bool(equals) and not any(c in label for c in "/\\~") and not Path(text).is_dir()
    if named and not rest.strip():
        raise UsageError(f"{clip(text)!r} names no folder; write LABEL=FOLDER")
    try:
        path = Path(rest if named else text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{clip(text)!r}: no such user; give the folder without '~'") from error
    if named:
        return Root(check_label(label.strip()), path)
    return Root(_default_label(path), path)


def label_roots(roots: Sequence[Root]) -> tuple[tuple[Root, ...], tuple[Finding, ...]]:
    """Check labels and make them unique: the second ``skills`` becomes ``skills-2``, with a finding."""
    taken: set[str] = {root.label for root in roots}
    used: set[str] = set()
    named: list[Root] = []
    found: list[Finding] = []
    for root in roots:
        label, number = check_label(root.label), 1
        while label in used or (number > 1 and label in taken):
            number += 1
            label = f"{root.label}-{number}"
        if label != root.label:
            found.append(finding("root-label-repeated", str(root.path), f"it is read as {label}"))
        used.add(label)
        named.append(Root(label, root.path, root.scope))
    return tuple(named), tuple(found)


def _default_label(path: Path) -> str:
    name = path.name if path.name not in ("", ".", "..") else path.resolve().name
    label = "".join(c if c.isalnum() or c in "._+~-" else "-" for c in clean_part(name))
    label = label.strip("._+~-").replace("..", ".")[:64]
    return label or "root"

"""Folders copied as data: nothing is run, no link is followed out, sizes are bounded."""

from __future__ import annotations

import re
import shutil
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skillquiver.skills.records import Skill

__all__ = [
    "PACK_LIMITS",
    "SKILL_LIMITS",
    "Copied",
    "Limits",
    "copy_skill",
    "copy_tree",
    "safe_name",
    "safe_names",
]

SKILL_FILE = "SKILL.md"

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"})
"""Folders that belong to tools; discovery never looks into them either."""

_NAME_LENGTH = 64
"""Longest name of a skill in the Agent Skills format."""


Without = Callable[[Path, PurePosixPath], bool]
"""(entry, its path below the source) → whether it stays out without a word."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is copied: files, bytes in all, and folders within folders."""

    files: int
    size: int
    depth: int


SKILL_LIMITS = Limits(files=512, size=16 * 2**20, depth=12)
"""Of one skill: the bounds of the protocol's skills extension."""

PACK_LIMITS = Limits(files=20_000, size=2 * 2**30, depth=32)
"""Of one task pack, which may bring its data."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy came to. ``left_out`` has a path relative to the folder, and why, for each."""

    files: int
    size: int
    left_out: tuple[tuple[str, str], ...] = ()


def safe_name(text: str) -> str:
    """``text`` as the name of a skill's folder: lower case letters, digits and single hyphens, 1 to 64."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")[:_NAME_LENGTH].strip("-")
    return name or "skill"


def safe_names(names: Mapping[str, str]) -> dict[str, str]:
    """A name of its own for every id; of several with one name the first by id keeps it, others count on."""
    taken: set[str] = set()
    found = {}
    for key in sorted(names):
        base = name = safe_name(names[key])
        number = 1
        while name in taken:
            number += 1
            ending = f"-{number}"
            name = base[: _NAME_LENGTH - len(ending)].rstrip("-") + ending
        taken.add(name)
        found[key] = name
    return found


def copy_skill(skill: Skill, target: Path) -> Copied:
    """Copy a skill's folder to ``target``, its Markdown file as ``SKILL.md``.

    A skill that is a single file, a command or an agent, is that file alone. Skills nested below are skills
    of their own and stay out. Raises ``OSError`` if the Markdown file cannot be read.
    """
    source = Path(skill.path)
    if why := _objection(source, source.parent.resolve()):
        raise OSError(f"{source}: {why}")
    target.mkdir(parents=True)
    if source.name.casefold() != SKILL_FILE.casefold():
        return Copied(1, _copy_file(source, target / SKILL_FILE))
    size = _copy_file(source, target / SKILL_FILE)
    rest = copy_tree(source.parent, target, SKILL_LIMITS, without=_own_file_and_nested)
    return Copied(1 + rest.files, size + rest.size, rest.left_out)


def _own_file_and_nested(entry: Path, relative: PurePosixPath) -> bool:
    if len(relative.parts) == 1 and entry.name.casefold() == SKILL_FILE.casefold():
        return True
    if entry.is_symlink() or not entry.is_dir():
        return False
    try:
        return any(child.name.casefold() == SKILL_FILE.casefold() for child in _listed(entry))
    except OSError:
        return False  # the walk says that it cannot be read


def copy_tree(source: Path, target: Path, limits: Limits, *, without: Without = lambda *_: False) -> Copied:
    """Copy the files of ``source`` into ``target``, in order of their paths, up to ``limits``.

    A link to a file inside ``source`` becomes a copy of it; every other link, and what is neither file nor
    folder, or cannot be read, is left out and named. ``without`` says what stays out unnamed.
    """
    files = size = 0
    left_out: list[tuple[str, str]] = []
    for entry, relative, why in _walk(source, limits, without):
        if why:
            left_out.append((str(relative), why))
            continue
        if files >= limits.files or size + entry.stat().st_size > limits.size:
            left_out.append((str(relative), f"over {limits.files} files or {limits.size} bytes"))
            continue
        try:
            size += _copy_file(entry, target / relative)
        except OSError as error:
            left_out.append((str(relative), error.strerror or "cannot be copied"))
        else:
            files += 1
    return Copied(files, size, tuple(left_out))


def _walk(source: Path, limits: Limits, without: Without) -> Iterator[tuple[Path, PurePosixPath, str]]:
    """Every file with its path below ``source``, or what stays out and why; folders by depth, then name."""
    root = source.resolve()
    waiting = [PurePosixPath()]
    while waiting:
        below = waiting.pop(0)
        try:
            entries = _listed(source / below)
        except OSError as error:
            yield source / below, below, error.strerror or "cannot be read"
            continue
        for entry in entries:
            relative = below / entry.name
            if entry.name in _SKIPPED or without(entry, relative):
                continue
            why = _objection(entry, root)
            if not why and entry.is_dir():
                if len(relative.parts) < limits.depth:
                    waiting.append(relative)
                    continue
                why = f"deeper than {limits.depth} folders"
            yield entry, relative, why


def _objection(entry: Path, root: Path) -> str:
    """Why this entry is not copied; empty for a file, or a folder that is no link."""
    if entry.is_symlink():
        try:
            goal = entry.resolve(strict=True)
        except (OSError, RuntimeError):
            return "a link to nowhere"
        if not goal.is_relative_to(root):
            return "a link out of the folder"
        return "" if goal.is_file() else "a link to a folder"
    mode = entry.stat().st_mode
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "neither file nor folder"


def _listed(folder: Path) -> Iterable[Path]:
    return sorted(folder.iterdir())


def _copy_file(source: Path, target: Path) -> int:
    """Copy content and whether it may be executed; nothing else of the mode."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    executable = source.stat().st_mode & stat.S_IXUSR
    target.chmod(0o755 if executable else 0o644)
    return target.stat().st_size

"""A host's plugin cache: which versions of a plugin are installed, and which are switched off."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from skillquiver.skills.findings import finding
from skillquiver.types import Finding

__all__ = ["newest_versions", "version_key"]

_MAX_SETTINGS_BYTES = 1_000_000
_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)(.*)", re.IGNORECASE | re.DOTALL)


def newest_versions(folder: Path, names: Sequence[str]) -> tuple[list[str], tuple[Finding, ...]]:
    """Those of a folder's sub-folders ``names`` that count, and findings about the others.

    ``plugins/`` loses ``marketplaces`` (checkouts, not installed) where a ``cache`` is beside it;
    ``plugins/cache/<marketplace>/`` loses plugins that the settings switch off;
    ``plugins/cache/<marketplace>/<plugin>/`` keeps its newest version.
    """
    if folder.name == "plugins" and "cache" in names and "marketplaces" in names:
        skipped = finding("marketplace-skipped", str(folder / "marketplaces"))
        return [name for name in names if name != "marketplaces"], (skipped,)
    if _is_cache(folder.parent):
        return _enabled(folder, names)
    if _is_cache(folder.parent.parent):
        return _newest(folder, names)
    return list(names), ()


def version_key(name: str) -> tuple[bool, tuple[int, ...], bool, str]:
    """Order of versions: numbers by value, a release above its pre-releases, other names lowest."""
    match = _VERSION.fullmatch(name)
    if match is None:
        return (False, (), False, name)
    numbers = [int(part[:18]) for part in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    rest = match[2]
    return (rest[:1] in ("", "-", "+", "."), tuple(numbers), not rest or rest.startswith("+"), rest)


def _is_cache(folder: Path) -> bool:
    return folder.name == "cache" and folder.parent.name == "plugins"


def _enabled(folder: Path, names: Sequence[str]) -> tuple[list[str], tuple[Finding, ...]]:
    switches = _switches(folder.parent.parent.parent / "settings.json")
    off = [name for name in names if switches.get(f"{name}@{folder.name}") is False]
    return [name for name in names if name not in off], tuple(
        finding("plugin-disabled", str(folder / name), f"{name}@{folder.name} is switched off")
        for name in off
    )


def _newest(folder: Path, names: Sequence[str]) -> tuple[list[str], tuple[Finding, ...]]:
    """The newest version; names without a number are ordered by age, then by name."""
    if len(names) < 2:
        return list(names), ()
    ordered = sorted(
        names, key=lambda name: (version_key(name)[:3], _age(folder / name, name), version_key(name)[3])
    )
    best = ordered[-1]
    others = ", ".join(sorted(name for name in names if name != best))
    return [best], (finding("plugin-version-old", str(folder), f"{best} was read, not {others}"),)


def _age(folder: Path, name: str) -> int:
    if version_key(name)[0]:
        return 0
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # gone meanwhile: the oldest
        return 0


def _switches(path: Path) -> dict[str, object]:
    """``enabledPlugins`` of a settings file; nothing is switched off where it cannot be read."""
    try:
        if path.stat().st_size > _MAX_SETTINGS_BYTES:
            return {}
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    plugins = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    return plugins if isinstance(plugins, dict) else {}

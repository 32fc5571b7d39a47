"""How files are read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_READ", "ReadSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """Bounds on what is read from a library root. Sizes in bytes."""

    max_depth: int = 6
    """Folders below a root: hosts look 4 to 6 levels deep (Agent Skills client guide)."""

    pack_depth: int = 16
    """Hard bound for roots that hold whole repositories rather than one skills folder."""

    max_file_bytes: int = 1_000_000
    """Public libraries reach 290 KB; anything larger is not a skill, and is never read whole."""

    max_yaml_bytes: int = 64_000
    """Frontmatter above this is an attack or an accident."""

    max_yaml_aliases: int = 32
    """Legitimate frontmatter uses none; alias bombs need hundreds."""


DEFAULT_READ = ReadSettings()
"""What reading uses when the caller does not say."""

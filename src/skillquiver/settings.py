"""Every default and the reason for it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_GRAPH", "DEFAULT_READ", "GraphSettings", "ReadSettings"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """What the deterministic graph proposes, and how much of it."""

    similar_k: int = 8
    """Embedding neighbours per skill: the published comparisons use 8."""

    similar_floor: float = 0.5
    """Cosine below which two skills are not called similar (same source)."""

    lexical_k: int = 8
    """Lexical neighbours per skill, proposed as pairs to judges that can read."""

    need_k: int = 3
    """Offers looked at per need: the third is rarely right."""

    rare_holders: int = 8
    """Skills that may share a tool or an artifact before it proves nothing about any two of them."""

    sources: tuple[str, ...] = ()
    """Names of the candidate sources to use; empty means every registered one."""


DEFAULT_GRAPH = GraphSettings()
"""What the graph uses when the caller does not say."""

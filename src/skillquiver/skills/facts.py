"""What a skill reads, writes and uses: artifact terms and tools out of frontmatter, sections and code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillquiver.skills.markdown import Document

__all__ = ["Facts", "find_facts"]

MAX_TERMS = 64
"""Terms kept of each kind; a skill that names more proves nothing by them."""

_SCRIPT_ENDS = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".ps1", ".r", ".R", ".go")


@dataclass(frozen=True, slots=True)
class Facts:
    """Sorted terms, lower case; entrypoints are paths relative to the skill's folder."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    entrypoints: tuple[str, ...] = ()


def find_facts(
    fields: Mapping[str, Any], description: str, document: Document, siblings: Sequence[str] = ()
) -> Facts:
    """Collect the facts of one skill; deterministic, bounded, reads nothing."""
    del fields, description, document  # the next step
    scripts = sorted(path for path in siblings if path.endswith(_SCRIPT_ENDS))
    return Facts(entrypoints=tuple(scripts[:MAX_TERMS]))

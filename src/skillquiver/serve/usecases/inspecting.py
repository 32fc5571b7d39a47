"""Show one skill; examine the whole library."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.index.store import Store
from skillquiver.serve.usecases.library import find_skill
from skillquiver.skills.findings import FAULTS, finding
from skillquiver.skills.records import Skill
from skillquiver.types import Finding, Severity

__all__ = ["Health", "doctor", "show"]


@dataclass(frozen=True, slots=True)
class Health:
    """What is wrong with a library, and what it holds."""

    skills: int
    roots: tuple[tuple[str, str, str], ...]
    findings: tuple[Finding, ...]

    @property
    def failing(self) -> bool:
        """Whether there is more than information."""
        return any(finding.severity is not Severity.INFO for finding in self.findings)

    def by_code(self) -> dict[str, list[Finding]]:
        """Findings grouped by code; errors first, then by number."""
        groups: dict[str, list[Finding]] = {}
        for one in self.findings:
            groups.setdefault(one.code, []).append(one)
        order = list(Severity)
        return dict(sorted(groups.items(), key=lambda g: (order.index(g[1][0].severity), -len(g[1]), g[0])))


def show(folder: Path, reference: str) -> Skill:
    """Return the skill called ``reference``, as it was indexed."""
    with Store.opened(folder) as store:
        return find_skill(store, reference)[1]


def doctor(folder: Path, *, codes: Sequence[str] = ()) -> Health:
    """Examine a library: what reading it found, and which files differ from what was indexed.

    Raises ``UsageError`` for a code that no finding has.
    """
    from skillquiver.graph.doctor import GRAPH_FINDINGS  # `show` does not pay for the graph
    from skillquiver.serve.usecases.graphs import graph_findings

    unknown = sorted(set(codes) - {*FAULTS, *GRAPH_FINDINGS})
    if unknown:
        raise UsageError(f"no finding has the code {unknown[0]!r}; docs/findings.md lists them")
    with Store.opened(folder) as store:
        findings = sorted([*store.findings(), *_outdated(store), *graph_findings(store)])
        wanted = [one for one in findings if not codes or one.code in codes]
        return Health(store.count(), tuple(store.roots()), tuple(wanted))


def _outdated(store: Store) -> list[Finding]:
    """Files that changed, or went, since they were indexed; a file of the same date and size is trusted."""
    found = []
    for light in store.lights().values():
        path = Path(light.path)
        try:
            stat = path.stat()
            if (stat.st_size, stat.st_mtime_ns) == (light.size, light.mtime_ns):
                continue
            now = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:  # gone or unreadable: said as such
            found.append(finding("file-gone", light.path, light.id))
            continue
        if now != light.content_hash:
            found.append(
                finding("file-changed", light.path, f"indexed {light.content_hash[:12]}, now {now[:12]}")
            )
    return found

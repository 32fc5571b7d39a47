"""Index a library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skillquiver.errors import LibraryMissingError, UsageError
from skillquiver.index.encoders import open_encoder
from skillquiver.index.lock import writer_lock
from skillquiver.index.progress import Progress, silent
from skillquiver.index.store import Store
from skillquiver.index.sync import IndexReport, SyncOptions, sync
from skillquiver.skills.discover import parse_root
from skillquiver.skills.hosts import host_roots

__all__ = ["forget_roots", "index_library"]


def index_library(
    folder: Path,
    roots: Sequence[str],
    *,
    hosts: tuple[Path, Path] | None = None,
    use_hosts: bool = False,
    options: SyncOptions | None = None,
    tell: Progress = silent,
) -> IndexReport:
    """Index the roots given as ``LABEL=FOLDER`` or ``FOLDER``, and those the library already has.

    ``hosts`` is (home, working folder): where agent hosts keep skills. They are indexed too with
    ``use_hosts``, or when there is no other root. Raises ``UsageError`` for a root that is no folder,
    ``LibraryLockedError`` while another process writes.
    """
    parsed = [parse_root(text) for text in roots]
    for root in parsed:
        if not root.path.is_dir():
            raise UsageError(f"{root.path} is not a folder; a root is a folder that holds skills")
    if hosts and (use_hosts or not (parsed or _known_roots(folder))):
        parsed += host_roots(*hosts)
        if not (parsed or _known_roots(folder)):
            raise UsageError(
                "no skills folder of a known agent host here; name one: `quiver index tools=~/my-skills`"
            )
    return sync(folder, parsed, open_encoder=open_encoder, options=options or SyncOptions(), tell=tell)


def _known_roots(folder: Path) -> bool:
    try:
        with Store.opened(folder) as store:
            return bool(store.roots())
    except LibraryMissingError:
        return False


def forget_roots(folder: Path, labels: Sequence[str]) -> None:
    """Take roots out of the library; their skills go at the next index. Raises ``UsageError``."""
    with writer_lock(folder), Store.opened(folder) as store:
        known = {label for label, _, _ in store.roots()}
        for label in labels:
            if label not in known:
                raise UsageError(f"no root {label!r}; the library has: {', '.join(sorted(known)) or 'none'}")
        with store.transaction():
            for label in labels:
                store.drop_root(label)

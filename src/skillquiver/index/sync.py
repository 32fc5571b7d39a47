"""Brings a stored library up to date with the disk: read, settle, lexical index, vectors, matrix.

Each step can be resumed and leaves the store consistent; a kill loses at most the step in flight. The
lexical index is complete, and searchable, before the first vector is computed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillquiver.errors import UsageError
from skillquiver.index.changes import Changes, compare
from skillquiver.index.lexical import FieldTerms, LexicalIndex
from skillquiver.index.lock import writer_lock
from skillquiver.index.progress import Progress, Stage, silent
from skillquiver.index.reading import Crew, analyzer, crew, flatten, reader
from skillquiver.index.rows import Light
from skillquiver.index.store import Store
from skillquiver.index.vectors import library_encoder, sync_vectors
from skillquiver.settings import DEFAULT_READ, ReadSettings
from skillquiver.skills.discover import Discovery, Root, Scope, discover
from skillquiver.skills.mirrors import settle
from skillquiver.types import Encoder

__all__ = ["IndexReport", "SyncOptions", "sync"]

READER_VERSION = "1"
"""Counts changes of what is read out of a file; another number reads the whole library again."""

REBUILD_SHARE = 0.2
"""When this share of the rows changed, a fresh lexical index is cheaper and its statistics are exact."""

REBUILD_BELOW = 100
"""Up to so many skills a fresh lexical index takes less than half a second: always exact, then."""

NAMED = 50
"""Changed ids that a report names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """What one indexing run does beyond its defaults."""

    read: ReadSettings = DEFAULT_READ
    reread: bool = False
    """Read every file again, changed or not: scripts beside it may have changed."""
    vectors: bool = True
    """Compute missing vectors; otherwise the library is searched lexically."""
    encoder: str = ""
    """Registered name; empty keeps the library's own."""
    workers: int | None = 1
    """Processes for reading; ``None``: one a processor. Several need a main module that can be imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What an indexing run found and did. Times in seconds since its start."""

    skills: int
    added: int
    changed: int
    moved: tuple[tuple[str, str], ...]
    removed: int
    unchanged: int
    unreadable: int
    collapsed: int
    """Files that gave way to a mirror or to a nearer scope."""
    edited: tuple[str, ...]
    """Ids whose content hash changed; the first ``NAMED``."""
    vectors: int
    """Vectors computed in this run."""
    encoder: str
    findings: dict[str, int]
    """Findings of the whole library by code."""
    lexical_ready_s: float
    total_s: float


def sync(
    folder: Path,
    roots: Sequence[Root],
    *,
    open_encoder: Callable[[str], Encoder],
    options: SyncOptions,
    tell: Progress = silent,
) -> IndexReport:
    """Index ``roots`` into the library at ``folder``, together with the roots it already has.

    Raises ``LibraryLockedError`` while another process writes it, ``UsageError`` if there is no root.
    """
    started = time.perf_counter()
    with (
        writer_lock(folder),
        crew(options.workers) as team,
        Store.opened(folder, create=True) as store,
    ):
        changes, discovery = _read(store, _roots(store, roots), team, options, tell)
        lights = _settle(store, changes, discovery)
        _lexical(store, folder, team, tell)
        team.close()
        ready = time.perf_counter() - started
        made = 0
        if options.vectors:
            made = sync_vectors(store, folder, entry=options.encoder, open_encoder=open_encoder, tell=tell)
        return _report(store, changes, lights, made, (started, ready))


def _roots(store: Store, roots: Sequence[Root]) -> list[Root]:
    known = {label: (path, scope) for label, path, scope in store.roots()}
    for root in roots:
        path = str(root.path.expanduser().absolute())
        if known.get(root.label, (path, ""))[0] != path:
            raise UsageError(
                f"the label {root.label!r} already names {known[root.label][0]}; "
                f"give this root another: OTHER={root.path}"
            )
        known[root.label] = (path, root.scope.value)
    if not (known or store.lights()):
        raise UsageError("no roots: name a folder with skills, as in `quiver index tools=~/.claude/skills`")
    with store.transaction():
        store.put_roots((label, path, scope) for label, (path, scope) in known.items())
    return [Root(label, Path(path), Scope(scope)) for label, (path, scope) in sorted(known.items())]


def _read(
    store: Store, roots: Sequence[Root], team: Crew, options: SyncOptions, tell: Progress
) -> tuple[Changes, Discovery]:
    tell(Stage.READ, 0, 0)
    discovery = discover(roots, options.read)
    reread = options.reread or store.get_meta("reader") != READER_VERSION
    changes = compare(discovery, store.lights(), reread=reread)
    following = store.generation + 1
    done = 0
    for rows in team.map(reader(options.read), changes.to_read):
        touched, different = changes.sort(rows, reread=reread)
        with store.transaction():
            store.refresh_files(touched)
            store.put_files(different, following)
        done += len(rows)
        tell(Stage.READ, done, len(changes.to_read))
    return changes, discovery


def _settle(store: Store, changes: Changes, discovery: Discovery) -> list[Light]:
    """Decide which rows are searched, and turn to the next generation if that changed anything.

    Returns the library's files as they are then.
    """
    following = store.generation + 1
    with store.transaction():
        store.remove_rows(changes.gone_rows, following)
        same = not changes.to_read and not changes.gone
        lights = list((changes.before if same else store.lights()).values())
        kept, findings = settle(light for light in lights if light.readable)
        live = {light.row for light in kept}
        flips = {light.row: light.row in live for light in lights if light.active != (light.row in live)}
        store.set_active(flips, following)
        store.put_library_findings((*discovery.findings, *findings))
        store.set_meta("reader", READER_VERSION)
        if flips or changes.gone or store.unsettled():
            store.set_meta("generation", str(following))
            store.prune_vectors()
        store.note_count(len(live))
    return [replace(light, active=flips[light.row]) if light.row in flips else light for light in lights]


def _lexical(store: Store, folder: Path, team: Crew, tell: Progress) -> None:
    index = LexicalIndex.open(folder / "lexical")
    known, target = (index.generation if index else -1), store.generation
    if index is not None and known == target:
        return
    live, gone = store.changed_since(known)
    changed = len(live) + len(gone) + (index.replaced if index else 0)
    fresh = not 0 <= known <= target or changed > REBUILD_SHARE * store.count()
    if index is None or fresh or store.count() <= REBUILD_BELOW:
        index = LexicalIndex.create(folder / "lexical")
        live, gone = store.changed_since(-1)[0], []
    else:
        gone = [*gone, *live]
    tell(Stage.LEXICAL, 0, len(live))
    chunks = _counted(team.map(analyzer(folder), live), len(live), tell)
    index.update(flatten(chunks), gone, target)


def _counted(chunks: Iterable[list[FieldTerms]], total: int, tell: Progress) -> Iterator[list[FieldTerms]]:
    done = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        tell(Stage.LEXICAL, done, total)


def _report(
    store: Store, changes: Changes, lights: Sequence[Light], made: int, times: tuple[float, float]
) -> IndexReport:
    started, ready = times
    moved = tuple(changes.moved())
    unreadable = sum(not light.readable for light in lights)
    return IndexReport(
        skills=store.count(),
        added=sum(bool(row.content_hash) for row in changes.added) - len(moved),
        changed=len(changes.edited),
        moved=moved,
        removed=len(changes.gone) - len(moved),
        unchanged=changes.unchanged + changes.touched,
        unreadable=unreadable,
        collapsed=sum(light.readable and not light.active for light in lights),
        edited=tuple(sorted(changes.edited)[:NAMED]),
        vectors=made,
        encoder=library_encoder(store)[1],
        findings=dict(sorted(Counter(finding.code for finding in store.findings()).items())),
        lexical_ready_s=round(ready, 3),
        total_s=round(time.perf_counter() - started, 3),
    )

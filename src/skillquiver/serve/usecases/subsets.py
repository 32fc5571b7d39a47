"""A library of some of another library's skills: what is stored is copied, nothing is encoded again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from skillquiver.errors import UsageError
from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state, load_graph, put_graph
from skillquiver.index.dense import DenseIndex
from skillquiver.index.lexical import LexicalIndex, field_terms
from skillquiver.index.lock import writer_lock
from skillquiver.index.reading import text_hash
from skillquiver.index.rows import FileRow
from skillquiver.index.store import Store
from skillquiver.serve.usecases.library import Library
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

__all__ = ["GENERATION", "file_row", "settle", "subset_library", "write_indexes"]

GENERATION = 1
"""A copy is written once."""

CHUNK = 500
"""Skills per transaction, bodies included: 5 MB of text in memory."""

NOTES = ("reader", "encoder", "encoder_name", "encoder_release", "dimension", "graph_model")
"""What the library notes about its reader, encoder and graph holds for a part of it, too."""


@contextmanager
def subset_library(library: Library, ids: Collection[SkillId]) -> Iterator[Library]:
    """Open a library of ``ids`` alone in a temporary folder, with their vectors and their relations.

    It is searched by the ranker of ``library``: same encoder, same weights, same second stage. Raises
    ``UsageError`` for an id that the library does not hold, or none at all, or a disk that is full.
    """
    rows = library.store.rows_of(sorted(ids))
    if not rows or len(rows) < len(set(ids)):
        lacking = ", ".join(sorted(set(ids) - rows.keys())[:3]) or "an empty set"
        raise UsageError(f"no library can be made of {lacking}: these skills are not in {library.folder}")
    with TemporaryDirectory(prefix="quiver-subset-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            _write(library.store, folder, [rows[skill_id] for skill_id in sorted(rows)])
        except OSError as error:
            raise UsageError(f"cannot write a copy of the library to {folder}: {error}") from error
        with Store.opened(folder) as store:
            lexical = LexicalIndex.open(folder / "lexical")
            assert lexical is not None, "it was just written"
            ranker = library.ranker.over(store, lexical, DenseIndex.open(folder / "dense"))
            yield Library(folder, store, ranker, library.degraded, store.data_version)


def _write(old: Store, folder: Path, rows: Sequence[int]) -> None:
    with writer_lock(folder), Store.opened(folder, create=True) as new:
        encoder = old.get_meta("encoder_name")
        wanted = set(rows)
        vectors = {row: data for row, data in old.vectors(encoder) if row in wanted}
        for start in range(0, len(rows), CHUNK):
            found = old.skills(rows[start : start + CHUNK])
            with new.transaction():
                new.put_files(map(file_row, found.values()), GENERATION)
                new.put_vectors(
                    encoder, ((text_hash(found[row]), vectors[row]) for row in found if row in vectors)
                )
        settle(old, new)
        write_indexes(new, folder)
        _copy_graph(old, new)


def settle(old: Store, new: Store) -> None:
    """Note in ``new`` what of ``old`` holds for it as well, and make all of its skills searched."""
    with new.transaction():
        new.put_roots(old.roots())
        for key in NOTES:
            if noted := old.get_meta(key):
                new.set_meta(key, noted)
        new.set_active(dict.fromkeys(new.changed_since(0)[1], True), GENERATION)
        new.set_meta("generation", str(GENERATION))


def write_indexes(store: Store, folder: Path) -> None:
    """Write the lexical and, if there are vectors, the dense index of ``store`` into ``folder``."""
    encoder = store.get_meta("encoder_name")
    terms = (field_terms(row, skill) for row, skill in store.all_skills())
    LexicalIndex.create(folder / "lexical").update(terms, [], GENERATION)
    if encoder:
        DenseIndex.write(
            folder / "dense",
            store.vectors(encoder),
            generation=GENERATION,
            encoder=encoder,
            dimension=int(store.get_meta("dimension")),
        )


def _copy_graph(old: Store, new: Store) -> None:
    if graph_state(old) is GraphState.MISSING:
        return
    graph, _ = load_graph(old)
    kept = set(new.all_ids())
    part = SkillGraph.of(kept, (r for r in graph.relations if r.source in kept and r.target in kept))
    with new.transaction():
        put_graph(new, part, GENERATION)


def file_row(skill: Skill) -> FileRow:
    """The row of a skill that was read before."""
    return FileRow(
        id=skill.id,
        path=skill.path,
        root=skill.root,
        scope=skill.scope,
        kind=skill.kind.value,
        size=len(skill.body),
        mtime_ns=skill.mtime_ns,
        content_hash=skill.content_hash,
        findings=(),
        skill=skill,
        text_hash=text_hash(skill),
    )

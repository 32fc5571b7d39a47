"""Temporary libraries for tests: folders of skills, indexed, and what can be compared between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skillquiver.index.dense import DenseIndex
from skillquiver.index.lexical import LexicalIndex
from skillquiver.index.progress import silent
from skillquiver.index.store import Store
from skillquiver.index.sync import IndexReport, SyncOptions, sync
from skillquiver.retrieve.ranker import Ranker
from skillquiver.retrieve.ranking import Ranking
from skillquiver.settings import RankSettings
from skillquiver.skills.discover import Root
from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder


def put(root: Path, folder: str, description: str = "", body: str = "", **fields: str) -> Path:
    """Write ``root/folder/SKILL.md`` with a frontmatter of ``fields``, and return the file."""
    file = root / folder / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    given = {"name": file.parent.name, "description": description, **fields}
    given["description"] = description or f"Does {given['name']}."
    head = "\n".join(f"{key}: {value}" for key, value in given.items())
    steps = body or f"Steps of {given['name']}."
    file.write_text(f"---\n{head}\n---\n# {given['name']}\n\n{steps}\n", encoding="utf-8")
    return file


def hashing(name: str) -> Encoder:
    """An ``open_encoder`` that always opens the same double."""
    return HashEncoder()


def index(folder: Path, *roots: Path, **options: Any) -> IndexReport:
    """Index ``roots``, labelled by their folders' names, with the word-hashing double."""
    tell, opener = options.pop("tell", silent), options.pop("open_encoder", hashing)
    named = [Root(root.name, root) for root in roots]
    return sync(folder, named, open_encoder=opener, options=SyncOptions(**options), tell=tell)


def counts(report: IndexReport) -> dict[str, int]:
    """The counts of a report that are not zero."""
    found = {
        "added": report.added,
        "changed": report.changed,
        "moved": len(report.moved),
        "removed": report.removed,
        "unchanged": report.unchanged,
        "unreadable": report.unreadable,
        "collapsed": report.collapsed,
        "vectors": report.vectors,
    }
    return {key: value for key, value in found.items() if value}


def rank(folder: Path, query: str, *, lexical: bool = False, **options: Any) -> Ranking:
    """Rank the library in ``folder`` with the word-hashing double."""
    with Store.opened(folder) as store:
        lexicon = LexicalIndex.open(folder / "lexical")
        dense = None if lexical else DenseIndex.open(folder / "dense")
        assert lexicon is not None
        pair = (dense, HashEncoder()) if dense else None
        ranker = Ranker(store, lexicon, pair, settings=RankSettings())
        return ranker.rank(query, **({"top_k": 10} | options))


def found(ranking: Ranking) -> list[str]:
    """Ids, best first."""
    return [result.id for result in ranking.results]


def snapshot(folder: Path, queries: Iterable[str]) -> Mapping[str, Any]:
    """What two libraries over the same files must have in common; row numbers need not be the same."""
    with Store.opened(folder) as store:
        skills = [skill for _, skill in store.all_skills()]
        findings, rows = store.findings(), dict(store.all_skills(body=False))
        matrix = DenseIndex.open(folder / "dense")
        lexicon = LexicalIndex.open(folder / "lexical")
        assert matrix is not None
        assert lexicon is not None
        assert matrix.generation == lexicon.generation == store.generation
    vectors = {
        rows[int(row)].id: vector.tobytes() for row, vector in zip(matrix.rows, matrix.matrix, strict=True)
    }
    rankings = {
        query: [
            (result.id, round(result.score, 4), result.confidence) for result in rank(folder, query).results
        ]
        for query in queries
    }
    return {"skills": skills, "findings": findings, "vectors": vectors, "rankings": rankings}

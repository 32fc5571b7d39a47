"""A small indexed library for experiments, its queries, and the subject that answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from skillquiver.evaluate.qrels import Query, QuerySet, judge
from skillquiver.serve.usecases.subject import LibrarySubject, open_subject
from skillquiver.testing import HashEncoder
from tests.libraries import index, put

SUBJECTS = (
    "invoice ledger",
    "violin tuning",
    "glacier mapping",
    "beehive inspection",
    "tax treaty",
    "sourdough baking",
    "kernel tracing",
    "orchid grafting",
    "subtitle timing",
    "bridge welding",
    "parrot training",
    "comet tracking",
)
"""Subjects of the skills; no two share a word."""


def noun(subject: str) -> str:
    return subject.partition(" ")[0]


QUERIES = tuple(
    Query(query_id=f"q{at}", query=f"my {subject} went wrong, help", gold=(f"root/{noun(subject)}",))
    for at, subject in enumerate(SUBJECTS)
)
"""One query for each skill, by its subject."""


def description(subject: str) -> str:
    return f"Carries out {subject} step by step with careful notes about every single {noun(subject)}."


def make(folder: Path, subjects: Sequence[str] = SUBJECTS, **options: bool) -> Path:
    """Index one skill for each subject, and return the library's folder."""
    for subject in subjects:
        put(folder / "root", noun(subject), description(subject), f"Notes on {subject}.")
    index(folder / "library", folder / "root", **options)
    return folder / "library"


@contextmanager
def opened(library: Path, second_stage: Path | None = None) -> Iterator[LibrarySubject]:
    """The library, with the word-hashing double for an encoder."""
    with open_subject(library, second_stage=second_stage, encoders=_hashing) as subject:
        yield subject


def _hashing(name: str) -> tuple[HashEncoder, str]:
    return HashEncoder(), ""


def judged(
    subject: LibrarySubject, queries: Sequence[Query] = QUERIES, name: str = "set", **same: Sequence[str]
) -> QuerySet:
    return judge(queries, list(subject.skills), same, name=name)


def write(file: Path, queries: Sequence[Query] = QUERIES) -> Path:
    """Write a query file."""
    rows: list[Mapping[str, object]] = [
        {
            "query_id": q.query_id,
            "query": q.query,
            "gold": q.gold,
            "not_gold": q.not_gold,
            "tags": q.tags,
            "task": q.task,
        }
        for q in queries
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file

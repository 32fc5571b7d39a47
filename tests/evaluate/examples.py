"""The sample skills of the repository as a library with a graph, and queries about them."""

from __future__ import annotations

from pathlib import Path

from skillquiver.evaluate.experiment import Inputs
from skillquiver.evaluate.qrels import judge, read_queries
from skillquiver.index.sync import SyncOptions
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.serve.usecases.subject import LibrarySubject
from skillquiver.settings import EvalSettings
from tests.documents import ROOT

QUICK = EvalSettings(draws=200)

QUERIES = ROOT / "examples" / "queries.jsonl"


def make_library(folder: Path, *, graph: bool = True, encoder: str = "") -> Path:
    """Index the sample skills into ``folder``; without ``encoder`` they are searched by words alone."""
    skills = f"samples={ROOT / 'examples' / 'skills'}"
    index_library(folder, [skills], options=SyncOptions(vectors=bool(encoder), encoder=encoder))
    if graph:
        build_library_graph(folder)
    return folder


def inputs(
    subject: LibrarySubject, text: str, *, name: str = "set", settings: EvalSettings = QUICK
) -> Inputs:
    """Queries as JSON Lines, judged against the library."""
    queries = read_queries(text, origin="test")
    return Inputs(sets=(judge(queries, list(subject.skills), {}, name=name),), settings=settings)

"""A small indexed library with a graph, queries for it, and `quiver eval` on both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from skillquiver.serve.cli import main
from skillquiver.serve.usecases.graphs import build_library_graph
from tests.libraries import index, put

SKILLS = {
    "knead-dough": ("Kneads sourdough by hand.", "Next step: `proof-loaves`."),
    "proof-loaves": ("Lets loaves rise overnight.", "## Prerequisites\n\nRun `knead-dough` first."),
    "heat-oven": ("Heats a stone oven. Use when the user says 'fire up the stone oven'.", ""),
    "tune-violin": ("Tunes violins. Use when the user says 'my violin sounds flat'.", ""),
    "map-glacier": ("Maps glaciers from photographs.", ""),
}
"""Name → description and body."""

QUERIES: Sequence[Mapping[str, Any]] = (
    {"query_id": "1", "query": "knead the sourdough", "gold": ["knead-dough"], "tags": ["direct"]},
    {"query_id": "2", "query": "make loaves rise", "gold": ["proof-loaves"], "tags": ["paraphrase"]},
    {"query_id": "3", "query": "the violins are out of tune", "gold": ["root/tune-violin"]},
    {"query_id": "4", "query": "maps of the glaciers", "gold": ["map-glacier"]},
    {"query_id": "5", "query": "frobnicate quux", "gold": []},
)


def make(home: Path) -> Path:
    """Index the skills and build their graph; returns the library's folder."""
    for name, (description, body) in SKILLS.items():
        put(home / "root", name, description, body)
    index(home / "library", home / "root", vectors=False)
    build_library_graph(home / "library")
    return home / "library"


def write(file: Path, queries: Sequence[Mapping[str, Any]] = QUERIES) -> Path:
    """Write a query file."""
    file.write_text("".join(json.dumps(query) + "\n" for query in queries), encoding="utf-8")
    return file


def call(library: Path, *words: str | Path) -> Result:
    """`quiver eval` on the library; anything but an exit is raised."""
    environment = {"QUIVER_LIBRARY": str(library)}
    result = CliRunner().invoke(main, ["eval", *map(str, words)], prog_name="quiver", env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def document(result: Result) -> dict[str, Any]:
    """The one JSON document that standard output holds; NaN and infinity are none."""
    data = json.loads(result.stdout, parse_constant=_refused)
    assert isinstance(data, dict)
    return data


def _refused(constant: str) -> None:
    raise AssertionError(constant)


def refusal(result: Result, code: int = 2) -> str:
    """The one line that says why nothing was done, on standard error; below the usage if click says it."""
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    lines = result.stderr.rstrip("\n").splitlines()
    own = [line for line in lines if line.startswith(("quiver: ", "Error: "))]
    assert own == lines[-1:], result.stderr
    assert len(lines) == 1 or lines[0].startswith("Usage: "), result.stderr
    return own[0]

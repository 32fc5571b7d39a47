"""Files around experiments: queries drafted out of a library, or split into folds; two runs compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec

from skillquiver.errors import UsageError
from skillquiver.evaluate.comparing import Comparison, compare, read_run
from skillquiver.evaluate.drafting import drafted
from skillquiver.evaluate.qrels import Query, read_queries
from skillquiver.evaluate.splits import Item, folds_of, query_items
from skillquiver.index.store import Store
from skillquiver.serve.usecases.evaluating import QueryFiles, read_same, read_text
from skillquiver.settings import EvalSettings

__all__ = ["Draft", "Fold", "compare_runs", "draft_queries", "split_queries"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What was drafted: the file, its queries, and how many skills they have for gold."""

    file: Path
    queries: int
    skills: int


@dataclass(frozen=True, slots=True)
class Fold:
    """One file of one fold."""

    file: Path
    fold: int
    queries: int


def draft_queries(folder: Path, out: Path, *, limit: int, force: bool) -> Draft:
    """Write the prompts that skills of the library at ``folder`` quote as a query file.

    Raises ``UsageError`` if there is none, or if ``out`` exists, unless ``force``.
    """
    _refuse([out], force=force)
    with Store.opened(folder) as store:
        queries = drafted(sorted((skill for _, skill in store.all_skills()), key=lambda s: s.id), limit=limit)
    if not queries:
        raise UsageError(
            "no skill of this library quotes a prompt: write queries by hand, one JSON object a line with "
            "query_id, query and gold (docs/evaluation.md)"
        )
    _write(out, "".join(_line(query) for query in queries))
    return Draft(out, len(queries), len({gold for query in queries for gold in query.gold}))


def _line(query: Query) -> str:
    row = {
        "query_id": query.query_id,
        "query": query.query,
        "gold": list(query.gold),
        "tags": list(query.tags),
    }
    return msgspec.json.encode(row).decode() + "\n"


def split_queries(files: QueryFiles, out: Path, *, folds: int, seed: int, force: bool) -> list[Fold]:
    """Write the lines of every query file, unchanged, into ``folds`` files below ``out``.

    No gold skill, equivalent, text or task stands in two folds; every file is spread evenly. Raises
    ``UsageError`` for files that cannot be read or split, or that exist, unless ``force``.
    """
    same = read_same(files.equivalents)
    lines: list[tuple[Path, str]] = []
    items: list[Item] = []
    for file in files.queries:
        text = read_text(file)
        lines += [(file, line) for line in text.split("\n") if line.strip()]
        items += query_items(read_queries(text, origin=str(file)), same, stratum=file.name)
    numbers = folds_of(items, folds, seed=seed)
    parts: dict[tuple[Path, int], list[str]] = {(f, n): [] for f in files.queries for n in range(folds)}
    for (file, line), number in zip(lines, numbers, strict=True):
        parts[file, number].append(line)
    targets = {key: out / f"{key[0].stem}.fold{key[1]}.jsonl" for key in parts}
    twice = [file for file, count in Counter(targets.values()).items() if count > 1]
    if twice:
        raise UsageError(f"two query files would both be split into {twice[0]}; rename one")
    _refuse(list(targets.values()), force=force)
    for key, own in parts.items():
        _write(targets[key], "".join(f"{line}\n" for line in own))
    return [Fold(targets[key], key[1], len(own)) for key, own in parts.items()]


def _refuse(files: list[Path], *, force: bool) -> None:
    taken = [file for file in files if file.exists()]
    if taken and not force:
        raise UsageError(f"{taken[0]} exists; --force overwrites it")


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error}") from error


def compare_runs(before: Path, after: Path) -> Comparison:
    """Compare the JSON of two runs. Raises ``UsageError`` for files that are none, or share nothing."""
    runs = [read_run(read_text(file).encode(), origin=str(file)) for file in (before, after)]
    return compare(runs[0], runs[1], EvalSettings())

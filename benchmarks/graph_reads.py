"""Cost of reading a part of the graph, in a library and in the same library many times over.

    python -m benchmarks.graph_reads LIBRARY [--copies 11] [--skills 200]

The store is copied into a temporary folder, and its files (without texts), nodes and relations are repeated
there under other ids, so that there are ``--copies`` of each. The same skills are asked about before and
after, twice, and the second time counts.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from skillquiver.graph.neighbourhood import neighbourhood, requires_closure
from skillquiver.graph.stored import load_graph
from skillquiver.index.store import FILE_NAME, Store
from skillquiver.serve.usecases.following import next_skills
from skillquiver.types import SkillId


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--copies", type=int, default=11)
    parser.add_argument("--skills", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Store.open(given.library).close()
        source, target = sqlite3.connect(given.library / FILE_NAME), sqlite3.connect(folder / FILE_NAME)
        source.backup(target)
        with Store.opened(folder) as store:
            chosen = random.Random(0).sample(store.all_ids(), given.skills)
        report(folder, chosen)
        repeat(target, given.copies)
        target.close()
        report(folder, chosen)


def repeat(db: sqlite3.Connection, copies: int) -> None:
    """Add the library's files, nodes and relations again under other ids."""
    columns = [
        row[1] for row in db.execute("PRAGMA table_info(files)") if row[1] not in ("row", "id", "body")
    ]
    names = ", ".join(columns)
    step = db.execute("SELECT max(node) FROM nodes").fetchone()[0]
    with db:
        nodes = db.execute("SELECT count(*) FROM nodes").fetchone()[0]
        for copy in range(1, copies):
            prefix = f"copy{copy}/"
            db.execute(
                f"INSERT INTO files (id, {names}) SELECT ? || id, {names} FROM files "
                "WHERE id NOT LIKE 'copy%/%'",
                (prefix,),
            )
            db.execute(
                "INSERT INTO nodes SELECT node + ?, ? || id FROM nodes WHERE node <= ?",
                (copy * step, prefix, step),
            )
            db.execute(
                "INSERT INTO relations SELECT source + ?, target + ?, type, provenance, confidence, "
                "quote, place, proposed_by, source_hash, target_hash FROM relations WHERE source <= ?",
                (copy * step, copy * step, step),
            )
        assert db.execute("SELECT count(*) FROM nodes").fetchone()[0] == nodes * copies


def report(folder: Path, chosen: list[SkillId]) -> None:
    """Print medians and 95th percentiles over the chosen skills, and the time for the whole graph."""
    with Store.opened(folder) as store:
        sizes = store.relations.sizes()
        print(f"{sizes['nodes']:,} skills, {sizes['relations']:,} relations")
        every = {
            "neighbourhood, 1 hop": lambda s: neighbourhood(store, [s], hops=1, types=None, max_nodes=500),
            "neighbourhood, 2 hops, 200": lambda s: neighbourhood(
                store, [s], hops=2, types=None, max_nodes=200
            ),
            "requires closure": lambda s: requires_closure(store, [s]),
        }
        for name, ask in every.items():
            timed(name, chosen, ask)
        timed("next, store opened each time", chosen, lambda s: next_skills(folder, s))
        started = time.perf_counter()
        load_graph(store)
        print(f"  {'whole graph':32}{(time.perf_counter() - started) * 1000:>10.1f} ms")


def timed(name: str, chosen: list[SkillId], ask: Callable[[SkillId], object]) -> None:
    """Ask about every skill twice and print the second time's median and 95th percentile."""
    times: list[float] = []
    for _ in range(2):
        times.clear()
        for skill_id in chosen:
            started = time.perf_counter()
            ask(skill_id)
            times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(f"  {name:32}{statistics.median(times):>10.2f} ms, p95 {times[int(len(times) * 0.95)]:.2f} ms")


if __name__ == "__main__":
    main()

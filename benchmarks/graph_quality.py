"""Measures the deterministic graph against hand-checked edges of a public library.

    python benchmarks/graph_quality.py --root bench=DIR --order FILE --references FILE --prefix bench/pool/ \
        [--vectors FILE.npy --vector-ids FILE.json] [--scaling 1000 2000 4000] [--only bench/skillsbench] [--out FILE]

``--order`` holds JSON lines with ``before``, ``after``, ``relation``, ``evidence``; ``--references`` holds
``src``, ``dst``, ``relation``; both give paths relative to ``--prefix``, whose first part is the repository.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from skillquiver.graph.build import GraphBuild, build_graph
from skillquiver.graph.relations import RELATION_TYPES, Relation, RelationType, pair_of
from skillquiver.graph.report import census, isolated, outside_neighbours, topology
from skillquiver.graph.resolve import ORDER_TYPES, contradictions
from skillquiver.skills.discover import discover
from skillquiver.skills.mirrors import settle
from skillquiver.skills.parse import read_skill
from skillquiver.skills.records import Skill
from skillquiver.skills.roots import parse_root

DRAWS = 2000
"""Bootstrap draws over repositories."""

EXPECTED = {
    "related": {"workflow"},
    "next": {"workflow", "dependency"},
    "uses": {"workflow", "dependency"},
    "prerequisite": {"dependency"},
    "alternative": {"alternative"},
}
"""Relation families that agree with a label: a label says less than a type."""

Row = Mapping[str, Any]
Pairs = Mapping[tuple[str, str], Sequence[Relation]]


def main() -> None:
    """Run the parts that were asked for and print one JSON document."""
    args = arguments()
    skills = read_library(args.root)
    vectors = aligned(skills, args) if args.vectors else None
    if vectors is not None:
        skills, vectors = vectors
    report: dict[str, Any] = {"skills": len(skills)}
    build, report["build"] = timed(lambda: build_graph(skills, vectors=vectors))
    again, report["build with known facts"] = timed(
        lambda: build_graph(skills[::-1], vectors=vectors, known=build.facts)
    )
    report["second build byte-identical"] = again.graph.to_bytes() == build.graph.to_bytes()
    report |= shape(build, vectors)
    report |= against_labels(build, args)
    if args.order:
        masked = build_graph(masked_skills(skills, rows(args.order), args.prefix), vectors=vectors)
        report["order, evidence masked"] = order_recall(by_pair(masked), rows(args.order), args.prefix)
    report["scaling"] = [scaled(skills, vectors, n) for n in args.scaling]
    if args.only:
        report[f"alone: {args.only}"] = alone([s for s in skills if s.id.startswith(args.only + "/")])
    text = json.dumps(report, indent=1, ensure_ascii=False)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", action="append", required=True)
    parser.add_argument("--order", type=Path)
    parser.add_argument("--references", type=Path)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--vector-ids", type=Path)
    parser.add_argument("--scaling", type=int, nargs="*", default=[])
    parser.add_argument("--only")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def read_library(roots: Sequence[str]) -> list[Skill]:
    """Read the roots as the engine does; skills in order of id."""
    files = discover([parse_root(root) for root in roots]).files
    parsed = (read_skill(file).skill for file in files)
    return sorted(settle([s for s in parsed if s is not None])[0], key=lambda s: s.id)


def aligned(skills: Sequence[Skill], args: argparse.Namespace) -> tuple[list[Skill], np.ndarray]:
    """Return the skills that have a vector, and the vectors in their order."""
    vectors = np.load(args.vectors).astype(np.float32)
    place = {name: i for i, name in enumerate(json.loads(args.vector_ids.read_text(encoding="utf-8")))}
    kept = [s for s in skills if s.id in place]
    return kept, vectors[[place[s.id] for s in kept]]


def timed(run: Callable[[], GraphBuild]) -> tuple[GraphBuild, dict[str, float]]:
    """Run; seconds of wall clock and of this process, and its peak memory so far in MB."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result, {
        "wall_s": round(time.perf_counter() - wall, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "peak_mb": round(peak),
    }


def shape(build: GraphBuild, vectors: np.ndarray | None) -> dict[str, Any]:
    """Census, candidates, findings, topology, consistency and reach."""
    graph = build.graph
    ordered = [(r.upstream, r.downstream) for r in graph.relations if r.type in ORDER_TYPES]
    layers = {"order types together": ordered}
    for type_, info in RELATION_TYPES.items():
        if info.acyclic:
            layers[type_] = [(r.source, r.target) for r in graph.relations if r.type == type_]
    return {
        "bytes": len(graph.to_bytes()),
        "candidates by source": dict(build.candidates),
        "findings by code": dict(Counter(f.code for f in build.findings)),
        "census (type, provenance, source, edges)": census(graph).rows,
        "edges by type": dict(census(graph).by_type),
        "contradictory pairs": len(contradictions(graph.relations)),
        "edges on cycles": {name: edges_on_cycles(edges) for name, edges in layers.items()},
        "isolated (no typed relation)": len(isolated(graph)),
        "topology": [asdict(row) for row in topology(graph)],
        "outside top-8 (outside, all)": outside_neighbours(graph, vectors) if vectors is not None else None,
        "typed pairs joined that similar_to leaves apart": joined_beyond_similar(graph.relations, graph.ids),
    }


def edges_on_cycles(edges: Iterable[tuple[Any, Any]]) -> int:
    """Edges left when sources and sinks are peeled off until nothing changes: 0 for an acyclic graph."""
    left = set(edges)
    while left:
        starts, ends = {a for a, _ in left}, {b for _, b in left}
        kept = {(a, b) for a, b in left if a in ends and b in starts}
        if kept == left:
            return len(left)
        left = kept
    return 0


def joined_beyond_similar(relations: Iterable[Relation], ids: Sequence[str]) -> dict[str, int]:
    """Count typed edges whose two ends lie in different components of the ``similar_to`` layer."""
    parent = {i: i for i in ids}

    def root(node: str) -> str:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    typed = []
    for relation in relations:
        if relation.type == RelationType.SIMILAR_TO:
            parent[root(relation.source)] = root(relation.target)
        else:
            typed.append(relation)
    return {"edges": sum(root(r.source) != root(r.target) for r in typed), "of": len(typed)}


def by_pair(build: GraphBuild) -> Pairs:
    """Relations but ``similar_to`` by pair of ids."""
    found: dict[tuple[str, str], list[Relation]] = defaultdict(list)
    for relation in build.graph.relations:
        if relation.type != RelationType.SIMILAR_TO:
            found[relation.pair].append(relation)
    return found


def rows(path: Path) -> list[Row]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def against_labels(build: GraphBuild, args: argparse.Namespace) -> dict[str, Any]:
    """Order and reference recall, together and by two halves of the repositories."""
    report: dict[str, Any] = {}
    pairs = by_pair(build)
    if args.order:
        report["order"] = order_recall(pairs, rows(args.order), args.prefix)
    if args.references:
        labels = [row for row in rows(args.references) if row["relation"] != "mention"]
        report["references"] = reference_recall(pairs, labels, args.prefix)
        report["family agreement"] = families(pairs, labels, args.prefix)
    return report


def order_recall(pairs: Pairs, labels: Sequence[Row], prefix: str) -> dict[str, Any]:
    """Share of ``before`` → ``after`` edges found in that direction, and the number found reversed."""
    hits: dict[str, list[float]] = defaultdict(list)
    reversed_, found = [], 0
    for row in labels:
        before, after = prefix + row["before"], prefix + row["after"]
        first = {r.upstream for r in pairs.get(pair_of(before, after), ())} - {None}
        hits[repository(row["before"])].append(float(before in first))
        found += bool(first)
        if after in first:
            reversed_.append(f"{row['before']} > {row['after']}")
    return {**summary(hits), "found with a direction": found, "reversed": reversed_}


def reference_recall(pairs: Pairs, labels: Sequence[Row], prefix: str) -> dict[str, Any]:
    """Share of referenced pairs with any relation but ``similar_to``, over all and by label."""
    hits: dict[str, list[float]] = defaultdict(list)
    by_label: dict[str, list[float]] = defaultdict(list)
    for row in labels:
        hit = float(pair_of(prefix + row["src"], prefix + row["dst"]) in pairs)
        hits[repository(row["src"])].append(hit)
        by_label[row["relation"]].append(hit)
    return {**summary(hits), "by label": {k: [sum(v), len(v)] for k, v in sorted(by_label.items())}}


def families(pairs: Pairs, labels: Sequence[Row], prefix: str) -> dict[str, Any]:
    """For each label: families of the pair's strongest relation, and the share that agrees."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    agreed: dict[str, list[bool]] = defaultdict(list)
    for row in labels:
        found = pairs.get(pair_of(prefix + row["src"], prefix + row["dst"]), ())
        if found:
            best = max(found, key=lambda r: (r.provenance.trust, r.confidence, r.type))
            family = RELATION_TYPES[best.type].family.value
            table[row["relation"]][f"{family}: {best.type}"] += 1
            agreed[row["relation"]].append(family in EXPECTED[row["relation"]])
    return {
        label: {"agree": f"{sum(agreed[label])}/{len(agreed[label])}", **dict(table[label].most_common())}
        for label in sorted(table)
    }


def summary(hits: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Recall with a bootstrap interval over repositories, and the same for each half of them."""
    names = sorted(hits)
    halves = {"first half": names[::2], "second half": names[1::2]}
    return {
        "recall": round(mean(hits, names), 4),
        "n": sum(len(v) for v in hits.values()),
        "repositories": len(names),
        "interval": bootstrap(hits),
        **{k: [round(mean(hits, v), 4), sum(len(hits[n]) for n in v)] for k, v in halves.items()},
    }


def mean(hits: Mapping[str, Sequence[float]], names: Sequence[str]) -> float:
    """Mean over all edges of the named repositories."""
    values = [value for name in names for value in hits[name]]
    return sum(values) / len(values) if values else 0.0


def bootstrap(hits: Mapping[str, Sequence[float]]) -> list[float]:
    """95 % percentile interval, repositories drawn with replacement."""
    dice, names = random.Random(0), sorted(hits)
    draws = sorted(mean(hits, dice.choices(names, k=len(names))) for _ in range(DRAWS))
    return [round(draws[int(DRAWS * q)], 4) for q in (0.025, 0.975)]


def repository(path: str) -> str:
    """First part of a label's path."""
    return path.split("/", 1)[0]


def masked_skills(skills: Sequence[Skill], labels: Iterable[Row], prefix: str) -> list[Skill]:
    """The skills without the lines that the labels quote as evidence, in the whole repository."""
    quoted: dict[str, set[str]] = defaultdict(set)
    for row in labels:
        quoted[prefix + repository(row["before"])].add(squeezed(row["evidence"].split("] ", 1)[-1])[:60])
    result = []
    for skill in skills:
        snippets = quoted.get("/".join(skill.id.split("/")[: prefix.count("/") + 1]), set())
        kept = [line for line in skill.body.split("\n") if not is_quoted(line, snippets)]
        body = "\n".join(kept)
        result.append(
            skill if body == skill.body else replace(skill, body=body, content_hash="masked" + skill.id)
        )
    return result


def is_quoted(line: str, snippets: Iterable[str]) -> bool:
    """Whether a line holds, or is a part of, one of the quoted snippets."""
    text = squeezed(line)
    return len(text) > 12 and any(
        s and (s in text or text.startswith(s[:40]) or text[:60] == s) for s in snippets
    )


def squeezed(text: str) -> str:
    """Letters and digits only, lower case."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def scaled(skills: Sequence[Skill], vectors: np.ndarray | None, n: int) -> dict[str, Any]:
    """Build on ``n`` skills drawn evenly (0 for all of them)."""
    step = max(1.0, len(skills) / n) if n else 1.0
    chosen = sorted({int(i * step) for i in range(n or len(skills))})
    part = [skills[i] for i in chosen if i < len(skills)]
    rows_ = vectors[[i for i in chosen if i < len(skills)]] if vectors is not None else None
    build, cost = timed(lambda: build_graph(part, vectors=rows_))
    return {"skills": len(part), "edges": len(build.graph.relations), **cost}


def alone(skills: Sequence[Skill]) -> dict[str, Any]:
    """The graph of one part of the library by itself."""
    graph = build_graph(skills).graph
    return {
        "skills": len(skills),
        "typed edges": len(graph.relations),
        "by type": dict(census(graph).by_type),
        "isolated": len(isolated(graph)),
    }


if __name__ == "__main__":
    main()

"""Pad a library: N skills made out of an indexed one, to measure how cost grows with size.

    python -m benchmarks.pad_library SOURCE_LIBRARY TARGET_FOLDER --skills 100000 [--seed 0]

Fewer skills than the source has are a random sample of it. More are its skills and perturbed copies of them:
a name with `-pad-` and a number, and a share of the words of description and body replaced by words drawn
from the texts of all skills, so that term frequencies keep their distribution. A copy's vector is not
encoded, which would take half an hour, but is the original's with noise, scaled to length one again; it does
not fit the copy's text, so a padded library measures time and memory, never quality. Relations between two
skills are copied to their copies of the same number. Copies have no files: their paths are the originals',
and ``quiver index`` on a padded library would remove them.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skillquiver.graph.skillgraph import SkillGraph
from skillquiver.graph.stored import GraphState, graph_state, load_graph, put_graph
from skillquiver.index.lock import writer_lock
from skillquiver.index.reading import text_hash
from skillquiver.index.store import FILE_NAME, Store
from skillquiver.serve.usecases.subsets import GENERATION, file_row, settle, write_indexes
from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

REPLACED = 0.3
"""Share of the words of a copy that are drawn anew: its BM25 scores differ, its topic stays."""

NOISE = 0.6
"""Length of the noise added to a unit vector: cosine 1 / sqrt(1 + 0.36) = 0.86 with the original."""

DRAWN = 100
"""Words taken from each skill into the pool of replacements, where words are as frequent as in texts."""

CHUNK = 64
"""Originals per transaction; with ten copies each, about 700 skills or 5 MB of text in memory."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which skills a padded library holds: (row of the original, its copies beside itself), by id."""

    originals: Mapping[int, int]

    @classmethod
    def of(cls, rows: Sequence[int], skills: int, seed: int) -> Plan:
        """Spread ``skills`` over ``rows``, or draw as many of them."""
        if skills <= len(rows):
            drawn = sorted(random.Random(seed).sample(range(len(rows)), skills))
            return cls({rows[i]: 0 for i in drawn})
        return cls({row: (skills - 1 - i) // len(rows) for i, row in enumerate(rows)})


def main() -> None:
    """Pad and say what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--skills", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.skills < 1:
        parser.error("--skills must be at least 1")
    if (given.target / FILE_NAME).exists():
        parser.error(f"{given.target} holds a library; name another folder")
    started = time.perf_counter()
    relations = pad(given.source, given.target, skills=given.skills, seed=given.seed)
    took = time.perf_counter() - started
    print(f"{given.skills:,} skills, {relations:,} relations in {given.target}, {took:.0f} s")


def pad(source: Path, target: Path, *, skills: int, seed: int = 0) -> int:
    """Write a library of ``skills`` skills into ``target``; returns the number of its relations."""
    target.mkdir(parents=True, exist_ok=True)
    with Store.opened(source) as old, writer_lock(target), Store.opened(target, create=True) as new:
        plan = Plan.of([row for row, _ in old.all_skills(body=False)], skills, seed)
        _write_skills(old, new, plan, np.random.default_rng(seed))
        settle(old, new)
        write_indexes(new, target)
        return _copy_graph(old, new, plan)


# --- skills and vectors ----------------------------------------------------------------------


def _write_skills(old: Store, new: Store, plan: Plan, rng: np.random.Generator) -> None:
    pool = _words(old, rng)
    encoder = old.get_meta("encoder_name")
    vectors = {row: data for row, data in old.vectors(encoder) if row in plan.originals}
    rows = list(plan.originals)
    for start in range(0, len(rows), CHUNK):
        found = old.skills(rows[start : start + CHUNK])
        with new.transaction():
            for row, skill in found.items():
                family = [skill, *_copies(skill, plan.originals[row], pool, rng)]
                new.put_files(map(file_row, family), GENERATION)
                if row in vectors:
                    made = _noisy(vectors[row], len(family), rng)
                    new.put_vectors(encoder, zip(map(text_hash, family), made, strict=True))


def _words(store: Store, rng: np.random.Generator) -> npt.NDArray[np.object_]:
    """A sample of the words of all texts, as frequent as they are there."""
    pool: list[str] = []
    for _, skill in store.all_skills():
        words = [word for word in skill.body.split() if word.isalpha()]
        if words:
            pool += [words[i] for i in rng.integers(0, len(words), DRAWN)]
    return np.array(pool or ["word"], dtype=object)


def _copies(
    skill: Skill, count: int, pool: npt.NDArray[np.object_], rng: np.random.Generator
) -> Iterator[Skill]:
    for number in range(1, count + 1):
        body = _perturbed(skill.body, pool, rng)
        digest = hashlib.sha256(f"{skill.id}\n{number}\n{body}".encode("utf-8", "replace")).hexdigest()
        yield replace(
            skill,
            id=copy_id(skill.id, number),
            name=f"{skill.name}-pad-{number}",
            description=_perturbed(skill.description, pool, rng),
            body=body,
            content_hash=digest,
            body_hash=digest,
        )


def copy_id(skill_id: SkillId, number: int) -> SkillId:
    """Id of a copy; 0 is the original."""
    return SkillId(f"{skill_id}-pad-{number}") if number else skill_id


def _perturbed(text: str, pool: npt.NDArray[np.object_], rng: np.random.Generator) -> str:
    words = text.split(" ")
    places = rng.integers(0, len(words), int(len(words) * REPLACED))
    drawn = pool[rng.integers(0, len(pool), len(places))]
    for place, word in zip(places.tolist(), drawn, strict=True):
        if words[place].isalpha():  # Markdown, code and line breaks stay
            words[place] = word
    return " ".join(words)


def _noisy(data: bytes, count: int, rng: np.random.Generator) -> list[bytes]:
    """The vector itself, then ``count - 1`` unit vectors near it."""
    original = np.frombuffer(data, dtype="<f4")
    noise = rng.standard_normal((count - 1, len(original))) * (NOISE / np.sqrt(len(original)))
    near = original + noise
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    return [data, *(row.astype("<f4").tobytes() for row in near)]


# --- what is derived --------------------------------------------------------------------------


def _copy_graph(old: Store, new: Store, plan: Plan) -> int:
    if graph_state(old) is GraphState.MISSING:
        return 0
    graph, _ = load_graph(old)
    skills = old.skills(list(plan.originals), body=False)
    counts = {skills[row].id: count for row, count in plan.originals.items()}
    hashes = {light.id: light.content_hash for light in new.lights().values()}
    copied = []
    for relation in graph.relations:
        if relation.source not in counts or relation.target not in counts:
            continue
        for number in range(min(counts[relation.source], counts[relation.target]) + 1):
            source, target = copy_id(relation.source, number), copy_id(relation.target, number)
            ends = {"source_hash": hashes[source], "target_hash": hashes[target]}
            copied.append(replace(relation, source=source, target=target, **ends))
    padded = SkillGraph.of(hashes, copied)
    with new.transaction():
        put_graph(new, padded, GENERATION)
    return len(padded.relations)


if __name__ == "__main__":
    main()

"""Whether bundles stand in the right order: hand-checked ``before`` -> ``after`` edges between skills.

python -m benchmarks.bundle_order LIBRARY ORDER.jsonl [--prefix bench/pool/] [--budget 8000] [--arm reverse]

Each edge is one task: the two skills' descriptions, the later one first, so that a ranking in the order of
the words would be wrong. Of the tasks whose bundle holds both skills, or copies that stand for them, the
share in which ``before`` comes first. Interval: percentile bootstrap over repositories, 2,000 draws.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from skillquiver.retrieve.bundle import Bundle, Omission
from skillquiver.retrieve.diffuse import Arm
from skillquiver.serve.usecases.library import Library, open_library
from skillquiver.serve.usecases.searching import bundle

DRAWS = 2000


def main() -> None:
    """Pack, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("order", type=Path)
    parser.add_argument("--prefix", default="bench/pool/")
    parser.add_argument("--budget", type=int, default=8000)
    parser.add_argument("--arm", choices=[arm.value for arm in Arm])
    given = parser.parse_args()
    edges = [json.loads(line) for line in given.order.read_text(encoding="utf-8").splitlines()]
    with open_library(given.library) as library:
        known = {skill.id: skill.description for _, skill in library.store.all_skills(body=False)}
        for arm in [Arm(given.arm)] if given.arm else Arm:
            verdicts = defaultdict(list)
            for edge in edges:
                ends = given.prefix + edge["before"], given.prefix + edge["after"]
                if all(end in known for end in ends):
                    verdict = judge(library, ends, known, given.budget, arm)
                    verdicts[edge["corpus"]].append(verdict)
                    if verdict is False:
                        print(f"  wrong: {ends[0]} before {ends[1]}")
            print(f"{arm.value:8} {summary(verdicts)}")


def judge(
    library: Library, ends: tuple[str, str], known: Mapping[str, str], budget: int, arm: Arm
) -> bool | None:
    """Whether the first end comes first; ``None`` if not both are there."""
    query = f"{known[ends[1]]} {known[ends[0]]}"
    packed, _ = bundle(library, query, budget=budget, arm=arm)
    place = {entry.id: at for at, entry in enumerate(packed.entries)}
    first, then = (place.get(stand_in(packed, end)) for end in ends)
    return None if first is None or then is None or first == then else first < then


def stand_in(packed: Bundle, skill_id: str) -> str:
    """The skill, or the one it is a copy of in this bundle."""
    for one in packed.omitted:
        if one.id == skill_id and one.reason is Omission.NEAR_DUPLICATE:
            return one.detail.removeprefix("a copy of ")
    return skill_id


def summary(verdicts: Mapping[str, Sequence[bool | None]]) -> str:
    """Right, both present, tasks, and the interval of the share."""
    groups = [[v for v in group if v is not None] for group in verdicts.values()]
    tasks = sum(map(len, verdicts.values()))
    right, both = sum(map(sum, groups)), sum(map(len, groups))
    if not both:
        return f"no pair together in {tasks} tasks"
    draw = random.Random(0)
    shares = []
    for _ in range(DRAWS):
        sample = [group for group in draw.choices(groups, k=len(groups)) if group]
        if sample:
            shares.append(sum(map(sum, sample)) / sum(map(len, sample)))
    shares.sort()
    low, high = shares[int(0.025 * len(shares))], shares[int(0.975 * len(shares))]
    return (
        f"{right} of {both} pairs in order: {right / both:.3f} [{low:.3f}, {high:.3f}]; "
        f"both present in {both} of {tasks} tasks"
    )


if __name__ == "__main__":
    main()

"""What the echo test calls an echo, by threshold, among queries people wrote and texts made of descriptions.

    python -m benchmarks.echo_threshold LIBRARY QUERIES.jsonl [QUERIES.jsonl ...] [--equivalents FILE]

Texts made of descriptions are what someone writes who looks at the card: the first sentence; its first
``WORDS`` words; the description with every third word gone. One of each for every skill that a query wants.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from skillquiver.evaluate.echo_test import ECHO_PAIRS, ECHO_RUN, Echo, card_terms, echo_of
from skillquiver.index.analyze import analyze
from skillquiver.serve.usecases.evaluating import QueryFiles, read_sets
from skillquiver.serve.usecases.subject import open_subject
from skillquiver.skills.records import Skill

SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
WORDS = 15


def main() -> None:
    """Print the share of echoes of each kind of text, for each threshold of the share of pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--equivalents", type=Path)
    given = parser.parse_args()
    with open_subject(given.library) as subject:
        sets = read_sets(QueryFiles(tuple(given.queries), given.equivalents), list(subject.skills))
        skills = dict(subject.skills)
    wanted = sorted({one for each in sets for task in each.tasks for group in task.gold for one in group})
    print(f"{'texts':28}{'n':>6}" + "".join(f"{share:>8}" for share in SHARES))
    for queries in sets:
        found = [
            best([echo_of(analyze(task.query), card_terms(skills[i])) for group in task.gold for i in group])
            for task in queries.answerable
        ]
        row(queries.name, found)
    for name, make in MADE.items():
        row(name, [echo_of(analyze(make(skills[i])), card_terms(skills[i])) for i in wanted])


def best(found: Sequence[Echo]) -> Echo:
    """The most alike of all right skills."""
    return max(found, key=lambda one: (one.share, one.run))


def row(name: str, found: Sequence[Echo]) -> None:
    """Shares of echoes, one for each threshold."""
    shares = [
        sum((one.share >= share and one.pairs >= ECHO_PAIRS) or one.run >= ECHO_RUN for one in found)
        for share in SHARES
    ]
    print(f"{name:28}{len(found):>6}" + "".join(f"{count / max(len(found), 1):>8.3f}" for count in shares))


def first_sentence(skill: Skill) -> str:
    """Of the description."""
    return re.split(r"(?<=[.!?])\s", skill.description, maxsplit=1)[0]


def first_words(skill: Skill) -> str:
    """Of the description."""
    return " ".join(skill.description.split()[:WORDS])


def thinned(skill: Skill) -> str:
    """The description with every third word gone."""
    return " ".join(word for at, word in enumerate(skill.description.split()) if at % 3 != 2)


MADE = {
    "first sentence": first_sentence,
    f"first {WORDS} words": first_words,
    "every third word gone": thinned,
}

if __name__ == "__main__":
    main()

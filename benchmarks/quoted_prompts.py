"""Prompts that skills quote as their own, as training queries, and the skills without them.

    python -m benchmarks.quoted_prompts LIBRARY FOLDER [--seed 0]

Writes ``FOLDER/skills/...``, every skill of the library with the prompts cut out of its text, and
``FOLDER/prompts.jsonl``, at most ``EACH`` of them a skill as queries whose gold is that skill. A prompt
is what ``evaluate.drafting.prompts_of_body`` finds: between quotation marks, six words or more, in a section
about use ("When to use", "Examples", "Triggers"). Without cutting it out, finding its skill would be reading
it back. Index the folder before training on it, under the labels that the library has.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path

from skillquiver.evaluate.drafting import prompts_of_body
from skillquiver.index.store import Store
from skillquiver.skills.records import Skill

EACH = 2


def main() -> None:
    """Write both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    lines = []
    with Store.opened(given.library) as store:
        for _, skill in store.all_skills():
            found = prompts_of_body(skill.body)
            write(given.folder / "skills", skill, found)
            chosen = draw.sample(found, min(EACH, len(found)))
            lines += [
                {"query_id": f"{skill.id}#{at}", "query": text, "gold": [skill.id]}
                for at, text in enumerate(chosen)
            ]
    file = given.folder / "prompts.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} prompts of {len({line['gold'][0] for line in lines})} skills in {file}")


def write(folder: Path, skill: Skill, found: list[str]) -> None:
    """Write the skill's file without its prompts, wherever in the file they stand."""
    source = Path(skill.path)
    target = folder / skill.id / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    data = source.read_bytes()
    if found:
        text = data.decode("utf-8", "replace")
        for prompt in found:
            text = re.sub(re.escape(prompt), "", text, flags=re.IGNORECASE)
        data = text.encode()
    target.write_bytes(data)


if __name__ == "__main__":
    main()

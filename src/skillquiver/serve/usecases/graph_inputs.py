"""What the graph of a library is built from: its skills, completed, their vectors, relations.yaml files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from skillquiver.graph.curated import CURATED_NAME, CuratedFile
from skillquiver.graph.doctor import stale_findings
from skillquiver.graph.facts import FACTS_VERSION, SkillFacts
from skillquiver.index.store import Store
from skillquiver.index.vectors import library_encoder
from skillquiver.skills.records import Skill
from skillquiver.types import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

__all__ = [
    "COMPLETION_NAME",
    "FACTS",
    "GraphInputs",
    "encode_facts",
    "read_inputs",
    "searched_skills",
    "skill_vectors",
]

COMPLETION_NAME = "completion.json"
"""The frozen manifest of completions, in the library folder."""

FACTS = "graph facts"

CURATED_BYTES = 1_000_000
"""Most that is read of a relations.yaml."""

_FACTS = msgspec.msgpack.Decoder(tuple[int, dict[str, SkillFacts]])


@dataclass(frozen=True, slots=True)
class GraphInputs:
    """Everything a build reads, at one generation; ``findings`` name completions that no longer fit."""

    generation: int
    skills: tuple[Skill, ...]
    vectors: npt.NDArray[np.float32] | None
    curated: tuple[CuratedFile, ...]
    known: Mapping[str, SkillFacts]
    findings: tuple[Finding, ...]


def read_inputs(store: Store, folder: Path) -> GraphInputs:
    """Read what the graph of the library is built from.

    Raises ``LibraryError`` if the completion manifest is damaged.
    """
    from skillquiver.graph.llm.completion import apply_manifest
    from skillquiver.graph.llm.manifest import read_manifest

    rows, skills = searched_skills(store)
    file = folder / COMPLETION_NAME
    manifest = read_manifest(file)
    done = apply_manifest(skills, manifest)
    return GraphInputs(
        store.generation,
        done.skills,
        skill_vectors(store, rows),
        tuple(_curated(store)),
        _known(store),
        stale_findings(manifest.skills, done.stale, {skill.id: skill.path for skill in skills}, str(file)),
    )


def searched_skills(store: Store) -> tuple[list[int], list[Skill]]:
    """Rows and records of the searched skills, by id."""
    pairs = list(store.all_skills())
    return [row for row, _ in pairs], [skill for _, skill in pairs]


def skill_vectors(store: Store, rows: Sequence[int]) -> npt.NDArray[np.float32] | None:
    """One unit row per skill in the order of ``rows``; ``None`` unless every skill has its vector."""
    import numpy as np

    found = dict(store.vectors(library_encoder(store)[1]))
    if not rows or any(row not in found for row in rows):
        return None
    return np.frombuffer(b"".join(found[row] for row in rows), dtype="<f4").reshape(len(rows), -1)


def encode_facts(facts: Mapping[str, SkillFacts]) -> bytes:
    """``facts`` as they are kept for the next build."""
    return msgspec.msgpack.encode((FACTS_VERSION, facts))


def _curated(store: Store) -> Iterator[CuratedFile]:
    for label, path, _ in store.roots():
        file = Path(path) / CURATED_NAME
        if file.is_file():
            text = file.read_bytes()[: CURATED_BYTES + 1].decode("utf-8-sig", "replace")
            yield CuratedFile(label, str(file), text)


def _known(store: Store) -> dict[str, SkillFacts]:
    found = store.get_derived(FACTS)
    if found is None:
        return {}
    try:
        version, facts = _FACTS.decode(found[1])
    except msgspec.MsgspecError:  # of another version: read again
        return {}
    return facts if version == FACTS_VERSION else {}

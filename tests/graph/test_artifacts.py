"""Artifacts: who writes what, who reads it, and when that proves something."""

from __future__ import annotations

import pytest

from skillquiver.graph.artifact_facts import Role, read_artifacts
from tests.graph.helpers import edges, skill_at


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Writes `energies.json`.", Role.WRITES),
        ("    --output /path/to/energies.json", Role.WRITES),
        ("tool x > energies.json", Role.WRITES),
        ("with open('energies.json', 'w') as f:", Role.WRITES),
        ("Read the file energies.json", Role.READS),
        ("    --energies /path/to/energies.json \\", Role.READS),
        ("    --parts first.csv energies.json", Role.READS),
        ("json.load(open('energies.json'))", Role.READS),
    ],
)
def test_the_words_before_a_file_say_what_is_done_with_it(text: str, role: Role) -> None:
    assert ("energies.json", role) in {(a.name, a.role) for a in read_artifacts(text)}


def test_a_file_that_is_only_mentioned_has_no_role() -> None:
    assert read_artifacts("The energies.json is nice.") == ()


def test_a_file_named_after_its_writer_feeds_its_readers() -> None:
    writer = skill_at("v/energy-calculator", "```bash\ncalc --output energies.json\n```")
    reader = skill_at("v/silence-finder", "```bash\nfind --energies energies.json\n```")
    assert edges(writer, reader) == ["v/energy-calculator feeds_into v/silence-finder"]


def test_a_file_that_anything_could_be_called_proves_nothing() -> None:
    writer = skill_at("v/energy-calculator", "```bash\ncalc --output output.json\n```")
    reader = skill_at("v/silence-finder", "```bash\nfind --data output.json\n```")
    assert edges(writer, reader) == []


def test_a_file_that_a_skill_reads_and_writes_has_no_direction() -> None:
    both = skill_at("v/energy-calculator", "Reads `energies.json`.\n\nWrites `energies.json`.")
    assert edges(both, skill_at("v/silence-finder", "Reads `energies.json`.")) == []


def test_a_file_that_many_handle_joins_nobody() -> None:
    writer = skill_at("v/energy-calculator", "Writes `energies.json`.")
    readers = [skill_at(f"v/reader{i}", "Reads `energies.json`.") for i in range(8)]
    assert edges(writer, *readers) == []


def test_the_evidence_quotes_both_ends() -> None:
    from skillquiver.graph.build import build_graph

    skills = [
        skill_at("v/plan-maker", "Writes `task_plan.md`."),
        skill_at("v/checker", "Reads `task_plan.md`."),
    ]
    (edge,) = build_graph(skills).graph.relations
    assert edge.provenance == "artifact"
    assert edge.evidence.quote == "Writes `task_plan.md`. ⇒ Reads `task_plan.md`."

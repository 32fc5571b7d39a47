"""Artifacts: who writes what, who reads it, and when that proves something."""

from __future__ import annotations

from typing import Any

import pytest

from skillquiver.graph.artifact_facts import Role, read_artifacts
from skillquiver.graph.build import build_graph
from skillquiver.graph.relations import Evidence, Relation
from skillquiver.skills.records import Skill
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
    skills = [
        skill_at("v/plan-maker", "Writes `task_plan.md`."),
        skill_at("v/checker", "Reads `task_plan.md`."),
    ]
    (edge,) = build_graph(skills).graph.relations
    assert edge.provenance == "artifact"
    assert edge.evidence.quote == "Writes `task_plan.md`. ⇒ Reads `task_plan.md`."


# --- declared -------------------------------------------------------------------------------------------


def declaring(folder: str, body: str = "", **fields: Any) -> Skill:
    """A skill whose frontmatter has these fields; its content counts as another for each of them."""
    return skill_at(folder, body, metadata=fields, description=f"Does {folder}, {sorted(fields.items())}.")


def test_what_one_declares_as_output_and_another_as_input_is_handed_over() -> None:
    writer = declaring("v/scene-finder", outputs=["freezes.json"])
    reader = declaring("v/edit-planner", inputs=[{"name": "freezes.json", "description": "intervals"}])
    fillers = [skill_at(f"v/other{i}") for i in range(20)]  # too large a folder for what is only said
    assert edges(writer, reader, *fillers) == ["v/scene-finder feeds_into v/edit-planner"]


def test_a_declaration_at_one_end_joins_what_the_text_of_the_other_says() -> None:
    writer = skill_at("v/plan-maker", "Writes `task_plan.md`.")
    reader = declaring("v/checker", metadata={"inputs": "task_plan.md"})
    assert edges(writer, reader) == ["v/plan-maker feeds_into v/checker"]


def test_where_somebody_declares_a_file_the_facts_of_the_record_count_if_the_text_names_it() -> None:
    record = {"outputs": ("transcript.json",)}
    reader = declaring("v/report", inputs=["transcript.json"])
    named = skill_at("v/transcriber", "It ends with **transcript.json** beside the sound.", **record)
    assert edges(named, reader) == ["v/transcriber feeds_into v/report"]
    assert edges(skill_at("v/transcriber", "It ends with nothing.", **record), reader) == []
    both = skill_at("v/transcriber", "See transcript.json.", inputs=("transcript.json",), **record)
    assert edges(both, reader) == []


def test_a_declaration_outweighs_the_text() -> None:
    writer = declaring("v/energy-calculator", "Read `energies.json` again to check.", outputs="energies.json")
    assert edges(writer, declaring("v/silence-finder", inputs="energies.json")) == [
        "v/energy-calculator feeds_into v/silence-finder"
    ]


@pytest.mark.parametrize(
    "term", [".json", "json", "csv", "output.json", "report.md", "text", "video", "data"]
)
def test_types_generic_names_and_single_words_prove_nothing_even_if_declared(term: str) -> None:
    assert edges(declaring("v/one", outputs=[term]), declaring("v/two", inputs=[term])) == []


def test_a_data_object_of_several_words_counts_if_both_declare_it() -> None:
    writer = declaring("v/segmenter", outputs=["Mask Instructions"])
    reader = declaring("v/painter", inputs={"maskInstructions": "list"})
    assert edges(writer, reader) == ["v/segmenter feeds_into v/painter"]
    assert edges(writer, skill_at("v/painter", "Reads the mask-instructions.")) == []


def test_a_declared_file_that_goes_both_ways_has_no_direction() -> None:
    both = declaring("v/cleaner", inputs=["clean.csv"], outputs=["clean.csv"])
    assert edges(both, declaring("v/plotter", inputs=["clean.csv"])) == []


def test_a_declared_file_that_many_handle_joins_nobody() -> None:
    readers = [declaring(f"v/reader{i}", inputs=["energies.json"]) for i in range(8)]
    assert edges(declaring("v/writer", outputs=["energies.json"]), *readers) == []


def test_strangers_who_declare_one_name_are_not_joined() -> None:
    fillers = [skill_at(f"{place}/x/{place}{i}") for place in ("here", "there") for i in range(260)]
    writer = declaring("here/x/scene-finder", outputs=["freezes.json"])
    assert edges(writer, declaring("there/x/edit-planner", inputs=["freezes.json"]), *fillers) == []


def test_declared_ends_are_quoted_by_field_and_weigh_more() -> None:
    def edge(writer: Skill, reader: Skill) -> Relation:
        (found,) = build_graph([writer, reader]).graph.relations
        return found

    said = edge(skill_at("v/plan-maker", "Writes `task_plan.md`."), skill_at("v/b", "Reads `task_plan.md`."))
    declared = edge(
        declaring("v/plan-maker", outputs="task_plan.md"), declaring("v/b", inputs="task_plan.md")
    )
    assert declared.confidence == pytest.approx(said.confidence + 0.1)
    assert declared.evidence == Evidence(
        "outputs: task_plan.md ⇒ inputs: task_plan.md", "lib/v/plan-maker#outputs"
    )


def test_hostile_declarations_are_harmless() -> None:
    odd = declaring("v/odd", inputs=[{"name": ["a", {"b": 1}]}, None, 7, {"x": {}}], outputs={"type": [[]]})
    assert edges(odd, declaring("v/even", inputs="\x1b[2Jplan\u202e.md")) == []

"""relations.yaml: what it may say, and what happens when it says it wrongly."""

from __future__ import annotations

import pytest

from skillquiver.graph.build import build_graph
from skillquiver.graph.curated import CuratedFile
from tests.graph.helpers import edges, skill_at, told

SKILLS = (skill_at("a/pdf-forms", "Run `pdf-read` first."), skill_at("a/pdf-read"), skill_at("a/ocr"))


def file(text: str) -> CuratedFile:
    return CuratedFile("lib", "/lib/relations.yaml", text)


def test_a_file_adds_relations_for_one_or_several_targets() -> None:
    text = """
version: 1
relations:
  - source: ocr
    type: precedes
    target: [pdf-read, lib/a/pdf-forms]
    reason: scans first
"""
    build = build_graph([skill_at("a/pdf-forms"), *SKILLS[1:]], curated=[file(text)])
    assert told(build) == ["a/ocr precedes a/pdf-forms", "a/ocr precedes a/pdf-read"]
    assert {(r.provenance.value, r.evidence.quote, r.proposed_by) for r in build.graph.relations} == {
        ("curated", "scans first", ("curated",))
    }


def test_a_curated_relation_overrides_what_a_text_says() -> None:
    text = "version: 1\nrelations: [{source: pdf-read, type: requires, target: pdf-forms}]"
    assert edges(*SKILLS, curated=[file(text)]) == ["a/pdf-read requires a/pdf-forms"]


def test_never_forbids_what_a_text_says() -> None:
    text = "version: 1\nnever: [{source: pdf-read, target: pdf-forms}]"
    assert edges(*SKILLS, curated=[file(text)]) == []


def test_never_with_a_type_forbids_that_type_only() -> None:
    text = "version: 1\nnever: [{source: pdf-forms, type: precedes, target: pdf-read}]"
    assert edges(*SKILLS, curated=[file(text)]) == ["a/pdf-forms requires a/pdf-read"]


FAULTS = [
    ("relations: [{source: ghost, type: requires, target: ocr}]", "relation-target-missing", "'ghost'"),
    ("relations: [{source: ocr, type: needs, target: pdf-read}]", "relations-schema", "no relation type"),
    ("relations: [{source: ocr, type: requires, target: pdf-read, why: x}]", "relations-schema", "'why'"),
    ("relations: [{source: ocr, type: requires, target: pdf-read, confidence: 2}]", "relations-schema", "2"),
    ("relations: {}\nedges: []", "relations-schema", "unknown key 'edges'"),
    ("relations: 3", "relations-schema", "not a list"),
    ("relations: [3]", "relations-schema", "relations[1] is not a map"),
    ("a: [", "relations-syntax", "not YAML"),
    ("never: &x []\nrelations: *x", "relations-syntax", "aliases"),
    ("x: !!python/object/apply:os.system [echo]", "relations-syntax", "not YAML"),
]


@pytest.mark.parametrize(("text", "code", "words"), FAULTS)
def test_a_fault_is_a_finding_and_never_an_error(text: str, code: str, words: str) -> None:
    findings = build_graph(
        [skill_at("a/pdf-read"), skill_at("a/ocr")], curated=[file(f"version: 1\n{text}")]
    ).findings
    assert [f.code for f in findings] == [code]
    assert words in findings[0].message


@pytest.mark.parametrize(("text", "words"), [("version: 2", "version is 2"), ("[1, 2]", "not a map")])
def test_a_file_of_another_shape_is_a_finding(text: str, words: str) -> None:
    (finding,) = build_graph([skill_at("a/ocr")], curated=[file(text)]).findings
    assert (finding.code, words in finding.message) == ("relations-schema", True)


def test_a_shared_name_must_be_written_as_an_id() -> None:
    skills = [
        skill_at("a/ocr", description="Reads scans"),
        skill_at("b/ocr", description="Own rules"),
        SKILLS[1],
    ]
    text = "version: 1\nrelations: [{source: ocr, type: requires, target: pdf-read}]"
    build = build_graph(skills, curated=[file(text)])
    assert build.graph.relations == ()
    assert "2 skills share: lib/a/ocr, lib/b/ocr" in build.findings[0].message


def test_an_empty_file_says_nothing() -> None:
    assert build_graph(SKILLS[1:], curated=[file("")]).findings == ()

"""Frontmatter: what names skills, and what names something else."""

from __future__ import annotations

from skillquiver.graph.build import build_graph
from skillquiver.types import Severity
from tests.graph.helpers import edges, skill_at


def test_prerequisite_skills_with_reasons_become_requirements_with_provenance() -> None:
    skill = skill_at(
        "a/deploy", metadata={"prerequisite-skills": [{"slug": "login", "reason": "needs a token"}]}
    )
    build = build_graph([skill, skill_at("a/login")])
    (edge,) = build.graph.relations
    assert (edge.source, edge.type, edge.target) == ("lib/a/deploy", "requires", "lib/a/login")
    assert (edge.provenance, edge.confidence, edge.proposed_by) == ("curated", 1.0, ("declared",))
    assert edge.evidence.quote == "prerequisite-skills: login (needs a token)"


def test_a_plain_requires_list_of_skills_nearby_is_believed() -> None:
    assert edges(skill_at("a/deploy", metadata={"requires": ["login"]}), skill_at("a/login")) == [
        "a/deploy requires a/login"
    ]


def test_metadata_dependencies_may_name_a_skill() -> None:
    skill = skill_at("a/report", metadata={"metadata": {"dependencies": "files"}})
    assert edges(skill, skill_at("a/files")) == ["a/report requires a/files"]


def test_related_skills_are_found_inside_metadata_as_a_string() -> None:
    skill = skill_at("a/java", metadata={"metadata": {"related-skills": "sql-tuning, devops-pro"}})
    assert edges(skill, skill_at("a/sql-tuning"), skill_at("a/devops-pro")) == [
        "a/devops-pro complements a/java",
        "a/java complements a/sql-tuning",
    ]


def test_pip_dependencies_and_binaries_are_no_skills() -> None:
    skill = skill_at("a/stats", metadata={"dependencies": ["pandas>=2"], "requires": {"bins": ["git"]}})
    build = build_graph([skill, skill_at("a/pandas"), skill_at("a/git")])
    assert build.graph.relations == ()
    assert build.findings == ()


def test_unpinned_packages_under_dependencies_are_no_skills() -> None:
    assert edges(skill_at("a/stats", metadata={"dependencies": ["pandas"]}), skill_at("a/pandas")) == []


def test_requires_that_lists_a_tool_the_skill_runs_is_no_skill() -> None:
    skill = skill_at("a/stats", metadata={"requires": ["git"]}, tools=("git",))
    assert edges(skill, skill_at("a/git")) == []


def test_a_list_that_mixes_skills_with_other_names_is_not_a_list_of_skills() -> None:
    skill = skill_at("a/stats", metadata={"requires": ["login", "numpy"]})
    assert edges(skill, skill_at("a/login")) == []


def test_skills_inside_requires_are_named_as_such() -> None:
    skill = skill_at("a/memory", metadata={"metadata": {"bot": {"requires": {"skills": ["git-notes"]}}}})
    assert edges(skill, skill_at("a/git-notes")) == ["a/memory requires a/git-notes"]


def test_a_missing_target_is_a_finding() -> None:
    build = build_graph([skill_at("a/deploy", metadata={"related-skills": ["ghost"]})])
    (finding,) = build.findings
    assert (finding.code, finding.severity) == ("relation-target-missing", Severity.WARNING)
    assert "'ghost'" in finding.message


def test_superseded_by_is_read_from_the_other_end() -> None:
    skill = skill_at("a/old", metadata={"superseded_by": "new"})
    assert edges(skill, skill_at("a/new")) == ["a/new supersedes a/old"]


def test_declared_values_of_any_shape_are_survived() -> None:
    odd = {"requires": 3, "related-skills": [None, 4, {"x": 1}, ""], "conflicts-with": {"a": {"b": "c"}}}
    assert edges(skill_at("a/odd", metadata=odd)) == []

"""The contract of ``skillquiver.candidate_sources``: run it over your own source as well."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from skillquiver.graph.build import builtin_sources
from skillquiver.graph.relations import Provenance
from skillquiver.graph.sources import Candidate, CandidateSource, Corpus
from skillquiver.testing import HashEncoder
from tests.graph.helpers import skill_at

SKILLS = [
    skill_at("one/alpha-tool", "## Next steps\n\nRun `beta-tool` first. Writes `alpha.csv`.", tools=("zap",)),
    skill_at(
        "one/beta-tool", "Reads `alpha.csv`.", tools=("zap",), metadata={"related-skills": ["alpha-tool"]}
    ),
    skill_at("two/alpha-tool", "Odd \x00 text `` ``` [[", description="Does alpha-tool. 将 CSV 转换"),
    skill_at("two/empty", "", description=""),
]


@pytest.fixture
def corpus() -> Corpus:
    ordered = sorted(SKILLS, key=lambda s: s.id)
    return Corpus.of(SKILLS, HashEncoder().encode([s.description for s in ordered]))


@pytest.mark.parametrize("source", builtin_sources(), ids=lambda s: s.name)
class TestCandidateSource:
    def test_it_fulfils_the_protocol(self, source: CandidateSource) -> None:
        assert isinstance(source, CandidateSource)

    def test_it_proposes_the_same_candidates_each_time(self, source: CandidateSource, corpus: Corpus) -> None:
        assert list(source.candidates(corpus)) == list(source.candidates(corpus))

    def test_its_candidates_are_pairs_of_known_skills_under_its_name(
        self, source: CandidateSource, corpus: Corpus
    ) -> None:
        for candidate in source.candidates(corpus):
            assert isinstance(candidate, Candidate)
            assert candidate.source in corpus.position
            assert candidate.target in corpus.position
            assert candidate.source != candidate.target
            assert candidate.proposed_by == source.name
            assert 0 < candidate.weight <= 1
            assert isinstance(candidate.provenance, Provenance)

    def test_it_survives_an_empty_library_and_a_single_skill(self, source: CandidateSource) -> None:
        assert list(source.candidates(Corpus.of([]))) == []
        assert list(source.candidates(Corpus.of(SKILLS[:1]))) == []


def test_every_built_in_source_is_registered_in_the_group() -> None:
    import tomllib
    from pathlib import Path

    project = Path(__file__).parents[2] / "pyproject.toml"
    group = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"]
    registered = group["skillquiver.candidate_sources"]
    assert sorted(registered) == sorted(source.name for source in builtin_sources())
    for name, value in registered.items():
        assert EntryPoint(name, value, "").load()().name == name

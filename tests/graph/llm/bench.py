"""One small library, and a bench that judges it as often as a test wants."""

from __future__ import annotations

from typing import Any

from skillquiver.graph.llm.cache import SqliteJudgmentCache
from skillquiver.graph.llm.judge import LlmRun, judge_with_llm
from skillquiver.settings import LlmSettings
from skillquiver.skills.records import Skill
from skillquiver.testing import make_skill
from tests.graph.llm.provider import LocalProvider
from tests.graph.llm.support import ONE_BY_ONE, Client, ClientMaker, RecordingClock

PARSE = make_skill("parse", "Parses reports.", "# Parse\n\nWrites rows.csv for the chart.\n")
CHART = make_skill(
    "chart", "Draws charts.", "# Chart\n\n## Before you start\n\nRun the parser   first,\nalways.\n"
)
TABLE = make_skill("table", "Draws tables.", "# Table\n\nNothing else.\n")
SKILLS = (PARSE, CHART, TABLE)
STAR = {CHART.id: (PARSE.id, TABLE.id)}
FACTS = (("test/chart", "requires", "test/parse"), ("test/chart", "alternative_to", "test/table"))


class Bench:
    """One library, one provider, one cache; runs as often as a test wants."""

    def __init__(
        self, provider: LocalProvider, connect: ClientMaker, cache: SqliteJudgmentCache, clock: RecordingClock
    ) -> None:
        self.provider, self.connect, self.cache, self.clock = provider, connect, cache, clock
        self.clients: dict[Any, Client] = {}

    def run(
        self,
        skills: tuple[Skill, ...] = SKILLS,
        candidates: Any = None,
        settings: LlmSettings = ONE_BY_ONE,
        protocol: str = "openai",
    ) -> LlmRun:
        """Judge ``skills``; by default the star around ``chart``."""
        if (protocol, settings) not in self.clients:
            self.clients[protocol, settings] = self.connect(protocol, settings)
        return judge_with_llm(
            skills,
            STAR if candidates is None else candidates,
            client=self.clients[protocol, settings],
            cache=self.cache,
            settings=settings,
            clock=self.clock,
        )


def edges(run: LlmRun) -> list[tuple[str, str, str]]:
    """(source, type, target) by name."""
    return [
        (r.source.removeprefix("test/"), r.type.value, r.target.removeprefix("test/")) for r in run.relations
    ]

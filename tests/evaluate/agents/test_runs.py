from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillquiver.evaluate.agents.runs import EpisodeKey, RunLog

KEY = EpisodeKey("game\u2028one", "none", "m", 1)

EPISODE = {
    "kind": "episode",
    "end": "done",
    "why": "",
    "reward": 1.0,
    "input_tokens": 10,
    "output_tokens": 2,
    "seconds": 1.5,
}


def test_a_separator_of_lines_within_a_name_ends_no_line(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    with RunLog(file) as log:
        log.begin(KEY)
        log.end(KEY, EPISODE)
    with RunLog(file) as log:
        assert list(log.episodes) == [KEY]
        assert log.unreadable == 0


@pytest.mark.parametrize(
    "damage", [{"reward": float("nan")}, {"input_tokens": float("inf")}, {"trial": float("inf")}]
)
def test_a_line_with_a_number_that_is_none_is_no_record(damage: dict[str, Any], tmp_path: Path) -> None:
    row = {"game": "g", "arm": "none", "model": "m", "trial": 1, "attempt": 1, **EPISODE, **damage}
    (tmp_path / "runs.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with RunLog(tmp_path / "runs.jsonl") as log:
        assert log.episodes == {}
        assert log.unreadable == 1

from __future__ import annotations

import sys
from contextlib import ExitStack

import pytest

from skillquiver.index.progress import Stage, silent
from skillquiver.serve.cli.index_command import _progress


def test_a_terminal_sees_one_bar_a_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ExitStack() as stack:
        tell = _progress(stack, quiet=False)
        tell(Stage.READ, 0, 0)
        tell(Stage.READ, 3, 3)
        tell(Stage.VECTORS, 1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert all(stage in err for stage in (Stage.READ, Stage.VECTORS, "3/3", "1/2"))
    assert Stage.LEXICAL not in err


def test_whoever_wants_json_sees_no_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ExitStack() as stack:
        assert _progress(stack, quiet=True) is silent

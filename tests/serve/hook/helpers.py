"""Hooks started as hosts start them: a process, an event on standard input, one document back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def environment(**more: str) -> dict[str, str]:
    """The environment of a child that imports what this process imports."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path, **more}


def hook(
    name: str, event: object, *words: str, library: Path, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run ``quiver hook NAME``; bytes are given as they are, anything else as JSON."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    return subprocess.run(
        [sys.executable, "-m", "skillquiver", "hook", name, *words],
        input=data,
        capture_output=True,
        env=environment(QUIVER_LIBRARY=str(library), **more),
        check=False,
    )


def document_of(run: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    """The one JSON document that a run printed, and nothing else; the run ended with 0."""
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == 1
    found = json.loads(lines[0])
    assert isinstance(found, dict)
    return found


def context_of(run: subprocess.CompletedProcess[bytes]) -> str:
    """The context that a run adds."""
    told = document_of(run)["hookSpecificOutput"]
    assert sorted(told) == ["additionalContext", "hookEventName"]
    text = told["additionalContext"]
    assert isinstance(text, str)
    return text

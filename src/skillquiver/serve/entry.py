"""Where the command starts: hooks take a short way, everything else goes through the command group."""

from __future__ import annotations

import sys

__all__ = ["HOOKS", "main"]

HOOKS = ("prompt", "tool", "session")
"""Commands below ``quiver hook`` that a host starts and waits for."""


def main() -> None:
    """Run ``quiver``. Hooks do not import the command group, which would take longer than they do."""
    words = sys.argv[1:]
    if len(words) > 1 and words[0] == "hook" and words[1] in HOOKS and not {"-h", "--help"} & set(words):
        from skillquiver.serve.hook.process import run

        run(words[1], words[2:])
    from skillquiver.serve.cli import main as group

    group(prog_name="quiver")

"""What `make demo` shows: the sample library, and any skills found on this machine, answer a task."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build" / "demo-library"


def quiver(*arguments: str) -> None:
    """Show a command, then run it on the demo's own library."""
    print(f"\n$ quiver {' '.join(_quoted(a) for a in arguments)}", flush=True)
    command = [sys.executable, "-m", "skillquiver", *arguments, "--library", str(LIBRARY)]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit("make demo: the command above failed")


def _quoted(argument: str) -> str:
    return f'"{argument[:70]}…"' if len(argument) > 70 else f'"{argument}"' if " " in argument else argument


def main() -> None:
    """Index, read the relations, search, and pack a bundle for a task of several steps."""
    task = (ROOT / "examples" / "demo-task.txt").read_text(encoding="utf-8").strip()
    quiver("index", f"samples={ROOT / 'examples' / 'skills'}", "--hosts")
    quiver("graph", "build")
    quiver("search", "my monthly numbers arrive as CSV and my boss wants a spreadsheet", "--top-k", "3")
    print(f"\nThe task: {task}")
    quiver("bundle", task, "--budget", "4000", "--explain")
    print(f"\nThis library lies in {LIBRARY.relative_to(ROOT)}; `make clean` removes it.")


if __name__ == "__main__":
    main()

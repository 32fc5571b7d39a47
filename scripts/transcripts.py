"""Runs the console blocks of the documentation and writes their real output back.

    python scripts/transcripts.py

A block is run if the line before its fence is a marker such as `<!-- run: lines=12 also=tokens$ exit=1 -->`:
keep the first 12 lines of each command's output (all of it by default) and those that match `also`, with `…`
for the rest, and expect exit code 1 of the last command. Each page starts with an empty library, in a folder
that holds nothing but a copy of `examples/`. `quiver` runs in this process, everything else in bash.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "tutorial.md",
    ROOT / "docs" / "evaluation.md",
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
    *sorted((ROOT / "docs" / "hosts").glob("*.md")),
)
SHOWN_HOME = "/home/you/skillquiver"
"""What the temporary folder's path is printed as."""

_BLOCK = re.compile(
    r"<!-- run(?P<options>:[^>]*)? -->\n(?P<fence>`{3,})console\n(?P<text>.*?)\n(?P=fence)\n", re.DOTALL
)
_CAT = re.compile(r"\$\(cat ([\w./-]+)\)")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a block: what it printed, and how it exited."""

    command: str
    output: str
    code: int


@dataclass(frozen=True, slots=True)
class Block:
    """A runnable block of a page. ``exit`` is what its last command must exit with."""

    start: int
    end: int
    text: str
    marker: str
    lines: int
    also: str
    exit: int

    @property
    def commands(self) -> list[str]:
        """The commands, without their prompts."""
        return [line[2:] for line in self.text.splitlines() if line.startswith("$ ")]


def blocks(page: str) -> list[Block]:
    """Return the runnable blocks of a page, in order."""
    found = []
    for match in _BLOCK.finditer(page):
        options = dict(part.split("=", 1) for part in (match["options"] or "").strip(": ").split())
        marker = page[match.start() : match.start("fence")]
        lines, code = int(options.get("lines", 10**6)), int(options.get("exit", 0))
        also = options.get("also", "")
        found.append(Block(match.start(), match.end(), match["text"], marker, lines, also, code))
    return found


def run(commands: Sequence[str], folder: Path) -> Iterator[Step]:
    """Run commands in ``folder``, the working folder, one after the other."""
    for command in commands:
        words = shlex.split(_CAT.sub(lambda m: (folder / m[1]).read_text(encoding="utf-8").strip(), command))
        if words[0] != "quiver":
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, capture_output=True, encoding="utf-8", check=False
            )
            yield Step(command, done.stdout + done.stderr, done.returncode)
            continue
        from click.testing import CliRunner

        from skillquiver.serve.cli import main

        environment = {"QUIVER_LIBRARY": str(folder / "library")}
        result = CliRunner().invoke(main, words[1:], prog_name="quiver", env=environment)
        yield Step(command, result.output.replace(str(folder), SHOWN_HOME), result.exit_code)


def rewritten(block: Block, steps: Sequence[Step]) -> str:
    """Return the block with fresh output."""
    lines: list[str] = []
    for step in steps:
        lines += [f"$ {step.command}", *_shortened(step.output.rstrip("\n").splitlines(), block)]
    text = "\n".join(lines)
    fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1)
    return f"{block.marker}{fence}console\n{text}\n{fence}\n"


def _shortened(output: Sequence[str], block: Block) -> Iterator[str]:
    skipped = False
    for number, line in enumerate(output):
        kept = number < block.lines or bool(block.also and re.search(block.also, line))
        if kept or not skipped:
            yield line if kept else "…"
        skipped = not kept


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Yield a temporary working folder that holds a copy of the sample library."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(ROOT / "examples", folder / "examples")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def main() -> None:
    """Rewrite every page."""
    for file in PAGES:
        page = file.read_text(encoding="utf-8")
        with workplace() as folder:
            fresh = [(block, list(run(block.commands, folder))) for block in blocks(page)]
        for block, steps in reversed(fresh):
            if steps[-1].code != block.exit:
                print(f"{file.name}: `{steps[-1].command}` exits with {steps[-1].code}, not {block.exit}")
            page = page[: block.start] + rewritten(block, steps) + page[block.end :]
        file.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Seconds that Markdown parsers need for every SKILL.md below a folder, frontmatter left out.

    pip install markdown-it-py
    python benchmarks/markdown_parsers.py FOLDER [--every N]

Both parsers get the same texts, tables enabled, and give events with source positions: what the engine
needs of a parser. Times are process CPU seconds, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from skillquiver.settings import DEFAULT_READ
from skillquiver.skills.frontmatter import split_frontmatter


def bodies(folder: Path, every: int) -> list[str]:
    """Return the body of every ``every``-th skill file, in order of path."""
    files = sorted(folder.rglob("SKILL.md"))[::every]
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]
    return [split_frontmatter(text, "", DEFAULT_READ).body for text in texts]


def pyromark_parser() -> Callable[[str], object]:
    """Return pyromark's events with ranges."""
    import pyromark

    options = pyromark.Options.ENABLE_TABLES
    return lambda text: list(pyromark.events_with_range(text, options=options))


def markdown_it_parser() -> Callable[[str], object]:
    """Return markdown-it-py's tokens."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    return parser.parse


PARSERS = {"pyromark": pyromark_parser, "markdown-it-py": markdown_it_parser}


def main() -> None:
    """Parse with each parser and print one line for each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--every", type=int, default=1, help="take every N-th file only")
    given = options.parse_args()
    texts = bodies(given.folder, given.every)
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    print(f"{len(texts):,} texts, {size / 1e6:.1f} MB")
    for name, make in PARSERS.items():
        try:
            parse = make()
        except ModuleNotFoundError:
            print(f"{name}: not installed")
            continue
        parse("# warm up\n")
        started = time.process_time()
        for text in texts:
            parse(text)
        seconds = time.process_time() - started
        print(f"{name} {version(name)}: {seconds:.2f} s, {size / 1e6 / seconds:.1f} MB/s")


if __name__ == "__main__":
    main()

"""What the tests of the documentation share: its pages, and what is in them."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *DOCS.rglob("*.md"),
        ROOT / "examples" / "README.md",
        *(ROOT / "benchmarks").glob("*.md"),
    ]
)
DECISIONS = DOCS / "decisions"
DATA_MODEL = DOCS / "data-model.md"

FENCED = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)[ ]*$", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+?) *$", re.MULTILINE)


def script(name: str) -> ModuleType:
    """Load a module out of scripts/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REFERENCE = script("reference")
TRANSCRIPTS = script("transcripts")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """A page without its fenced blocks and inline code."""
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", text_of(page)))


def blocks_of(page: Path, language: str) -> list[str]:
    return [match["text"] for match in FENCED.finditer(text_of(page)) if match["language"] == language]


def anchors_of(page: Path) -> set[str]:
    """Anchors as mkdocs and code hosts make them: lower case, punctuation dropped, blanks to hyphens."""
    titles = HEADING.findall(FENCED.sub("", text_of(page)))
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-") for title in titles}


def tables_of(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """(the section a table stands in, its rows as cells without the head)."""
    bare = FENCED.sub("", text)
    for section in re.split(r"^(?=#{1,6} )", bare, flags=re.MULTILINE):
        for table in re.findall(r"(?:^\|.*\|[ ]*\n?)+", section, re.MULTILINE):
            rows = [
                [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()
            ]
            yield section, rows[2:]


def section_of(page: Path, title: str) -> str:
    found = re.search(
        rf"^(#+) {re.escape(title)}$\n(.*?)(?=^#{{1,3}} |\Z)", text_of(page), re.DOTALL | re.MULTILINE
    )
    assert found, f"{name_of(page)} has no section {title!r}"
    return found[2]

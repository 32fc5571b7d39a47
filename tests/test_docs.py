"""The documentation resolves, runs, and says where its figures come from."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
import pytest

from skillquiver.index.encoders import open_encoder
from skillquiver.serve.cli import main
from skillquiver.serve.cli.main import COMMANDS
from skillquiver.serve.usecases import indexing, library
from skillquiver.types import Encoder
from tests.documents import (
    DECISIONS,
    DOCS,
    LINK,
    PAGES,
    ROOT,
    TRANSCRIPTS,
    anchors_of,
    blocks_of,
    name_of,
    prose_of,
    tables_of,
    text_of,
)

# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_internal_link_and_anchor_resolves(page: Path) -> None:
    for target in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), target
        if anchor:
            assert anchor in anchors_of(goal), target


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=name_of)
def test_links_of_the_site_stay_inside_the_site(page: Path) -> None:
    for target in LINK.findall(prose_of(page)):
        if not re.match(r"[a-z]+:|#", target):
            assert (page.parent / target.partition("#")[0]).resolve().is_relative_to(DOCS), target


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [
        page for page in DOCS.rglob("*.md") if f" {page.relative_to(DOCS).as_posix()}\n" not in f"{nav}\n"
    ] == []


# --- blocks --------------------------------------------------------------------------------------


def _commands(page: Path) -> Iterator[list[str]]:
    """Words after `quiver` of every quiver command shown, up to a pipe or redirection."""
    for block in blocks_of(page, "console"):
        for line in block.splitlines():
            if not line.startswith("$ "):
                continue
            tokens = shlex.shlex(line[2:], posix=True, punctuation_chars="|<>;&")
            tokens.whitespace_split, tokens.commenters = True, "#"
            words = list(tokens)
            for at, word in enumerate(words):
                if word in ("quiver", "skillquiver") and (
                    at == 0 or words[at - 1] in ("|", ";", "&&", "uvx")
                ):
                    rest = words[at + 1 :]
                    ends = [i for i, w in enumerate(rest) if set(w) <= set("|<>;&")]
                    yield rest[: ends[0]] if ends else rest


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_quiver_command_shown_is_one_the_program_takes(page: Path, tmp_path: Path) -> None:
    for words in _commands(page):
        if words == ["--version"]:
            continue
        given = [w for i, w in enumerate(words) if words[i - 1] == "--queries" or w.endswith("report.json")]
        arguments = [__file__ if word in given else word for word in words]
        context = click.Context(main, **main.context_settings)
        group: click.Group | None = main
        while group is not None:
            command = group.get_command(context, arguments[0])
            assert command is not None, words
            group = command if isinstance(command, click.Group) else None
            context = command.make_context(arguments[0], arguments[1:], parent=context)
            arguments = arguments[1:]


class _Remembering:
    """The packaged encoder; every page indexes the same skills, and encoding them is most of its time."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.name, self.dimension = encoder, encoder.name, encoder.dimension
        self.known: dict[str, npt.NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.encoder.encode(new), strict=True))
        return np.stack([self.known[text] for text in texts])


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return _Remembering(open_encoder())


@pytest.mark.parametrize("page", TRANSCRIPTS.PAGES, ids=name_of)
def test_runnable_blocks_run_exit_as_stated_and_still_name_the_skills_they_show(
    page: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (indexing, library):
        monkeypatch.setattr(module, "open_encoder", lambda _: encoder)
    blocks = TRANSCRIPTS.blocks(text_of(page))
    with TRANSCRIPTS.workplace() as folder:
        for block in blocks:
            steps = list(TRANSCRIPTS.run(block.commands, folder))
            assert steps[-1].code == block.exit, steps[-1]
            printed = "\n".join(f"{step.command}\n{step.output}" for step in steps)
            shown = set(re.findall(r"\b(?:samples|data|media)/[\w./-]+", block.text))
            missing = sorted(name for name in shown if name not in printed)
            assert not missing, f"run `python scripts/transcripts.py`: {missing}"


def test_readme_and_tutorial_show_a_run_of_every_command() -> None:
    shown = "\n".join(block.text for page in TRANSCRIPTS.PAGES for block in TRANSCRIPTS.blocks(text_of(page)))
    assert [name for name in COMMANDS if f"$ quiver {name}" not in shown] == []


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "python")], ids=name_of)
def test_every_python_block_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks_of(page, "python"):
        exec(compile(block, name_of(page), "exec"), {"__name__": "documentation"})


def test_the_encoder_of_the_how_to_keeps_the_protocol() -> None:
    scope: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(blocks_of(DOCS / "how-to" / "encoder.md", "python")[0], "encoder.md", "exec"), scope)
    encoder = scope["open_letters"]()
    assert isinstance(encoder, Encoder)
    rows = encoder.encode(["ab", ""])
    assert rows.shape == (2, encoder.dimension)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)


def test_the_recall_of_the_how_to_is_the_mean_share_of_gold_skills_found(tmp_path: Path) -> None:
    queries = [
        {"query_id": "1", "gold": ["a", "b"]},
        {"query_id": "2", "gold": ["c"]},
        {"query_id": "3", "gold": []},
    ]
    run = [
        {"query_id": "1", "ranked": ["x", "a"]},
        {"query_id": "2", "ranked": ["c"]},
        {"query_id": "3", "ranked": []},
    ]
    for name, rows in (("queries", queries), ("run", run)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    scope: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(blocks_of(DOCS / "how-to" / "batch.md", "python")[0], "batch.md", "exec"), scope)
    assert scope["recall"](tmp_path / "queries", tmp_path / "run") == 0.75  # (1/2 + 1/1) / 2


# --- figures ---------------------------------------------------------------------------------------


def _is_figures(rows: list[list[str]]) -> bool:
    """Whether at least half of the cells after the first column are numbers."""
    cells = [cell for row in rows for cell in row[1:]]
    numbers = sum(bool(re.match(r"[*~≤≥<>−-]*\.?\d[\d.,]*", cell)) for cell in cells)
    return bool(cells) and numbers * 2 >= len(cells)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_table_of_figures_names_the_command_that_measured_it(page: Path) -> None:
    generated = (DOCS / "reference").resolve()
    if page.is_relative_to(generated):
        pytest.skip("generated from the code")
    told = r"[Mm]easured|by eye" if page.is_relative_to(DECISIONS) else r"Measured with `"
    for section, rows in tables_of(text_of(page)):
        if _is_figures(rows):
            assert re.search(told, section), f"say `Measured with ...` beside the table: {rows[0]}"


def test_tables_of_figures_are_told_from_tables_of_words() -> None:
    assert _is_figures([["search", "12 ms"], ["show", "~3.5 ms"]])
    assert not _is_figures([["0", "Done."], ["1", "Nothing found."]])

"""The documentation resolves, runs, and names everything there is."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import shlex
import sqlite3
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from skillquiver import __version__, settings
from skillquiver.index.encoders import open_encoder
from skillquiver.index.schema import SCHEMA, SCHEMA_VERSION
from skillquiver.index.sync import SyncOptions
from skillquiver.serve.cli import main
from skillquiver.serve.cli.main import COMMANDS
from skillquiver.serve.usecases import indexing, library
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.skills.findings import FAULTS
from skillquiver.skills.records import Skill, TokenCounts
from skillquiver.types import Encoder, Finding

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

_FENCED = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)[ ]*$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+?) *$", re.MULTILINE)


def _script(name: str) -> ModuleType:
    """Load a module out of scripts/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REFERENCE = _script("reference")
TRANSCRIPTS = _script("transcripts")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _prose(page: Path) -> str:
    """A page without its fenced blocks and inline code."""
    return re.sub(r"`[^`\n]*`", "", _FENCED.sub("", _text(page)))


def _blocks(page: Path, language: str) -> list[str]:
    return [match["text"] for match in _FENCED.finditer(_text(page)) if match["language"] == language]


def _anchors(page: Path) -> set[str]:
    """Anchors as mkdocs and code hosts make them: lower case, punctuation dropped, blanks to hyphens."""
    titles = _HEADING.findall(_FENCED.sub("", _text(page)))
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-") for title in titles}


def _tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """(the section a table stands in, its rows as cells without the head)."""
    bare = _FENCED.sub("", text)
    for section in re.split(r"^(?=#{1,6} )", bare, flags=re.MULTILINE):
        for table in re.findall(r"(?:^\|.*\|[ ]*\n?)+", section, re.MULTILINE):
            rows = [
                [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()
            ]
            yield section, rows[2:]


def _section(page: Path, title: str) -> str:
    found = re.search(
        rf"^(#+) {re.escape(title)}$\n(.*?)(?=^#{{1,3}} |\Z)", _text(page), re.DOTALL | re.MULTILINE
    )
    assert found, f"{_name(page)} has no section {title!r}"
    return found[2]


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_internal_link_and_anchor_resolves(page: Path) -> None:
    for target in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), target
        if anchor:
            assert anchor in _anchors(goal), target


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=_name)
def test_links_of_the_site_stay_inside_the_site(page: Path) -> None:
    for target in _LINK.findall(_prose(page)):
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
    for block in _blocks(page, "console"):
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


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_quiver_command_shown_is_one_the_program_takes(page: Path, tmp_path: Path) -> None:
    for words in _commands(page):
        if words == ["--version"]:
            continue
        command = main.get_command(click.Context(main), words[0])
        assert command is not None, words
        arguments = [str(Path(__file__)) if words[i] == "--queries" else w for i, w in enumerate(words[1:])]
        command.make_context(words[0], arguments, parent=click.Context(main, **main.context_settings))


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


@pytest.mark.parametrize("page", TRANSCRIPTS.PAGES, ids=_name)
def test_runnable_blocks_run_exit_as_stated_and_still_name_the_skills_they_show(
    page: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (indexing, library):
        monkeypatch.setattr(module, "open_encoder", lambda name: encoder)
    blocks = TRANSCRIPTS.blocks(_text(page))
    with TRANSCRIPTS.workplace() as folder:
        for block in blocks:
            steps = list(TRANSCRIPTS.run(block.commands, folder))
            assert steps[-1].code == block.exit, steps[-1]
            printed = "\n".join(f"{step.command}\n{step.output}" for step in steps)
            shown = set(re.findall(r"\b(?:samples|data|media)/[\w./-]+", block.text))
            missing = sorted(name for name in shown if name not in printed)
            assert not missing, f"run `python scripts/transcripts.py`: {missing}"


def test_readme_and_tutorial_show_a_run_of_every_command() -> None:
    shown = "\n".join(block.text for page in TRANSCRIPTS.PAGES for block in TRANSCRIPTS.blocks(_text(page)))
    assert [name for name in COMMANDS if f"$ quiver {name}" not in shown] == []


@pytest.mark.parametrize("page", [page for page in PAGES if _blocks(page, "python")], ids=_name)
def test_every_python_block_runs(page: Path) -> None:
    for block in _blocks(page, "python"):
        exec(compile(block, _name(page), "exec"), {"__name__": "documentation"})


def test_the_encoder_of_the_how_to_keeps_the_protocol() -> None:
    scope: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(_blocks(DOCS / "how-to" / "encoder.md", "python")[0], "encoder.md", "exec"), scope)
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
    exec(compile(_blocks(DOCS / "how-to" / "batch.md", "python")[0], "batch.md", "exec"), scope)
    assert scope["recall"](tmp_path / "queries", tmp_path / "run") == 0.75  # (1/2 + 1/1) / 2


# --- what must be documented -----------------------------------------------------------------------


@pytest.mark.parametrize("page", sorted(REFERENCE.PAGES))
def test_a_reference_page_is_what_the_code_says(page: str) -> None:
    assert _text(DOCS / "reference" / page) == REFERENCE.PAGES[page](), "run `python scripts/reference.py`"


def test_every_command_and_option_is_documented_and_has_help() -> None:
    page = _text(DOCS / "reference" / "cli.md")
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert f"## quiver {name}\n" in page
        assert command.help
        for option in (p for p in command.params if isinstance(p, click.Option)):
            assert option.help, option.name
            assert all(f"`{opt}" in page or f", {opt}" in page for opt in option.opts)


def test_every_setting_is_documented_with_its_reason() -> None:
    page = _text(DOCS / "reference" / "settings.md")
    for value in vars(settings).values():
        if dataclasses.is_dataclass(value) and isinstance(value, type):
            for field in dataclasses.fields(value):
                assert re.search(rf"^\| `{field.name}` \| `[^|]*` \| \S.* \|$", page, re.MULTILINE), (
                    field.name
                )


def test_every_finding_code_is_documented() -> None:
    page = _text(DOCS / "findings.md")
    assert [code for code in FAULTS if f"| `{code}` |" not in page] == []


def test_every_entry_point_group_has_a_how_to() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = "\n".join(_text(page) for page in (DOCS / "how-to").glob("*.md"))
    assert [group for group in project["entry-points"] if f'"{group}"' not in pages] == []


def test_every_decision_has_its_number_once_and_is_cited_by_an_existing_number() -> None:
    pages = [page.name[:4] for page in DECISIONS.glob("[0-9]*.md")]
    assert len(pages) == len(set(pages))


def test_the_changelog_begins_with_unreleased_and_knows_the_package_version() -> None:
    text = _text(ROOT / "CHANGELOG.md")
    first, *rest = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert first == "Unreleased"
    released = [re.match(r"\[?([\w.]+)", title)[1] for title in rest]  # type: ignore[index]
    assert released[0] == __version__ if released else f"What {__version__} will have" in text


def test_the_changelog_names_the_index_format() -> None:
    assert f"Index format {SCHEMA_VERSION}" in _text(ROOT / "CHANGELOG.md")


# --- data model ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("record", "title"), [(Skill, "Skill"), (Finding, "Finding")])
def test_every_field_of_a_record_is_described_in_the_data_model(record: type, title: str) -> None:
    section = _section(DATA_MODEL, title)
    names = [field.name for field in dataclasses.fields(record)]
    assert [name for name in names if f"`{name}`" not in section] == []


def test_the_described_skill_fields_are_those_of_the_record_in_its_meaning() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", _section(DATA_MODEL, "Skill"), re.MULTILINE)
    assert set(listed) == {field.name for field in dataclasses.fields(Skill)}
    assert all(
        f"`{field.name}`" in _section(DATA_MODEL, "Skill") for field in dataclasses.fields(TokenCounts)
    )


def test_every_table_and_column_of_the_store_is_described() -> None:
    section = _section(DATA_MODEL, "SQLite schema")
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in (name for name in tables if not name.startswith("sqlite_")):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        assert [name for name in (table, *columns) if f"`{name}`" not in section] == []
    database.close()
    assert f"is the format: {SCHEMA_VERSION}." in section


@pytest.fixture(scope="module")
def sample_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("documented") / "library"
    index_library(folder, [f"samples={ROOT / 'examples' / 'skills'}"], options=SyncOptions(vectors=False))
    return folder


def _keys(value: Any, *, skip: tuple[str, ...]) -> Iterator[str]:
    """Keys of a document at any depth, except below keys whose own keys are data."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in skip:
                yield from _keys(item, skip=skip)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item, skip=skip)


@pytest.mark.parametrize(
    ("title", "words", "skip"),
    [
        ("index", ["index"], ("findings",)),
        ("search", ["search", "cut a film", "--explain"], ("channels", "terms")),
        ("search", ["search", "--queries", str(ROOT / "examples" / "queries.jsonl"), "--top-k", "1"], ()),
        ("bundle", ["bundle", "cut a film", "--budget", "600"], ()),
        ("doctor", ["doctor"], ("counts", "findings")),
        ("Errors", ["show", "load-csvv"], ()),
    ],
)
def test_every_key_of_a_json_document_is_described(
    sample_library: Path, title: str, words: list[str], skip: tuple[str, ...]
) -> None:
    environment = {"QUIVER_LIBRARY": str(sample_library)}
    answer = CliRunner().invoke(main, [*words, "--json"], env=environment)
    section = _section(DATA_MODEL, title)
    documents = (
        map(json.loads, answer.stdout.splitlines()) if "--queries" in words else [json.loads(answer.stdout)]
    )
    keys = {key for document in documents for key in _keys(document, skip=skip)}
    assert keys
    assert [key for key in sorted(keys) if not re.search(rf"[`.]{key}`", section)] == []


# --- figures ---------------------------------------------------------------------------------------


def _is_figures(rows: list[list[str]]) -> bool:
    """Whether at least half of the cells after the first column are numbers."""
    cells = [cell for row in rows for cell in row[1:]]
    numbers = sum(bool(re.match(r"[*~≤≥<>−-]*\.?\d[\d.,]*", cell)) for cell in cells)
    return bool(cells) and numbers * 2 >= len(cells)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_table_of_figures_names_the_command_that_measured_it(page: Path) -> None:
    generated = (DOCS / "reference").resolve()
    if page.is_relative_to(generated):
        pytest.skip("generated from the code")
    told = r"[Mm]easured|by eye" if page.is_relative_to(DECISIONS) else r"Measured with `"
    for section, rows in _tables(_text(page)):
        if _is_figures(rows):
            assert re.search(told, section), f"say `Measured with ...` beside the table: {rows[0]}"


def test_tables_of_figures_are_told_from_tables_of_words() -> None:
    assert _is_figures([["search", "12 ms"], ["show", "~3.5 ms"]])
    assert not _is_figures([["0", "Done."], ["1", "Nothing found."]])

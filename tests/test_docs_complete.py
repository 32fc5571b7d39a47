"""The documentation names every command, option, setting, finding, field, table and JSON key."""

from __future__ import annotations

import dataclasses
import json
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from skillquiver import __version__, settings
from skillquiver.index.schema import SCHEMA, SCHEMA_VERSION
from skillquiver.index.sync import SyncOptions
from skillquiver.serve.cli import main
from skillquiver.serve.usecases.graphs import build_library_graph
from skillquiver.serve.usecases.indexing import index_library
from skillquiver.skills.findings import FAULTS
from skillquiver.skills.records import Skill, TokenCounts
from skillquiver.types import Finding
from tests.documents import DATA_MODEL, DECISIONS, DOCS, REFERENCE, ROOT, section_of, text_of

# --- what must be documented -----------------------------------------------------------------------


@pytest.mark.parametrize("page", sorted(REFERENCE.PAGES))
def test_a_generated_page_is_what_the_code_says(page: str) -> None:
    assert text_of(DOCS / page) == REFERENCE.PAGES[page](), "run `python scripts/reference.py`"


def _every_command(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _every_command(command, f"{path} {name}")


def test_every_command_and_option_is_documented_and_has_help() -> None:
    page = text_of(DOCS / "reference" / "cli.md")
    for path, command in _every_command(main, "quiver"):
        assert re.search(rf"^#+ {path}$", page, re.MULTILINE), path
        assert command.help
        for option in (p for p in command.params if isinstance(p, click.Option)):
            assert option.help, (path, option.name)
            assert all(f"`{opt}" in page or f", {opt}" in page for opt in option.opts)


def test_every_setting_is_documented_with_its_reason() -> None:
    page = text_of(DOCS / "reference" / "settings.md")
    for value in (getattr(settings, name) for name in settings.__all__):
        if dataclasses.is_dataclass(value) and isinstance(value, type):
            for field in dataclasses.fields(value):
                assert re.search(rf"^\| `{field.name}` \| `[^|]*` \| \S.* \|$", page, re.MULTILINE), (
                    field.name
                )


def test_every_finding_code_is_documented() -> None:
    page = text_of(DOCS / "findings.md")
    assert [code for code in FAULTS if f"| `{code}` |" not in page] == []


def test_every_entry_point_group_has_a_how_to() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = "\n".join(text_of(page) for page in (DOCS / "how-to").glob("*.md"))
    assert [group for group in project["entry-points"] if f'"{group}"' not in pages] == []


def test_every_decision_has_its_own_number() -> None:
    pages = [page.name[:4] for page in DECISIONS.glob("[0-9]*.md")]
    assert len(pages) == len(set(pages))


def test_the_changelog_begins_with_unreleased_and_knows_the_package_version() -> None:
    text = text_of(ROOT / "CHANGELOG.md")
    first, *rest = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert first == "Unreleased"
    released = [re.match(r"\[?([\w.]+)", title)[1] for title in rest]  # type: ignore[index]
    assert released[0] == __version__ if released else f"What {__version__} will have" in text


def test_the_changelog_names_the_index_format() -> None:
    assert f"Index format {SCHEMA_VERSION}" in text_of(ROOT / "CHANGELOG.md")


# --- data model ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("record", "title"), [(Skill, "Skill"), (Finding, "Finding")])
def test_every_field_of_a_record_is_described_in_the_data_model(record: type, title: str) -> None:
    section = section_of(DATA_MODEL, title)
    names = [field.name for field in dataclasses.fields(record)]
    assert [name for name in names if f"`{name}`" not in section] == []


def test_the_described_skill_fields_are_those_of_the_record_in_its_meaning() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", section_of(DATA_MODEL, "Skill"), re.MULTILINE)
    assert set(listed) == {field.name for field in dataclasses.fields(Skill)}
    assert all(
        f"`{field.name}`" in section_of(DATA_MODEL, "Skill") for field in dataclasses.fields(TokenCounts)
    )


def test_every_table_and_column_of_the_store_is_described() -> None:
    section = section_of(DATA_MODEL, "SQLite schema")
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
    build_library_graph(folder)
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
        ("doctor", ["doctor", "--host", "claude-code", "--window", "20000", "--write-overrides"], ()),
        ("install", ["install", "codex", "--dry-run"], ()),
        ("Errors", ["show", "load-csvv"], ()),
        ("graph build", ["graph", "build"], ("types", "candidates", "judged", "findings")),
        ("graph show", ["graph", "show", "detect-silence"], ()),
        ("next", ["next", "detect-silence"], ("more",)),
        ("graph stats", ["graph", "stats"], ("outside",)),
        ("graph census", ["graph", "census"], ("types",)),
    ],
)
def test_every_key_of_a_json_document_is_described(
    sample_library: Path, title: str, words: list[str], skip: tuple[str, ...]
) -> None:
    environment = {"QUIVER_LIBRARY": str(sample_library)}
    answer = CliRunner().invoke(main, [*words, "--json"], env=environment)
    section = section_of(DATA_MODEL, title)
    documents = (
        map(json.loads, answer.stdout.splitlines()) if "--queries" in words else [json.loads(answer.stdout)]
    )
    keys = {key for document in documents for key in _keys(document, skip=skip)}
    assert keys
    assert [key for key in sorted(keys) if not re.search(rf"[`.]{key}`", section)] == []

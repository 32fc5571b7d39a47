from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from skillquiver.errors import LibraryError, LibraryMissingError
from skillquiver.index.schema import SCHEMA_VERSION
from skillquiver.index.store import FILE_NAME, Store
from skillquiver.skills.findings import finding
from tests.libraries import index, put


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    for i in range(30):
        put(root, f"skill-{i:02}", f"Handles the case number {i}.", f"Step {i}. " * 40)
    index(tmp_path / "library", root)
    return tmp_path / "library"


def test_there_is_no_library_where_nothing_was_indexed(tmp_path: Path) -> None:
    with pytest.raises(LibraryMissingError, match="run `quiver index`"):
        Store.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_library_that_was_never_completed_is_missing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(LibraryMissingError, match="never completed"):
        Store.open(tmp_path)


def test_another_schema_version_is_refused_with_a_way_out(library: Path) -> None:
    with sqlite3.connect(library / FILE_NAME) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    db.close()
    for create in (False, True):
        with pytest.raises(LibraryError, match=rf"format {SCHEMA_VERSION + 1}, this version reads .*move"):
            Store.open(library, create=create)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"SQLite format 4\x00" + b"\xff" * 5000)
    with pytest.raises(LibraryError, match=r"not a usable library .*; move it away and index again"):
        Store.open(tmp_path)


def test_damage_behind_the_first_page_is_a_library_error_where_it_is_met(library: Path) -> None:
    file = library / FILE_NAME
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(LibraryError, match="not a usable library"), Store.opened(library) as store:
        store.all_ids()


def test_a_record_that_cannot_be_decoded_is_a_library_error(library: Path) -> None:
    with sqlite3.connect(library / FILE_NAME) as db:
        db.execute("UPDATE files SET record=x'c1'")
    db.close()
    with pytest.raises(LibraryError), Store.opened(library) as store:
        list(store.all_skills())


def interrupt(store: Store) -> None:
    with store.transaction():
        store.set_meta("note", "half")
        raise KeyboardInterrupt


def test_a_failed_transaction_leaves_nothing_behind(library: Path) -> None:
    with Store.opened(library) as store:
        with pytest.raises(KeyboardInterrupt):
            interrupt(store)
        assert store.get_meta("note", "none") == "none"


def test_records_of_more_rows_than_one_statement_can_name_come_back(library: Path) -> None:
    with Store.opened(library) as store:
        rows = [row for row, _ in store.all_skills(body=False)]
        skills = store.skills([*range(10_000, 12_000), *rows])
    assert sorted(skills) == sorted(rows)
    assert all(skill.body.startswith("# skill-") for skill in skills.values())


def test_without_the_body_the_body_is_empty(library: Path) -> None:
    with Store.opened(library) as store:
        assert {skill.body for _, skill in store.all_skills(body=False)} == {""}


@pytest.mark.parametrize("reference", ["skill-0%", "skill_01", "%", "_", "kill-01", "skills", "skills/skill"])
def test_patterns_and_parts_of_names_name_nothing(library: Path, reference: str) -> None:
    with Store.opened(library) as store:
        assert store.rows_named(reference) == []


def test_an_id_and_the_end_of_an_id_name_a_skill(library: Path) -> None:
    with Store.opened(library) as store:
        for reference in ("skills/skill-07", "skill-07"):
            assert [skill_id for _, skill_id in store.rows_named(reference)] == ["skills/skill-07"]


def test_findings_of_the_library_and_of_its_files_come_sorted(library: Path) -> None:
    with Store.opened(library) as store:
        store.put_library_findings([finding("mirror", "/z"), finding("link-loop", "/a")])
        assert [one.code for one in store.findings()] == ["link-loop", "mirror"]


def test_a_library_that_may_only_be_read_is_read(library: Path) -> None:
    with Store.opened(library) as store:
        ids = store.all_ids()
    reader = Store.open_read_only(library / FILE_NAME)
    try:
        assert reader.all_ids() == ids
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.set_meta("generation", "9")
    finally:
        reader.close()

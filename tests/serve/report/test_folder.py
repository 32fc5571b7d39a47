from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.serve.report.document import report_data
from skillquiver.serve.report.folder import render_report, write_json
from tests.serve.report.reports import REPORT


def names(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_pages_and_figures_are_written_and_nothing_else(tmp_path: Path) -> None:
    written = render_report(REPORT, tmp_path)
    assert [file.name for file in written] == ["report.md", "report.html"]
    assert names(tmp_path) == ["figures/misses-1.svg", "figures/misses-2.svg", "report.html", "report.md"]
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "(figures/misses-1.svg)" in page


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        render_report(REPORT, tmp_path / folder)
    for name in names(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_without_matplotlib_markdown_is_written_before_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"skillquiver\[eval\]"):
        render_report(REPORT, tmp_path)
    assert names(tmp_path) == ["report.md"]
    assert "figures/" not in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_section_cannot_write_outside_the_folder(tmp_path: Path) -> None:
    escaping = replace(REPORT.sections[0], name="../../escape")
    render_report(replace(REPORT, sections=(escaping,)), tmp_path / "out")
    assert all(name.startswith("out/") for name in names(tmp_path))


def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="name another --out"):
        write_json(tmp_path / "file", report_data(REPORT))


def test_two_reports_into_one_folder_do_not_take_each_others_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, replace_file = report_data(REPORT), Path.replace

    def another_writes_first(file: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", replace_file)
        monkeypatch.setattr("os.getpid", lambda: 1)
        write_json(tmp_path, {**data, "about": {"library": "other"}})
        return replace_file(file, target)

    monkeypatch.setattr(Path, "replace", another_writes_first)
    write_json(tmp_path, data)
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert written["about"]["library"] == REPORT.about["library"]
    assert names(tmp_path) == ["report.json"]


def test_a_file_that_could_not_be_written_whole_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_json(tmp_path, report_data(REPORT))
    assert names(tmp_path) == []

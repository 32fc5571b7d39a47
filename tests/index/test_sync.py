from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skillquiver.errors import UsageError
from skillquiver.index import sync as sync_module
from skillquiver.index.store import Store
from skillquiver.index.sync import sync
from skillquiver.serve.render import report_text
from skillquiver.skills.discover import Root, Scope
from tests.libraries import counts, found, hashing, index, put, rank, snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    put(folder, "csv-tables", "Reads CSV files.")
    put(folder, "video-cuts", "Cuts a video.")
    put(folder, "deep/charts", "Draws charts.")
    return folder


@pytest.fixture
def library(tmp_path: Path, root: Path) -> Path:
    index(tmp_path / "library", root)
    return tmp_path / "library"


def ids(library: Path) -> list[str]:
    with Store.opened(library) as store:
        return list(store.all_ids())


def generation(library: Path) -> int:
    with Store.opened(library) as store:
        return store.generation


def test_a_first_run_adds_every_skill(tmp_path: Path, root: Path) -> None:
    report = index(tmp_path / "library", root)
    assert counts(report) == {"added": 3, "vectors": 3}
    assert ids(tmp_path / "library") == ["skills/csv-tables", "skills/deep/charts", "skills/video-cuts"]


def test_an_unchanged_library_stays_as_it_is(library: Path) -> None:
    before = generation(library)
    assert counts(index(library)) == {"unchanged": 3}
    assert generation(library) == before


def test_one_edit_is_one_changed_skill_with_one_new_vector(library: Path, root: Path) -> None:
    put(root, "deep/charts", "Draws pies.")
    report = index(library)
    assert counts(report) == {"changed": 1, "unchanged": 2, "vectors": 1}
    assert report.edited == ("skills/deep/charts",)
    assert found(rank(library, "pies", top_k=1)) == ["skills/deep/charts"]
    assert rank(library, "draws pies", top_k=1).results[0].description == "Draws pies."


def test_an_edited_body_needs_no_new_vector(library: Path, root: Path) -> None:
    put(root, "deep/charts", "Draws charts.", "Use matplotlib.")
    assert counts(index(library)) == {"changed": 1, "unchanged": 2}
    assert found(rank(library, "matplotlib", top_k=1)) == ["skills/deep/charts"]


def test_a_moved_folder_is_one_move_and_keeps_its_vector(library: Path, root: Path) -> None:
    (root / "deep" / "charts").rename(root / "charts")
    report = index(library)
    assert counts(report) == {"moved": 1, "unchanged": 2}
    assert report.moved == (("skills/deep/charts", "skills/charts"),)
    assert "skills/deep/charts" not in found(rank(library, "draws charts"))


def test_every_skill_of_a_renamed_folder_counts_as_moved(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    for number in range(60):
        put(root, f"old/skill-{number:02}", f"Does job {number}.")
    index(tmp_path / "library", root)
    (root / "old").rename(root / "new")
    report = index(tmp_path / "library")
    assert (len(report.moved), report.added, report.removed) == (60, 0, 0)
    assert report_text(report).startswith("60 skills: 60 moved\n")


def test_a_removed_skill_is_found_no_more(library: Path, root: Path) -> None:
    shutil.rmtree(root / "video-cuts")
    assert counts(index(library)) == {"removed": 1, "unchanged": 2}
    assert "skills/video-cuts" not in found(rank(library, "cuts a video"))


def test_a_file_with_a_new_date_and_the_same_text_is_unchanged_once_and_for_all(
    library: Path, root: Path
) -> None:
    file = root / "csv-tables" / "SKILL.md"
    before = generation(library)
    os.utime(file, ns=(5_000, 5_000))
    assert counts(index(library)) == {"unchanged": 3}
    assert generation(library) == before
    with Store.opened(library) as store:
        assert store.lights()["skills/csv-tables"].mtime_ns == 5_000  # type: ignore[index]
        ((_, skill),) = [(r, s) for r, s in store.all_skills() if s.id == "skills/csv-tables"]
    assert skill.mtime_ns == 5_000


def test_reading_again_changes_nothing_that_did_not_change(library: Path) -> None:
    assert counts(index(library, reread=True)) == {"unchanged": 3}
    assert found(rank(library, "reads csv files", top_k=1)) == ["skills/csv-tables"]


def test_an_edit_of_the_same_size_and_date_is_seen_when_everything_is_read_again(
    library: Path, root: Path
) -> None:
    file = root / "csv-tables" / "SKILL.md"
    stat = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("Reads CSV", "Reads TSV"), encoding="utf-8")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counts(index(library)) == {"unchanged": 3}
    assert counts(index(library, reread=True)) == {"changed": 1, "unchanged": 2, "vectors": 1}


# --- roots -----------------------------------------------------------------------------------


def test_the_skills_of_an_unmounted_root_stay(tmp_path: Path, library: Path, root: Path) -> None:
    other = tmp_path / "usb"
    put(other, "backup", "Copies folders.")
    index(library, other)
    root.rename(tmp_path / "elsewhere")
    report = index(library)
    assert (report.removed, report.skills, report.findings["root-missing"]) == (0, 4, 1)
    assert found(rank(library, "reads csv files", top_k=1)) == ["skills/csv-tables"]
    (tmp_path / "elsewhere").rename(root)
    assert counts(index(library)) == {"unchanged": 4}


def test_a_root_that_is_a_broken_link_keeps_its_skills(tmp_path: Path, root: Path) -> None:
    link, library = tmp_path / "linked", tmp_path / "library"
    link.symlink_to(root)
    index(library, link)
    root.rename(tmp_path / "elsewhere")
    assert index(library).skills == 3


def test_two_folders_cannot_have_one_label(tmp_path: Path, library: Path) -> None:
    other = tmp_path / "other" / "skills"
    put(other, "backup")
    with pytest.raises(UsageError, match=r"label 'skills' already names .*; give this root another: OTHER="):
        index(library, other)
    assert counts(index(library)) == {"unchanged": 3}


def test_without_any_root_there_is_nothing_to_index(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no roots"):
        index(tmp_path / "library")


def test_a_root_that_comes_again_with_another_scope_changes_the_scope_of_its_skills(
    tmp_path: Path, library: Path, root: Path
) -> None:
    def again(scope: Scope) -> None:
        sync(
            library,
            [Root("skills", root, scope)],
            open_encoder=hashing,
            options=sync_module.SyncOptions(),
        )

    again(Scope.PROJECT)
    with Store.opened(library) as store:
        assert {skill.scope for _, skill in store.all_skills()} == {Scope.PROJECT}
        assert {light.scope for light in store.lights().values()} == {Scope.PROJECT}
    again(Scope.PROJECT)
    assert counts(index(library)) == {"unchanged": 3}


def test_an_empty_root_is_a_library_without_skills(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert counts(index(tmp_path / "library", tmp_path / "none")) == {}
    assert rank(tmp_path / "library", "anything").results == ()


# --- copies ----------------------------------------------------------------------------------


def test_of_two_mirrors_one_is_searched_and_the_other_comes_back_when_it_goes(tmp_path: Path) -> None:
    library, root = tmp_path / "library", tmp_path / "skills"
    put(root, "one/pdf-forms", "Fills in forms.", "Steps.")
    put(root, "copies/old/pdf-forms", "Fills in forms.", "Steps.")
    put(root, "charts", "Draws charts.")
    assert counts(index(library, root)) == {"added": 3, "collapsed": 1, "vectors": 2}
    assert found(rank(library, "fills in forms"))[0] == "skills/one/pdf-forms"
    shutil.rmtree(root / "one")
    assert counts(index(library)) == {"removed": 1, "unchanged": 2}
    assert ids(library) == ["skills/charts", "skills/copies/old/pdf-forms"]
    assert found(rank(library, "fills in forms"))[0] == "skills/copies/old/pdf-forms"


def test_a_skill_edited_into_a_copy_leaves_the_search_at_once(tmp_path: Path) -> None:
    library, root = tmp_path / "library", tmp_path / "skills"
    winner = put(root, "pdf-forms", "Fills in forms.", "Steps.")
    loser = put(root, "copies/pdf-forms", "Paints zebras.", "Stripes.")
    index(library, root)
    loser.write_bytes(winner.read_bytes())
    assert counts(index(library)) == {"changed": 1, "collapsed": 1, "unchanged": 1}
    assert found(rank(library, "paints zebras forms steps stripes")) == ["skills/pdf-forms"]
    assert snapshot(library, []) == snapshot(_fresh(tmp_path, root), [])


def test_a_skill_edited_into_nothing_leaves_the_search_at_once(
    library: Path, root: Path, tmp_path: Path
) -> None:
    (root / "video-cuts" / "SKILL.md").write_bytes(b"")
    assert counts(index(library)) == {"changed": 1, "unchanged": 2, "unreadable": 1}
    assert "skills/video-cuts" not in found(rank(library, "cuts a video"))
    assert snapshot(library, ["cuts"]) == snapshot(_fresh(tmp_path, root), ["cuts"])


def test_an_unreadable_file_is_tried_again_although_neither_date_nor_size_changed(
    library: Path, root: Path
) -> None:
    file = root / "csv-tables" / "SKILL.md"
    text, stat = file.read_bytes(), file.stat()
    file.write_bytes(b"\x00" * len(text))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert index(library, reread=True).unreadable == 1
    before = generation(library)
    assert counts(index(library)) == {"unchanged": 3, "unreadable": 1}
    assert generation(library) == before
    file.write_bytes(text)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    report = index(library)
    assert (report.unreadable, report.changed, report.skills) == (0, 1, 3)


# --- names of any bytes ------------------------------------------------------------------------


def test_a_folder_whose_name_is_not_unicode_is_reported_and_the_rest_is_indexed(tmp_path: Path) -> None:
    library, root = tmp_path / "library", tmp_path / "skills"
    put(root, os.fsdecode(b"caf\xe9"), "Brews coffee.", name="coffee")
    put(root, "tea", "Brews tea.")
    script = root / os.fsdecode(b"tea/scripts/br\xfce.py")
    script.parent.mkdir()
    script.write_text("print()\n", encoding="utf-8")
    report = index(library, root)
    assert counts(report) == {"added": 1, "vectors": 1}
    assert report.findings["path-not-text"] == 1
    assert [best.id for best in rank(library, "brews tea").results] == ["skills/tea"]


def test_a_lone_surrogate_in_yaml_is_no_obstacle(tmp_path: Path) -> None:
    put(tmp_path / "skills", "odd", r'"\ud800 broken \udfff"', metadata=r'{"k\ud800": "\udfff"}')
    assert counts(index(tmp_path / "library", tmp_path / "skills")) == {"added": 1, "vectors": 1}


# --- the incremental lexical index --------------------------------------------------------------


def _fresh(tmp_path: Path, root: Path) -> Path:
    folder = tmp_path / "fresh"
    index(folder, root)
    return folder


def test_a_large_library_is_updated_in_place_and_ranks_like_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_module, "REBUILD_BELOW", 0)
    library, root = tmp_path / "library", tmp_path / "skills"
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
    for i in range(40):
        put(root, f"s{i:02}", f"Handles {words[i % 12]} and {words[(i * 5 + 1) % 12]}.", words[i % 7] * 2)
    index(library, root)
    (segment,) = (library / "lexical").glob("v*/*.store")
    put(root, "s03", "Handles omicron.", "omicron")
    shutil.rmtree(root / "s07")
    put(root, "s40", "Handles sigma.", "sigma")
    assert counts(index(library)) == {"added": 1, "changed": 1, "removed": 1, "unchanged": 38, "vectors": 2}
    assert segment.exists()  # updated, not made anew
    fresh = _fresh(tmp_path, root)
    for query, best in (("omicron", "skills/s03"), ("sigma", "skills/s40")):
        for folder in (library, fresh):
            assert found(rank(folder, query, top_k=1)) == [best]
    for query in ("alpha beta", "gamma delta epsilon", "delta"):
        one, other = (rank(folder, query, lexical=True, top_k=40) for folder in (library, fresh))
        assert set(found(one)) == set(found(other))
        assert "skills/s07" not in found(one)


def test_replaced_rows_add_up_to_a_fresh_lexical_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_module, "REBUILD_BELOW", 0)
    library, root = tmp_path / "library", tmp_path / "skills"
    for i in range(10):
        put(root, f"s{i}")
    index(library, root)
    (segment,) = (library / "lexical").glob("v*/*.store")
    kept = []
    for edit in range(3):
        put(root, "s0", f"Edit {edit}.")
        index(library)
        kept.append(segment.exists())
    assert kept == [True, True, False]  # three replaced rows are more than a fifth of ten

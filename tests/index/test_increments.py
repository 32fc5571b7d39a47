"""Whatever is done to the files, indexing step by step ends where one fresh build ends."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.libraries import index, put, snapshot

WORDS = ("tables", "charts", "forms", "video")
FOLDERS = ("a", "b", "c/a", "d", "e")
QUERIES = ("tables and charts", "video", "forms forms")

edits = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(FOLDERS), st.sampled_from(WORDS), st.sampled_from(WORDS)),
    st.tuples(st.just("copy"), st.sampled_from(FOLDERS), st.sampled_from(FOLDERS)),
    st.tuples(st.just("move"), st.sampled_from(FOLDERS), st.sampled_from(FOLDERS)),
    st.tuples(st.just("remove"), st.sampled_from(FOLDERS)),
    st.tuples(st.just("empty"), st.sampled_from(FOLDERS)),
)


def apply(root: Path, edit: tuple[str, ...]) -> None:
    kind, first, *rest = edit
    source = root / first / "SKILL.md"
    if kind == "write":
        put(root, first, f"Makes {rest[0]}.", f"About {rest[1]}.")
    elif not source.exists():
        return
    elif kind == "empty":
        source.write_bytes(b"")
    elif kind == "remove":
        source.unlink()
    else:
        target = root / rest[0] / "SKILL.md"
        if target != source:
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copy2 if kind == "copy" else shutil.move)(source, target)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(edits, min_size=1, max_size=4), min_size=2, max_size=4))
def test_indexing_step_by_step_equals_a_fresh_build(batches: list[list[tuple[str, ...]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "skills"
        put(root, "always", "Makes tables and charts.")
        put(root, "ever", "Cuts a video.")
        for batch in batches:
            for edit in batch:
                apply(root, edit)
            index(Path(folder) / "library", root)
        index(Path(folder) / "fresh", root)
        assert snapshot(Path(folder) / "library", QUERIES) == snapshot(Path(folder) / "fresh", QUERIES)

from __future__ import annotations

import gc
import shutil
import sqlite3
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, current_thread

import pytest

from skillquiver.errors import EncoderError, LibraryError, LibraryMissingError, UnknownSkillError
from skillquiver.serve.live import LibraryState, LiveLibrary
from skillquiver.serve.warmup import EncoderState
from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder
from tests.libraries import found, hashing, index, put


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path / "tools", "pdf", "Fill in pdf forms.")
    put(tmp_path / "tools", "bread", "Bake sourdough bread.")
    index(tmp_path / "library", tmp_path / "tools")
    return tmp_path / "library"


class Gate:
    """Opens the double, but only once the test lets it; counts how often."""

    def __init__(self) -> None:
        self.go, self.calls, self.threads = Event(), 0, set[str]()

    def __call__(self, _: str) -> Encoder:
        self.calls += 1
        self.threads.add(current_thread().name)
        assert self.go.wait(30)
        return HashEncoder()


def test_answers_are_lexical_until_the_encoder_is_there_and_hybrid_afterwards(folder: Path) -> None:
    gate = Gate()
    with LiveLibrary(folder, open_encoder=gate) as live:
        first = live.search("pdf form")
        assert (found(first)[0], first.degraded) == (
            "tools/pdf",
            "the encoder is warming up: lexical only",
        )
        assert first.results[0].evidence.cosine is None
        assert live.status().encoder is EncoderState.WARMING
        gate.go.set()
        assert live.wait_warm(30)
        second = live.search("pdf form")
        assert (second.degraded, live.status().encoder) == ("", EncoderState.READY)
        assert second.results[0].evidence.cosine is not None


def test_the_encoder_is_opened_once_in_a_thread_of_its_own_for_all_openings(folder: Path) -> None:
    gate = Gate()
    gate.go.set()
    with LiveLibrary(folder, open_encoder=gate) as live:
        assert live.wait_warm(30)
        for round_ in range(3):
            put(folder.parent / "tools", f"more-{round_}")
            index(folder)
            assert live.search("more").degraded == ""
        assert (gate.calls, gate.threads) == (1, {"skillquiver-encoder"})


def test_a_library_without_vectors_never_loads_the_encoder(tmp_path: Path) -> None:
    put(tmp_path / "tools", "pdf", "Fill in pdf forms.")
    index(tmp_path / "library", tmp_path / "tools", vectors=False)
    gate = Gate()
    with LiveLibrary(tmp_path / "library", open_encoder=gate) as live:
        ranking = live.search("fill in a pdf form")
        assert found(ranking) == ["tools/pdf"]
        assert ranking.degraded.startswith("vectors are not ready: lexical only")
        assert not live.wait_warm(30)
        assert (gate.calls, live.status().encoder) == (0, EncoderState.COLD)


def test_an_encoder_that_cannot_be_opened_leaves_lexical_answers_that_say_why(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(name: str) -> Encoder:
        raise EncoderError("model.onnx: SHA-256 is wrong")

    with LiveLibrary(folder, open_encoder=broken) as live:
        assert not live.wait_warm(30)
        ranking = live.search("pdf form")
        assert found(ranking)[0] == "tools/pdf"
        assert ranking.degraded == (
            "the encoder cannot be opened (EncoderError: model.onnx: SHA-256 is wrong): lexical only"
        )
        assert live.status().encoder is EncoderState.FAILED
    assert "lexical search only" in caplog.text


def test_the_next_answer_knows_what_was_indexed_meanwhile(folder: Path) -> None:
    with LiveLibrary(folder, open_encoder=hashing) as live:
        assert live.search("spreadsheet").results == ()
        put(folder.parent / "tools", "sheets", "Edit a spreadsheet.")
        index(folder)
        assert found(live.search("spreadsheet"))[0] == "tools/sheets"
        assert live.status().skills == 3
        (folder.parent / "tools" / "pdf" / "SKILL.md").unlink()
        index(folder)
        with pytest.raises(UnknownSkillError):
            live.skill("pdf")


def test_an_unchanged_library_is_not_opened_again(folder: Path) -> None:
    with LiveLibrary(folder, open_encoder=hashing) as live:
        live.wait_warm(30)
        live.search("pdf")
        opened = live.openings
        for _ in range(10):
            live.search("pdf")
        assert live.openings == opened


def test_a_library_that_appears_later_is_found(tmp_path: Path) -> None:
    with LiveLibrary(tmp_path / "library", open_encoder=hashing) as live:
        with pytest.raises(LibraryMissingError, match="quiver index"):
            live.search("pdf")
        assert live.status().state is LibraryState.MISSING
        put(tmp_path / "tools", "pdf", "Fill in pdf forms.")
        index(tmp_path / "library", tmp_path / "tools")
        assert found(live.search("pdf"))[0] == "tools/pdf"


def test_a_library_that_is_replaced_by_another_is_answered_from_the_new_one(folder: Path) -> None:
    with LiveLibrary(folder, open_encoder=hashing) as live:
        live.search("pdf")
        shutil.rmtree(folder)
        put(folder.parent / "others", "cake", "Bake a cake.")
        index(folder, folder.parent / "others")
        assert [live.skill("cake").id, live.status().skills] == ["others/cake", 1]


def _overwrite(folder: Path) -> None:
    (folder / "library.sqlite3").write_bytes(b"not a database" * 1000)


def _scramble_lexical(folder: Path) -> None:
    (folder / "lexical" / "current").write_bytes(b"\xff\x00")


@pytest.mark.parametrize("damage", [_overwrite, _scramble_lexical])
def test_a_broken_library_is_a_clear_error_and_recovers(folder: Path, damage: Callable[[Path], None]) -> None:
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept)
    with LiveLibrary(folder, open_encoder=hashing) as live:
        live.search("pdf")
        damage(folder)
        with pytest.raises(LibraryError, match="index"):
            live.search("pdf")
        assert live.status().fault
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        assert found(live.search("pdf"))[0] == "tools/pdf"
        assert live.status().state is LibraryState.READY


def test_damage_that_shows_only_while_answering_is_a_library_error(folder: Path) -> None:
    with LiveLibrary(folder, open_encoder=hashing) as live:
        live.search("pdf")

        def question(library: object) -> None:
            raise sqlite3.DatabaseError("database disk image is malformed")

        with pytest.raises(LibraryError, match="malformed"):
            live.ask(question)
        assert found(live.search("pdf"))[0] == "tools/pdf"


def test_threads_get_the_answers_one_thread_gets(folder: Path) -> None:
    queries = ["pdf form", "bread", "fill in", "bake", "nothing at all"] * 20
    with LiveLibrary(folder, open_encoder=hashing) as live:
        assert live.wait_warm(30)
        alone = [found(live.search(query)) for query in queries]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda query: found(live.search(query)), queries)) == alone


def test_a_closed_library_refuses_questions(folder: Path) -> None:
    live = LiveLibrary(folder, open_encoder=hashing)
    live.search("pdf")
    live.close()
    with pytest.raises(LibraryError, match="shutting down"):
        live.search("pdf")


def test_bundle_and_skill_answer_like_the_use_cases(folder: Path) -> None:
    with LiveLibrary(folder, open_encoder=hashing) as live:
        bundle, ranking = live.bundle("fill in a pdf form", budget=2000, max_skills=1)
        assert [entry.id for entry in bundle.entries] == ["tools/pdf"]
        assert found(ranking)[0] == "tools/pdf"
        assert live.skill("tools/pdf").body.endswith("Steps of pdf.\n")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts open files through /proc")
def test_openings_leak_neither_files_nor_memory(folder: Path) -> None:
    manifest = folder / "dense" / "dense.json"

    def reopen(times: int) -> None:
        for _ in range(times):
            copy = manifest.with_suffix(".new")
            copy.write_bytes(manifest.read_bytes())
            copy.replace(manifest)
            live.search("pdf")

    with LiveLibrary(folder, open_encoder=hashing) as live:
        assert live.wait_warm(30)
        reopen(10)
        gc.collect()  # what other tests left open would be counted before and not after
        files, opened = _open_files(), live.openings
        tracemalloc.start()
        reopen(10)
        before = tracemalloc.get_traced_memory()[0]
        reopen(90)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert live.openings - opened == 100
        assert _open_files() == files
        assert grown / 90 < 1_000  # bytes; an opening that is kept costs many times that

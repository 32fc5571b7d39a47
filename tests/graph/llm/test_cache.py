from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from skillquiver.errors import LibraryError
from skillquiver.graph.llm.cache import JudgmentCache, JudgmentKey, SqliteJudgmentCache

KEY = JudgmentKey("aa", "bb", "openai:m", "1", "judge")
OTHERS = [KEY._replace(**{name: "x"}) for name in KEY._fields]

DIES_IN_THE_MIDDLE = """
import os, signal, sys
from pathlib import Path
from skillquiver.graph.llm.cache import JudgmentKey, SqliteJudgmentCache
cache = SqliteJudgmentCache.open(Path(sys.argv[1]))
cache.put(JudgmentKey("aa", "bb", "openai:m", "1", "judge"), b"done")
cache._db.execute("BEGIN IMMEDIATE")
cache._db.execute("INSERT OR REPLACE INTO judgments VALUES ('cc', 'dd', 'openai:m', '1', 'judge', x'00')")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_value_is_found_under_its_whole_key_only(cache: SqliteJudgmentCache) -> None:
    cache.put(KEY, b"[]")
    assert isinstance(cache, JudgmentCache)
    assert cache.get(KEY) == b"[]"
    assert [cache.get(key) for key in OTHERS] == [None] * 5


def test_a_later_value_replaces_an_earlier_one(cache: SqliteJudgmentCache) -> None:
    cache.put(KEY, b"old")
    cache.put_all({KEY: b"new", OTHERS[0]: b"other"})
    assert (cache.get(KEY), cache.get(OTHERS[0])) == (b"new", b"other")


def test_the_values_of_one_call_are_kept_together_or_not_at_all(cache: SqliteJudgmentCache) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        cache.put_all({KEY: b"fine", OTHERS[0]: None})  # type: ignore[dict-item]
    assert cache.get(KEY) is None
    cache.put(KEY, b"next")  # the connection is usable
    assert cache.get(KEY) == b"next"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_process_killed_inside_a_transaction_loses_only_that_transaction(tmp_path: Path) -> None:
    file = tmp_path / "library.sqlite3"
    killed = subprocess.run([sys.executable, "-c", DIES_IN_THE_MIDDLE, str(file)], check=False)
    assert killed.returncode == -9
    cache = SqliteJudgmentCache.open(file)
    assert cache.get(KEY) == b"done"
    assert cache.get(JudgmentKey("cc", "dd", "openai:m", "1", "judge")) is None
    cache.put(OTHERS[0], b"and on")
    cache.close()


def test_it_shares_a_file_and_a_connection_with_other_tables(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None, check_same_thread=False)
    db.execute("CREATE TABLE files (id TEXT)")
    SqliteJudgmentCache(db).put(KEY, b"[]")
    assert SqliteJudgmentCache(db).get(KEY) == b"[]"
    db.close()


def test_judgments_about_texts_that_are_gone_can_be_dropped(cache: SqliteJudgmentCache) -> None:
    cache.put_all({KEY: b"kept", KEY._replace(round="swap"): b"kept", OTHERS[0]: b"gone"})
    assert cache.forget(frozenset({"aa", "bb"})) == 1
    assert cache.get(KEY) == b"kept"
    assert cache.get(OTHERS[0]) is None
    assert cache.forget(frozenset({"aa", "bb"})) == 0


def test_a_file_that_is_no_database_is_a_library_error(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no database at all, but long enough to be looked at " * 20, encoding="utf-8")
    with pytest.raises(LibraryError, match=r"notes\.txt"):
        SqliteJudgmentCache.open(file)

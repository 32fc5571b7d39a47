from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.serve.cli.main import COMMANDS, main
from tests.libraries import index, put
from tests.sample import ESCAPES, HIDDEN, HOSTILE

Run = Callable[..., Result]

RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def quiver(sample: Path) -> Run:
    """Runs a command on the sample library."""

    def run(*arguments: str, library: Path = sample, text: bytes | None = None) -> Result:
        command = (
            [*arguments, "--library", str(library)] if arguments and arguments[0] in COMMANDS else arguments
        )
        result = CliRunner().invoke(main, list(command), input=text, prog_name="quiver")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


def document(result: Result) -> dict[str, Any]:
    """The one JSON document that standard output holds."""
    data = json.loads(result.stdout)
    assert isinstance(data, dict)
    return data


# --- help and versions -------------------------------------------------------------------------


GROUPS = {"eval", "graph", "hook", "token"}
"""Commands that leave options to those below them."""

SERVERS = {"mcp", "warm", "serve"}
"""Commands that answer others."""


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in GROUPS])
def test_every_command_has_help_that_begins_with_what_it_does(quiver: Run, command: str) -> None:
    result = quiver(command, "--help")
    assert result.exit_code == 0
    if "COMMAND [ARGS]" not in result.stdout:  # a group leaves options to its commands
        assert re.search(r"--library (\[NAME=\])?DIR|--library NAME=DIR", result.stdout)
        assert "--json" in result.stdout or command in SERVERS


def test_the_group_lists_every_command(quiver: Run) -> None:
    result = quiver("--help")
    assert all(re.search(rf"^  {name} ", result.stdout, re.MULTILINE) for name in COMMANDS)
    assert quiver("--version").stdout.startswith("quiver, version ")


def test_an_unknown_command_is_a_usage_error(quiver: Run) -> None:
    result = quiver("serach", "pdf")
    assert result.exit_code == 2
    assert "No such command" in result.stderr


# --- one JSON document, also for errors ----------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("search", "fill in a form"), 0),
        (("search", "fill in a form", "--explain"), 0),
        (("search", "bake a chocolate cake"), 0),
        (("bundle", "fill in a form"), 0),
        (("bundle", "bake a chocolate cake"), 1),
        (("show", "pdf"), 0),
        (("doctor",), 0),
        (("doctor", "--strict"), 1),
    ],
)
def test_with_json_an_answer_is_one_document(quiver: Run, arguments: tuple[str, ...], code: int) -> None:
    result = quiver(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (code, "")
    assert "error" not in document(result)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search",),
        ("search", "x", "--top-k", "0"),
        ("search", "x", "--top-k", "many"),
        ("search", "x", "--unknown-option"),
        ("search", "x", "--queries", "/nowhere/queries.jsonl"),
        ("bundle",),
        ("bundle", "x", "--budget", "0"),
        ("bundle", "x", "--budget", "2.5"),
        ("bundle", "x", "--max-skills", "0"),
        ("show",),
        ("show", "pdf", "pptx"),
        ("show", "no-such-skill"),
        ("show", "../../../etc/passwd"),
        ("doctor", "--code", "no-such-code"),
        ("index", "/nowhere/at/all"),
        ("index", "--workers", "0"),
        ("index", "--forget", "no-such-root"),
        ("index", "--encoder", "no-such-encoder"),
        ("index", "bad/label="),
    ],
)
def test_with_json_a_usage_error_is_one_document_and_exit_2(quiver: Run, arguments: tuple[str, ...]) -> None:
    result = quiver(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (2, "")
    assert document(result)["error"]["message"]


def test_without_json_a_usage_error_goes_to_standard_error(quiver: Run) -> None:
    result = quiver("show", "no-such-skill")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "quiver: no skill called 'no-such-skill' in this library\n"


@pytest.mark.parametrize("command", ["search", "bundle", "show", "doctor"])
def test_a_missing_library_is_exit_3_and_says_what_to_do(quiver: Run, tmp_path: Path, command: str) -> None:
    words = () if command == "doctor" else ("pdf",)
    result = quiver(command, *words, "--json", library=tmp_path / "none")
    assert (result.exit_code, result.stderr) == (3, "")
    assert document(result)["error"]["type"] == "LibraryMissingError"
    assert "quiver index" in document(result)["error"]["message"]


@pytest.mark.parametrize("command", ["search", "bundle", "show", "doctor", "index"])
@pytest.mark.parametrize("behind", [0, 4096])
def test_a_damaged_library_is_exit_3_wherever_the_damage_is(
    quiver: Run, tmp_path: Path, command: str, behind: int
) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "pdf", "Fills in forms.")
    index(library, root)
    file = library / "library.sqlite3"
    data = file.read_bytes()
    file.write_bytes(data[:behind] + b"\xa5" * (len(data) - behind))
    words = () if command in ("doctor", "index") else ("pdf",)
    result = quiver(command, *words, "--json", library=library)
    assert (result.exit_code, result.stderr) == (3, "")
    assert "not a usable library" in document(result)["error"]["message"]


def test_a_library_below_a_file_is_exit_3(quiver: Run, tmp_path: Path, sample_root: Path) -> None:
    (tmp_path / "file").touch()
    for command in (("search", "pdf"), ("index", str(sample_root))):
        result = quiver(*command, "--json", library=tmp_path / "file")
        assert result.exit_code == 3
        assert document(result)["error"]["message"]


def test_the_home_of_nobody_is_a_usage_error(quiver: Run) -> None:
    result = quiver("search", "pdf", "--json", library=Path("~no-such-user-here/library"))
    assert result.exit_code == 2
    assert "no such user" in document(result)["error"]["message"]


# --- references ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    [
        "../../../etc/passwd",
        "/etc/passwd",
        "sample/../../etc/passwd",
        "sample/..",
        "..",
        ".",
        "~/secret",
        "C:/Windows",
        "a\\b",
        "pdf\x00",
        "sample//pdf",
        "",
        "   ",
        "x" * 5000,
    ],
)
def test_whatever_could_be_a_path_is_refused_where_a_skill_is_named(quiver: Run, reference: str) -> None:
    result = quiver("show", "--json", "--", reference)
    assert (result.exit_code, result.stderr) == (2, "")
    assert document(result)["error"]["type"] == "UsageError"


def test_a_misspelt_name_suggests_the_right_one(quiver: Run) -> None:
    error = document(quiver("show", "webapp-tesing", "--json"))["error"]
    assert error["suggestions"] == ["sample/webapp-testing"]
    assert "did you mean sample/webapp-testing?" in quiver("show", "webapp-tesing").stderr


def test_a_name_that_two_skills_share_lists_both(quiver: Run, tmp_path: Path) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "A/doctor", "Heals people.", "One.")
    put(root, "B/doctor", "Heals animals.", "Other.")
    index(library, root)
    result = quiver("show", "doctor", "--json", library=library)
    assert result.exit_code == 2
    assert document(result)["error"]["candidates"] == ["skills/A/doctor", "skills/B/doctor"]
    for skill_id in ("skills/A/doctor", "skills/B/doctor"):
        assert document(quiver("show", skill_id, "--json", library=library))["id"] == skill_id


def test_show_prints_the_record_and_the_body_on_request(quiver: Run) -> None:
    data = document(quiver("show", "sample/pdf", "--json"))
    assert (data["id"], data["name"], data["root"]) == ("sample/pdf", "pdf", "sample")
    assert data["body"].startswith("# pdf")
    assert "flatten the form" not in quiver("show", "pdf").stdout
    assert "flatten the form" in quiver("show", "pdf", "--body").stdout


# --- search and bundle ------------------------------------------------------------------------------


def test_words_need_no_quotes_and_a_dash_reads_standard_input(quiver: Run) -> None:
    by_words = document(quiver("search", "fill", "in", "a", "form", "--json"))
    by_input = document(quiver("search", "-", "--json", text=b"fill in a form"))
    assert by_words == by_input
    assert by_words["results"][0]["id"] == "sample/pdf"


def test_standard_input_need_not_be_text(quiver: Run) -> None:
    assert document(quiver("search", "-", "--json", text=b"\xff\xfe\x00pdf form"))["status"] in (
        "hit",
        "weak",
    )


def test_people_see_rank_id_confidence_and_description(quiver: Run) -> None:
    lines = quiver("search", "fill in a form", "--top-k", "1").stdout.splitlines()
    assert lines[0] in ("hit", "weak: the best match may not be what you need")
    assert re.fullmatch(r"  1\. sample/pdf  [01]\.\d\d", lines[1])
    assert lines[2].strip().startswith("Fills in PDF forms")
    assert len(lines) == 3


def test_a_lexical_answer_says_that_it_is_one(quiver: Run) -> None:
    assert document(quiver("search", "pdf", "--lexical", "--json"))["degraded"] == "asked for lexical search"
    assert quiver("search", "pdf", "--lexical").stdout.endswith("(asked for lexical search)\n")


def test_explained_channels_and_terms_are_printed(quiver: Run) -> None:
    text = quiver("search", "fill in a form", "--explain", "--top-k", "1").stdout
    assert re.search(r"plain combination -?\d+\.\d\d = full text [+-]\d", text)
    assert re.search(r"terms: .*form \d", text)
    assert 'with "fill in a form"' in text


def test_a_hidden_skill_is_shown_to_people_and_marked(quiver: Run) -> None:
    query = ("tag", "and", "publish", "a", "release")
    first = document(quiver("search", *query, "--json"))["results"][0]
    assert (first["id"], first["hidden"]) == (f"sample/{HIDDEN}", True)
    assert f"sample/{HIDDEN}" in (shown := quiver("search", *query).stdout)
    assert "[hidden from models]" in shown
    without = document(quiver("search", *query, "--no-hidden", "--json"))["results"]
    assert f"sample/{HIDDEN}" not in [result["id"] for result in without]
    assert "hidden: from models, by its author" in quiver("show", HIDDEN).stdout


def test_a_hidden_skill_never_enters_a_bundle_and_the_bundle_says_so(quiver: Run) -> None:
    data = document(quiver("bundle", "tag and publish a release", "--json"))
    assert f"sample/{HIDDEN}" not in [entry["id"] for entry in data["entries"]]
    assert {"id": f"sample/{HIDDEN}", "reason": "hidden"}.items() <= data["omitted"][0].items()
    assert "Bump the version" not in data["text"]


def test_a_bundle_keeps_its_budget_and_explains_itself(quiver: Run) -> None:
    data = document(quiver("bundle", "fill in a form", "--budget", "300", "--json"))
    assert data["entries"][0]["id"] == "sample/pdf"
    assert data["tokens"] <= 300
    text = quiver("bundle", "fill in a form", "--budget", "300", "--explain").stdout
    assert f"{data['tokens']} of 300 tokens" in text
    assert "sample/pdf: match, body," in text
    assert "left out:" in text


# --- batch ----------------------------------------------------------------------------------------------


def queries(folder: Path, *lines: str) -> str:
    file = folder / "queries.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(file)


def test_a_batch_answers_one_object_a_line_and_none_with_no_ids(quiver: Run, tmp_path: Path) -> None:
    file = queries(
        tmp_path,
        '{"query_id": "a", "query": "fill in a form", "gold": ["x"]}',
        "",
        '{"query_id": "b", "query": "bake a chocolate cake"}',
        '{"query_id": "c", "query": ""}',
    )
    result = quiver("search", "--queries", file, "--top-k", "2", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [set(row) for row in rows] == [{"query_id", "ranked", "ms"}] * 3
    assert [row["query_id"] for row in rows] == ["a", "b", "c"]
    assert [len(row["ranked"]) for row in rows] == [2, 0, 0]
    assert rows[0]["ranked"][0] == "sample/pdf"
    assert all(row["ms"] >= 0 for row in rows)


def test_a_batch_can_leave_hidden_skills_out(quiver: Run, tmp_path: Path) -> None:
    file = queries(tmp_path, '{"query_id": "a", "query": "tag and publish a release of the monorepo"}')
    shown, left_out = (
        json.loads(quiver("search", "--queries", file, *options).stdout)["ranked"]
        for options in ((), ("--no-hidden",))
    )
    assert shown[0] == f"sample/{HIDDEN}"
    assert f"sample/{HIDDEN}" not in left_out


@pytest.mark.parametrize(
    "line",
    [
        '{"query_id": "b"',
        '{"query": "no id"}',
        '{"query_id": 7, "query": "number"}',
        '["b", "list"]',
        "plain text",
        '{"query_id": "a", "query": "twice"}',
    ],
)
def test_a_malformed_line_is_named_and_nothing_is_answered(quiver: Run, tmp_path: Path, line: str) -> None:
    file = queries(tmp_path, '{"query_id": "a", "query": "pdf"}', line)
    result = quiver("search", "--queries", file, "--json")
    assert result.exit_code == 2
    assert "queries.jsonl, line 2: " in document(result)["error"]["message"]


@pytest.mark.parametrize("extra", [("pdf",), ("--explain",)])
def test_a_batch_takes_neither_a_query_nor_explanations(
    quiver: Run, tmp_path: Path, extra: tuple[str]
) -> None:
    result = quiver("search", *extra, "--queries", queries(tmp_path, '{"query_id": "a", "query": "pdf"}'))
    assert (result.exit_code, result.stdout) == (2, "")


# --- doctor and index -----------------------------------------------------------------------------------


def test_doctor_groups_findings_and_lists_one_kind_whole(quiver: Run) -> None:
    text = quiver("doctor").stdout
    assert re.search(r"^ERROR   file-empty: 1$", text, re.MULTILINE)
    assert text.index("ERROR") < text.index("warning")
    data = document(quiver("doctor", "--code", "file-empty", "--json"))
    assert data["counts"] == {"file-empty": 1}
    assert data["findings"][0]["path"].endswith("empty/SKILL.md")
    assert quiver("doctor", "--code", "file-empty", "--strict").exit_code == 1
    assert quiver("doctor", "--code", "link-loop", "--strict").exit_code == 0


def test_doctor_reports_what_changed_since_the_last_index(quiver: Run, tmp_path: Path) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    changed, gone = put(root, "one", "First."), put(root, "two", "Second.")
    put(root, "three", "Third.")
    index(library, root)
    assert document(quiver("doctor", "--json", library=library))["findings"] == []
    assert "no findings" in quiver("doctor", library=library).stdout
    put(root, "one", "Another text altogether.")
    gone.unlink()
    found = document(quiver("doctor", "--json", library=library))["findings"]
    assert [(one["code"], one["path"]) for one in found] == [
        ("file-changed", str(changed)),
        ("file-gone", str(gone)),
    ]
    assert re.search(r"indexed [0-9a-f]{12}, now [0-9a-f]{12}", found[0]["message"])


def test_index_reports_counts_and_strict_fails_on_findings(quiver: Run, tmp_path: Path) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "one", "First.")
    arguments = ("index", f"lab={root}", "--no-vectors")
    result = quiver(*arguments, "--json", "--strict", library=library)
    assert (result.exit_code, result.stderr) == (0, "")
    assert {"skills": 1, "added": 1, "vectors": 0}.items() <= document(result).items()
    (root / "two").mkdir()
    (root / "two" / "SKILL.md").write_bytes(b"")
    result = quiver(*arguments, "--strict", library=library)
    assert result.exit_code == 1
    assert result.stdout.startswith("1 skills: 1 unchanged, 1 unreadable\n")
    assert "findings of" in result.stdout


def test_a_forgotten_root_takes_its_skills_along_even_if_it_was_the_last(
    quiver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, library, home = tmp_path / "skills", tmp_path / "library", tmp_path / "home"
    put(root, "one", "First.")
    put(home / ".claude" / "skills", "of-the-host", "Second.")
    monkeypatch.setenv("HOME", str(home))
    index(library, root)
    result = quiver("index", "--forget", "skills", "--no-vectors", "--json", library=library)
    assert result.exit_code == 0
    assert {"skills": 0, "removed": 1, "added": 0}.items() <= document(result).items()


def test_without_roots_the_hosts_folders_are_indexed(
    quiver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / ".claude" / "skills", "mine", "First.")
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "work")
    library = tmp_path / "library"
    assert document(quiver("index", "--no-vectors", "--json", library=library))["skills"] == 1
    assert document(quiver("show", "mine", "--json", library=library))["id"] == "user-claude-skills/mine"


def test_where_there_is_no_host_a_root_is_asked_for(
    quiver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = quiver("index", "--json", library=tmp_path / "library")
    assert result.exit_code == 2
    assert "quiver index tools=" in document(result)["error"]["message"]


def test_an_encoder_registered_by_others_can_be_chosen(quiver: Run, tmp_path: Path, hash_plugin: str) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "one", "First of all.")
    result = quiver("index", str(root), "--encoder", hash_plugin, "--json", library=library)
    assert {"vectors": 1, "encoder": "hash-64"}.items() <= document(result).items()
    assert document(quiver("search", "first", "--json", library=library))["degraded"] == ""


# --- untrusted text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "paint terminal output in colours", "--explain"),
        ("search", f"paint {ESCAPES} output", "--explain"),
        ("bundle", "paint terminal output in colours", "--explain"),
        ("show", HOSTILE, "--body"),
        ("show", f"\u202e{HOSTILE}"),
        ("show", f"x{ESCAPES}"),
        ("doctor", "--all"),
        ("doctor", "--code", f"x{ESCAPES}"),
    ],
)
@pytest.mark.parametrize("output", [(), ("--json",)])
def test_escapes_in_a_skill_never_reach_the_terminal(
    quiver: Run, arguments: tuple[str, ...], output: tuple[str, ...]
) -> None:
    result = quiver(*arguments, *output)
    assert result.stdout + result.stderr
    assert not RAW.search(result.stdout + result.stderr)


def test_names_of_folders_cannot_forge_lines_of_output(quiver: Run, tmp_path: Path) -> None:
    root, library = tmp_path / "skills", tmp_path / "library"
    put(root, "evil\n  1. trusted\x1b[2J\u202e", "Draws charts.", name="x")
    (root / "evil\rtwo").mkdir()
    (root / "evil\rtwo" / "SKILL.md").write_bytes(b"")
    index(library, root)
    for arguments in (("search", "charts", "--lexical"), ("doctor", "--all"), ("index", "--no-vectors")):
        result = quiver(*arguments, library=library)
        assert result.exit_code == 0
        assert not RAW.search(result.stdout)
        assert not re.search(r"^  1\. trusted", result.stdout, re.MULTILINE)

"""The sample library is well-formed, its names resolve, and its scripts do what they say."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import wave
import zipfile
from array import array
from pathlib import Path
from typing import Any

import pytest
import yaml

EXAMPLES = Path(__file__).parents[1] / "examples"
ROOT = EXAMPLES / "skills"
SKILL_FILES = sorted(ROOT.rglob("SKILL.md"))
IDS = {path.parent.relative_to(ROOT).as_posix(): path for path in SKILL_FILES}
SCRIPTS = sorted(path for path in ROOT.glob("*/*/scripts/*") if path.suffix in {".py", ".sh"})
RELATION_TYPES = {
    "requires", "feeds_into", "precedes", "routes_to", "verifies", "specializes", "supersedes", "complements",
    "alternative_to", "conflicts_with",
}  # fmt: skip
NAMED_UNLIKE_ITS_FOLDER = {"general/meeting-minutes-ja"}


def _frontmatter(path: Path) -> dict[str, Any]:
    _, block, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(block)
    assert isinstance(fields, dict)
    return fields


def _resolve(name: str) -> str:
    """Return the id a full id or bare name stands for; exactly one must match."""
    found = [known for known in IDS if known == name or known.rsplit("/", 1)[-1] == name]
    assert len(found) == 1, f"{name!r} names {found}"
    return found[0]


def _declared(fields: dict[str, Any]) -> list[str]:
    """Every skill named in the frontmatter's relation fields; ``requires: {bins: …}`` names none."""
    names: list[str] = [entry["slug"] for entry in fields.get("prerequisite-skills", [])]
    for key in ("requires", "depends_on", "related-skills", "superseded_by"):
        value = fields.get(key, [])
        names += [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return names


def _queries() -> list[dict[str, Any]]:
    lines = (EXAMPLES / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _run(script: str, *arguments: str | Path, cwd: Path, code: int = 0) -> str:
    words = [sys.executable, str(ROOT / script), *map(str, arguments)]
    environment = os.environ | {"PYTHONUTF8": "1", "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def _ids(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_are_at_least_forty_skills_in_four_domains() -> None:
    assert len(IDS) >= 40
    assert {skill.split("/")[0] for skill in IDS} == {"data-analysis", "media", "web-operations", "general"}


@pytest.mark.parametrize("path", SKILL_FILES, ids=_ids)
def test_a_skill_has_a_name_a_description_and_a_body_of_moderate_length(path: Path) -> None:
    fields = _frontmatter(path)
    skill = path.parent.relative_to(ROOT).as_posix()
    assert (fields["name"] == path.parent.name) == (skill not in NAMED_UNLIKE_ITS_FOLDER)
    assert 40 <= len(fields["description"]) <= 1024
    assert 30 <= len(path.read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.parametrize("path", SKILL_FILES, ids=_ids)
def test_skills_named_in_a_frontmatter_exist(path: Path) -> None:
    for name in _declared(_frontmatter(path)):
        assert _resolve(name)


@pytest.mark.parametrize("path", SKILL_FILES, ids=_ids)
def test_links_and_scripts_named_in_a_body_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([\w./-]+\.md)\)", text) + re.findall(r"\bscripts/[\w]+\.(?:py|sh)", text):
        assert (path.parent / target).is_file(), target


def test_curated_relations_resolve_and_have_a_known_type_and_a_reason() -> None:
    relations = yaml.safe_load((ROOT / "relations.yaml").read_text(encoding="utf-8"))["relations"]
    assert len(relations) >= 10
    for relation in relations:
        assert relation["type"] in RELATION_TYPES
        assert _resolve(relation["source"]) != _resolve(relation["target"])
        assert relation["reason"]


def test_queries_are_forty_with_unique_ids_and_every_gold_skill_exists() -> None:
    queries = _queries()
    assert len({query["query_id"] for query in queries}) == len(queries) == 40
    assert sum(not query["gold"] for query in queries) == 8
    for skill in (skill for query in queries for skill in query["gold"]):
        label, _, rest = skill.partition("/")
        assert label == "samples"
        assert rest in IDS


def test_every_ordered_pair_names_two_skills_and_quotes_what_they_say() -> None:
    lines = (EXAMPLES / "order.jsonl").read_text(encoding="utf-8").splitlines()
    for edge in map(json.loads, lines):
        texts = [
            IDS[edge[end].removeprefix("samples/")].read_text(encoding="utf-8") for end in ("before", "after")
        ]
        needed = all if edge["form"] == "artifact" else any
        assert needed(edge["evidence"] in " ".join(text.split()) for text in texts), edge


def test_no_query_expects_a_skill_that_is_deprecated_or_hidden_from_models() -> None:
    for skill in {skill.removeprefix("samples/") for query in _queries() for skill in query["gold"]}:
        fields = _frontmatter(IDS[skill])
        assert not fields.get("deprecated")
        assert not fields.get("disable-model-invocation")


def test_the_readme_lists_every_skill_once() -> None:
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert f"{len(IDS)} skills" in table
    listed = re.findall(r"^\| ([a-z][\w-]+) \|", table, re.MULTILINE)
    assert sorted(name for name in listed if name != "skill") == sorted(skill.split("/")[1] for skill in IDS)


def test_at_least_ten_skills_bundle_a_script() -> None:
    assert len({script.parents[1] for script in SCRIPTS}) >= 10


@pytest.mark.parametrize("script", SCRIPTS, ids=_ids)
def test_a_script_explains_itself(script: Path, tmp_path: Path) -> None:
    if script.suffix == ".sh" and os.name != "posix":
        pytest.skip("needs a POSIX shell")
    program = sys.executable if script.suffix == ".py" else "sh"
    words = [program, str(script), "--help"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0
    assert "usage:" in done.stdout.lower()
    assert not list(tmp_path.iterdir())


def test_the_csv_sniffer_sees_a_windows_export_with_semicolons_and_a_ragged_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id;Straße\n007;Süd\n008;Nord;x\n".encode("cp1252"))
    found = json.loads(_run("data-analysis/load-csv/scripts/sniff_csv.py", "a.csv", cwd=tmp_path))
    assert found == {
        "encoding": "cp1252", "delimiter": ";", "header": True, "columns": ["id", "Straße"], "rows": 2,
        "ragged_rows": [2],
    }  # fmt: skip


def test_the_profile_counts_blanks_and_finds_the_narrowest_type(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,day\n1,2026-05-01\n,2026-05-03\n4,2026-05-02\n", encoding="utf-8")
    number, day = json.loads(
        _run("data-analysis/profile-table/scripts/profile_table.py", "a.csv", cwd=tmp_path)
    )["columns"]
    assert (number["type"], number["missing"], number["distinct"], number["mean"]) == ("integer", 1, 2, 2.5)
    assert (day["type"], day["min"], day["max"]) == ("date", "2026-05-01", "2026-05-03")


def test_the_outlier_score_is_the_modified_z_score(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("v\n10\n11\n12\n13\n100\n", encoding="utf-8")
    _run("data-analysis/detect-outliers/scripts/outliers.py", "a.csv", "--column", "v", cwd=tmp_path)
    with (tmp_path / "outliers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["v", "score"], ["100", "59.36"]]  # median 12, MAD 1: 0.6745 * 88


def test_experiment_scripts_agree_with_a_calculation_by_hand(tmp_path: Path) -> None:
    ab = _run("data-analysis/ab-test/scripts/two_proportions.py", "--control", "100/1000", "--variant",
              "130/1000", cwd=tmp_path)  # fmt: skip
    assert "z = 2.10, p = 0.0355" in ab  # 0.03 / sqrt(0.115 * 0.885 * 2 / 1000)
    size = _run("data-analysis/sample-size-planning/scripts/sample_size.py", "--baseline", "0.1", "--uplift",
                "0.02", cwd=tmp_path)  # fmt: skip
    assert size == "3841 per arm, 7682 in total\n"  # ((1.95996 * 0.44249 + 0.84162 * 0.44227) / 0.02) ** 2


def test_duplicates_are_scored_inside_a_block_without_accents_and_legal_forms(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "id,name,zip\n1,Müller GmbH,1\n2,MULLER Ltd,1\n3,Müller,2\n", encoding="utf-8"
    )
    script = "data-analysis/deduplicate-records/scripts/find_duplicates.py"
    _run(script, "a.csv", "--id", "id", "--name", "name", "--block", "zip", cwd=tmp_path)
    with (tmp_path / "pairs.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1:] == [["1.0", "1", "2", "Müller GmbH", "MULLER Ltd"]]


def _recording(path: Path) -> None:
    """Six seconds at 1 kHz: two loud, two silent, two loud. A constant 3277 is 20 log10(0.1) = -20 dBFS."""
    loud, silent = [3277] * 2000, [0] * 2000
    samples = array("h", loud + silent + loud)
    if sys.byteorder == "big":
        samples.byteswap()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(1000)
        file.writeframes(samples.tobytes())


def test_the_media_chain_cuts_a_pause_and_leaves_padding_around_speech(tmp_path: Path) -> None:
    _recording(tmp_path / "audio.wav")
    _run("media/compute-energy/scripts/energy.py", "audio.wav", "--window", "0.5", cwd=tmp_path)
    levels = json.loads((tmp_path / "energy.json").read_text(encoding="utf-8"))["rms_db"]
    assert levels == [-20.0] * 4 + [-96.0] * 4 + [-20.0] * 4
    _run("media/detect-silence/scripts/silences.py", "energy.json", cwd=tmp_path)
    silences = json.loads((tmp_path / "silences.json").read_text(encoding="utf-8"))
    assert silences["intervals"] == [{"start": 2.0, "end": 4.0}]
    _run("media/combine-segments/scripts/combine.py", "silences.json", "--pad", "0.25", cwd=tmp_path)
    plan = json.loads((tmp_path / "segments.json").read_text(encoding="utf-8"))
    assert plan["keep"] == [{"start": 0.0, "end": 2.25}, {"start": 3.75, "end": 6.0}]
    assert plan["kept_s"] == 4.5
    command = _run(
        "media/cut-segments/scripts/cut_command.py", "segments.json", "a b.mp4", "cut.mp4", cwd=tmp_path
    )
    assert "'a b.mp4'" in command
    assert "[0:v]trim=start=3.75:end=6.0,setpts=PTS-STARTPTS[v1]" in command
    assert "[v0][a0][v1][a1]concat=n=2:v=1:a=1[v][a]" in command


def test_combining_in_mode_all_removes_only_what_every_detector_names(tmp_path: Path) -> None:
    for name, start, end in (("a", 0, 10), ("b", 6, 20)):
        lists = {"duration_s": 20, "intervals": [{"start": start, "end": end}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(lists), encoding="utf-8")
    _run("media/combine-segments/scripts/combine.py", "a.json", "b.json", "--mode", "all", "--pad", "0.5",
         cwd=tmp_path)  # fmt: skip
    plan = json.loads((tmp_path / "segments.json").read_text(encoding="utf-8"))
    assert plan["remove"] == [{"start": 6.5, "end": 9.5}]


def test_the_outline_starts_a_section_after_a_long_pause(tmp_path: Path) -> None:
    spoken = [(0, 2, "One."), (2.5, 4, "Two."), (3661, 3663, "Three.")]
    segments = [{"start": start, "end": end, "text": text} for start, end, text in spoken]
    (tmp_path / "transcript.json").write_text(json.dumps({"segments": segments}), encoding="utf-8")
    _run("media/write-lecture-report/scripts/outline.py", "transcript.json", cwd=tmp_path)
    expected = "## 00:00\n\nOne. Two.\n\n## 1:01:01\n\nThree.\n"
    assert (tmp_path / "outline.md").read_text(encoding="utf-8") == expected


def test_access_logs_become_rows_and_rows_become_a_ranking_of_routes(tmp_path: Path) -> None:
    line = '192.0.2.7 - - [02/May/2026:10:00:00 +0000] "GET {} HTTP/1.1" {} 5 "-" "curl/8" {}\n'
    log = line.format("/o/17?x=1", 200, "0.100") + line.format("/o/18", 500, "0.300") + "garbage\n"
    (tmp_path / "access.log").write_text(log + line.format("/", 200, "0.050"), encoding="utf-8")
    said = _run(
        "web-operations/parse-access-logs/scripts/parse_log.py", "access.log", "--mask-ip", cwd=tmp_path
    )
    assert said == "3 requests, 1 lines skipped\n"
    assert "192.0.2.7" not in (tmp_path / "requests.csv").read_text(encoding="utf-8")
    _run("web-operations/find-slow-endpoints/scripts/endpoints.py", "requests.csv", cwd=tmp_path)
    with (tmp_path / "endpoints.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert rows == [
        ["GET /o/:id", "2", "0.100", "0.300", "0.4", "0.500"],
        ["GET /", "1", "0.050", "0.050", "0.1", "0.000"],
    ]


def test_the_health_check_reports_a_refused_connection_and_fails(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/"  # port 1 (tcpmux) is not served anywhere
    said = _run("web-operations/check-http-health/scripts/check_health.py", url, cwd=tmp_path, code=1)
    answer = json.loads(said)
    assert (answer["ok"], answer["status"]) == (False, 0)
    assert answer["problem"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_the_backup_thins_out_old_dumps_of_its_own_database_only(tmp_path: Path) -> None:
    tools, target = tmp_path / "bin", tmp_path / "dumps"
    tools.mkdir()
    target.mkdir()
    (tools / "pg_dump").write_text(
        '#!/bin/sh\nfor a; do case $a in --file=*) echo x > "${a#--file=}";; esac; done\n', encoding="utf-8"
    )
    (tools / "pg_restore").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    names = ["shop-20200101T000000Z.dump", "shop-2-20200101T000000Z.dump", "shop-test-20200101T000000Z.dump"]
    for name in names:
        (target / name).write_text("old", encoding="utf-8")
        os.utime(target / name, (0, 0))
    script = ROOT / "web-operations/backup-postgres/scripts/pg_backup.sh"
    words = ["sh", str(script), "shop", str(target), "14"]
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(words, env=environment, check=True, capture_output=True, timeout=60)
    left = {path.name for path in target.iterdir()}
    assert names[0] not in left
    assert set(names[1:]) < left
    assert len(left) == 4  # the two of others, the new dump and its checksum


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Retry uploads on 503\n\nThe service sheds load.\n", 0),
        ("Fixed bug.\nmore\n", 1),
        ("# only comments\n", 1),
    ],
)
def test_commit_messages_are_judged(message: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "message").write_text(message, encoding="utf-8")
    _run("general/git-commit-hygiene/scripts/check_message.py", "message", cwd=tmp_path, code=code)


def _deck(path: Path, titles: list[str]) -> None:
    """A .pptx with one text per slide, whose show order is the reverse of the file order."""
    main = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    main += 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    main += 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    order = range(len(titles), 0, -1)
    shown = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in order)
    links = "".join(f'<Relationship Id="r{n}" Type="x/slide" Target="slides/slide{n}.xml"/>' for n in order)
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(path, "w") as deck:
        deck.writestr("ppt/presentation.xml", f"<p:presentation {main}>{shown}</p:presentation>")
        rels = f'<Relationships xmlns="{package}">{links}</Relationships>'
        deck.writestr("ppt/_rels/presentation.xml.rels", rels)
        for n, title in zip(reversed(order), reversed(titles), strict=True):
            text = f"<p:sld {main}><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:sld>"
            deck.writestr(f"ppt/slides/slide{n}.xml", text)


def test_slides_are_found_by_their_number_in_the_show(tmp_path: Path) -> None:
    _deck(tmp_path / "q1.pptx", ["Agenda", "Why customers leave"])
    said = _run(
        "general/find-the-right-slides/scripts/slide_text.py", "q1.pptx", "--grep", "CUSTOMERS", cwd=tmp_path
    )
    assert said == "q1.pptx:2  Why customers leave\n"


def test_a_phone_video_is_reported_as_variable_rate_and_silent(tmp_path: Path) -> None:
    video = {"codec_type": "video", "codec_name": "h264", "width": 1920, "height": 1080,
             "r_frame_rate": "30/1", "avg_frame_rate": "27/1"}  # fmt: skip
    probe = {"format": {"duration": "61.5"}, "streams": [video]}
    (tmp_path / "probe.json").write_text(json.dumps(probe), encoding="utf-8")
    said = _run("media/probe-video/scripts/summarize_probe.py", "probe.json", cwd=tmp_path).splitlines()
    assert said == [
        "duration   61.5 s (0:01:01)",
        "video      h264 1920x1080, 27 fps",
        "warning: variable frame rate",
        "warning: no audio",
    ]

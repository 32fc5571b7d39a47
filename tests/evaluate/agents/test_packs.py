from __future__ import annotations

import tomllib

import pytest

from skillquiver.evaluate.agents.packs import PackError, PackTexts, minimal_pack, task_text, with_skills

DOCKERFILE = "FROM ubuntu:24.04\nRUN apt-get update\n"


def _changed(config: str = "", dockerfile: str = DOCKERFILE, ignored: str = "") -> PackTexts:
    return with_skills(PackTexts(config, dockerfile, ignored))


def test_skills_are_copied_at_the_end_and_named_in_the_configuration() -> None:
    config = 'version = "1.0"\n\n[environment] # the image\n{}cpus = 2\n\n[agent]\nuser = "a"\n'
    changed = _changed(config.format(""))
    assert changed.dockerfile == "FROM ubuntu:24.04\nRUN apt-get update\nCOPY skills /skills\n"
    assert changed.config == config.format('skills_dir = "/skills"\n')


@pytest.mark.parametrize(
    "config", ["", 'version = "1.0"\n', "[environment.env]\nA = 'b'\n", "[agent]\ntimeout_sec = 9.0\n"]
)
def test_a_configuration_without_the_section_gets_one(config: str) -> None:
    changed = tomllib.loads(_changed(config).config)
    assert changed.pop("environment")["skills_dir"] == "/skills"
    before = tomllib.loads(config)
    before.pop("environment", None)
    assert changed == before


def test_a_pack_that_names_its_own_place_keeps_it() -> None:
    config = '[environment]\nskills_dir = "/opt/skills"\n'
    changed = _changed(config)
    assert changed.config == config
    assert changed.dockerfile.endswith("\nCOPY skills /opt/skills\n")


@pytest.mark.parametrize(
    "line",
    [
        "COPY skills /skills",
        "copy ./skills/ /skills/",
        "ADD --chown=root:root skills /skills",
        'COPY ["skills", "/skills"]',
        "COPY data \\\n  skills \\\n  /skills",
    ],
)
def test_a_line_that_copies_the_skills_there_already_is_enough(line: str) -> None:
    assert _changed(dockerfile=f"FROM x\n{line}\n").dockerfile == f"FROM x\n{line}\n"


@pytest.mark.parametrize(
    "line",
    [
        "COPY skills /root/.claude/skills",
        "COPY --from=builder skills /skills",
        "# COPY skills /skills",
        "COPY lonely",
    ],
)
def test_other_lines_stay_and_one_is_added(line: str) -> None:
    assert _changed(dockerfile=f"FROM x\n{line}\n").dockerfile == f"FROM x\n{line}\nCOPY skills /skills\n"


def test_what_a_build_ignores_does_not_hide_the_skills() -> None:
    assert _changed(ignored="**/*.md").dockerignore == "**/*.md\n!skills\n!skills/**\n"
    assert _changed(ignored="").dockerignore == ""


@pytest.mark.parametrize(
    ("config", "dockerfile", "why"),
    [
        ("[environment", DOCKERFILE, "not TOML"),
        ('[environment]\nos = "Windows"\n', DOCKERFILE, "not Linux"),
        ("", "", "no environment/Dockerfile"),
        ("", "FROM x\nCOPY skills/pdf /root/.claude/skills/pdf\n", r"single skills \(skills/pdf\)"),
        ('[environment]\nskills_dir = "skills"\n', DOCKERFILE, "no absolute path"),
        ('[environment]\nskills_dir = "/a/../b"\n', DOCKERFILE, "no absolute path"),
        ("[environment]\nskills_dir = 3\n", DOCKERFILE, "no absolute path"),
        ("environment = {cpus = 1}\n", DOCKERFILE, "no plain"),
        ('note = """\n[environment]\n"""\n', DOCKERFILE, "no plain"),
    ],
)
def test_a_pack_that_cannot_be_changed_safely_is_refused(config: str, dockerfile: str, why: str) -> None:
    with pytest.raises(PackError, match=why):
        _changed(config, dockerfile)


def test_a_task_is_all_its_instructions_without_the_canary() -> None:
    first = "<!-- benchmark canary GUID 1 -->\n# canary 2\n\nCount the rows.\n# Canary birds stay\n"
    assert task_text("", [first, " ", "Then sum them."]) == (
        "Count the rows.\n# Canary birds stay\n\nThen sum them."
    )


def test_a_task_without_words_is_refused() -> None:
    with pytest.raises(PackError, match="empty or missing"):
        task_text("", ["# canary\n", ""])


def test_a_query_becomes_a_pack_that_says_it_has_no_test() -> None:
    files = minimal_pack('sb/Count \x7f"rows"', "Count the rows.\n", ["direct", 'a"b'])
    config = tomllib.loads(files["task.toml"])
    assert config["task"]["name"] == "quiver/sb-count-rows"
    assert config["metadata"]["tags"] == ["direct", 'a"b']
    assert config["environment"]["skills_dir"] == "/skills"
    assert files["instruction.md"] == "Count the rows.\n"
    assert "COPY skills /skills" in files["environment/Dockerfile"]
    assert "reward" in files["tests/test.sh"]
    assert files["tests/test.sh"].endswith("exit 1\n")


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("environment = 5", "no table"),
        ("[[environment]]\ncpus = 1", "no table"),
        (f"x = {'[' * 5000}{']' * 5000}", "nested too deep"),
    ],
)
def test_a_configuration_of_another_shape_is_refused(config: str, why: str) -> None:
    with pytest.raises(PackError, match=why):
        _changed(config)

"""Task packs as the `harbor` runner reads them: what is changed in one, and what a minimal one holds.

A pack is a folder with ``task.toml``, ``instruction.md`` (or ``steps/*/instruction.md``), ``environment/``
with a ``Dockerfile``, and ``tests/``. An arm's skills go to ``environment/skills/<name>/``, where SkillsBench
keeps them; the Dockerfile copies that folder into the image, and ``[environment] skills_dir`` names the
place there, from which the runner hands skills to the agent it starts. Texts in, texts out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillquiver.evaluate.agents.folders import safe_name
from skillquiver.skills.sanitize import plain

__all__ = ["SKILLS_DIR", "PackError", "PackTexts", "minimal_pack", "task_text", "with_skills"]

SKILLS_DIR = "/skills"
"""Where an image holds the skills of a pack that does not say."""

_BASE_IMAGE = "ubuntu:24.04"
"""Of packs written from queries; a plain system, into which runners install their agents."""

_SECTION = re.compile(r"^[ \t]*\[environment\][ \t]*(?:#.*)?$", re.MULTILINE)
_COPY = re.compile(r"^\s*(?:COPY|ADD)\s+(?P<rest>.+)$", re.IGNORECASE)


class PackError(Exception):
    """Why one pack cannot be exported; the export goes on with the next."""


@dataclass(frozen=True, slots=True)
class PackTexts:
    """The files of a pack that an arm changes. ``dockerignore`` is empty where there is none."""

    config: str
    dockerfile: str
    dockerignore: str = ""


def with_skills(texts: PackTexts) -> PackTexts:
    """The same pack, with ``environment/skills`` copied into the image and named in its configuration.

    Lines of the Dockerfile that copy the folder elsewhere, as SkillsBench's do, stay. Raises ``PackError``
    for a pack that cannot be changed safely.
    """
    config = _parsed(texts.config)
    environment = config.get("environment", {})
    if not isinstance(environment, dict):
        raise PackError("its environment is no table")
    if str(environment.get("os", "linux")).lower() != "linux":
        raise PackError("its container is not Linux")
    if not texts.dockerfile.strip():
        raise PackError("it has no environment/Dockerfile, into which skills could be copied")
    if named := _single_skills(texts.dockerfile):
        raise PackError(f"its Dockerfile copies single skills ({plain(named)}), which not every arm has")
    place = environment.get("skills_dir") or SKILLS_DIR
    if not isinstance(place, str) or not re.fullmatch(r"/[\w./-]+", place) or ".." in place:
        raise PackError("its skills_dir is no absolute path")
    ignored = texts.dockerignore
    if ignored.strip():
        ignored = f"{ignored.rstrip()}\n!skills\n!skills/**\n"
    return PackTexts(_with_key(texts.config, config, place), _with_copy(texts.dockerfile, place), ignored)


def task_text(config: str, instructions: Sequence[str]) -> str:
    """What the agent is told, as the query of the rankers: all steps, without canary lines on top.

    Raises ``PackError`` where nothing is left.
    """
    _parsed(config)
    parts = [_without_canary(text).strip() for text in instructions]
    query = "\n\n".join(part for part in parts if part)
    if not query:
        raise PackError("its instruction is empty or missing")
    return query


def minimal_pack(query_id: str, query: str, tags: Sequence[str] = ()) -> Mapping[str, str]:
    """Files of a pack whose instruction is ``query``: path → text.

    It has no tests. Its test script says so and writes no reward, so that the runner counts the trial as
    one without a reward rather than as a failure of the agent.
    """
    config = (
        'schema_version = "1.4"\n\n'
        f"[task]\nname = {_toml(f'quiver/{safe_name(query_id)}')}\n\n"
        f"[metadata]\nquery_id = {_toml(plain(query_id))}\n"
        f"tags = [{', '.join(_toml(plain(tag)) for tag in tags)}]\n\n"
        "[environment]\n"
        f'skills_dir = "{SKILLS_DIR}"\n'
    )
    return {
        "task.toml": config,
        "instruction.md": query.rstrip() + "\n",
        "environment/Dockerfile": f"FROM {_BASE_IMAGE}\nWORKDIR /workspace\nCOPY skills {SKILLS_DIR}\n",
        "tests/test.sh": _NO_TEST,
    }


_NO_TEST = """\
#!/bin/sh
# Written by `quiver eval export harbor` for a task that has no test yet.
# A test writes a number from 0 to 1 to /logs/verifier/reward.txt.
echo "this task has no test; no reward is written" >&2
exit 1
"""


# --- how ---------------------------------------------------------------------------------------------


def _parsed(config: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(config)
    except tomllib.TOMLDecodeError as error:
        raise PackError(f"its task.toml is not TOML ({plain(str(error))})") from error
    except RecursionError as error:
        raise PackError("its task.toml is nested too deep") from error


def _without_canary(text: str) -> str:
    """Drop leading comment lines that mark benchmark files; runners do not show them either."""
    lines = text.splitlines()
    while lines and (not lines[0].strip() or _is_canary(lines[0].strip().lower())):
        lines.pop(0)
    return "\n".join(lines)


def _is_canary(line: str) -> bool:
    return "canary" in line and (line.startswith("#") or (line.startswith("<!--") and line.endswith("-->")))


def _with_key(text: str, config: Mapping[str, Any], place: str) -> str:
    """Set ``skills_dir`` without touching anything else; checked by reading the result."""
    if config.get("environment", {}).get("skills_dir") == place:
        return text
    line = f"skills_dir = {_toml(place)}"
    if found := _SECTION.search(text):
        changed = f"{text[: found.end()]}\n{line}{text[found.end() :]}"
    else:
        changed = f"{text.rstrip()}\n\n[environment]\n{line}\n"
    wanted = {**config, "environment": {**config.get("environment", {}), "skills_dir": place}}
    try:
        right = tomllib.loads(changed) == wanted
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise PackError("its task.toml has no plain [environment] section to put skills_dir into")
    return changed


def _with_copy(dockerfile: str, place: str) -> str:
    """Copy the skills at the end of the last stage, unless a line does so already."""
    for sources, goal in _copies(dockerfile):
        if goal.rstrip("/") == place.rstrip("/") and any(_is_skills(source) for source in sources):
            return dockerfile
    return f"{dockerfile.rstrip()}\nCOPY skills {place}\n"


def _single_skills(dockerfile: str) -> str:
    """The first path below ``skills/`` that a line copies; empty if none does."""
    for sources, _ in _copies(dockerfile):
        for source in sources:
            path = source.removeprefix("./")
            if path.startswith("skills/") and not _is_skills(source):
                return source
    return ""


def _is_skills(source: str) -> bool:
    return source.removeprefix("./").rstrip("/").removesuffix("/*").removesuffix("/.") == "skills"


def _copies(dockerfile: str) -> list[tuple[list[str], str]]:
    """Sources and goal of each line that copies from the build context, in shell or JSON form."""
    found = []
    for line in re.sub(r"\\\r?\n", " ", dockerfile).splitlines():
        if not (match := _COPY.match(line)):
            continue
        rest = match["rest"].strip()
        if "--from=" in rest:
            continue
        words = rest.split()
        while words and words[0].startswith("--"):
            words.pop(0)
        if words and words[0].startswith("["):
            words = re.findall(r'"([^"]*)"', " ".join(words))
        if len(words) >= 2:
            found.append((words[:-1], words[-1]))
    return found


def _toml(text: str) -> str:
    """A basic string: TOML's escapes are JSON's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

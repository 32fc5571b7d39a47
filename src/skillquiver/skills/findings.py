"""The one table of what can be wrong with a library: code, severity, meaning, remedy.

docs/findings.md is generated from it (``python -m skillquiver.skills.findings``), and a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from skillquiver.types import Finding, Severity

__all__ = ["FAULTS", "Fault", "clip", "finding", "findings_page"]

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

_MAX_QUOTE = 120
"""Longest piece of a skill's text that a message repeats."""

_MAX_MESSAGE = 600
"""Longest message: one finding must not flood a report."""

_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault: how bad it is, what it means, what to do about it."""

    severity: Severity
    meaning: str
    remedy: str


FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        # since the last index
        "file-changed": Fault(
            _WARNING,
            "A file's content is not what was indexed.",
            "Run `quiver index`; review the change first.",
        ),
        "file-gone": Fault(_WARNING, "An indexed file cannot be read any more.", "Run `quiver index`."),
        # discovery
        "root-missing": Fault(
            _ERROR, "A library root does not exist.", "Correct the path, or drop the root."
        ),
        "root-not-folder": Fault(
            _ERROR, "A library root is a file.", "Give the folder that holds the skill folders."
        ),
        "root-link": Fault(_INFO, "A library root is a symbolic link.", "Nothing: its target was read."),
        "root-label-repeated": Fault(
            _WARNING,
            "Two roots have the same label; the later one was given a number.",
            "Name it yourself: LABEL=PATH.",
        ),
        "roots-overlap": Fault(
            _INFO,
            "Folders of this root were already read through an earlier root; they belong to that one.",
            "Drop one of the two roots.",
        ),
        "unreadable": Fault(
            _ERROR, "A file or folder could not be read.", "Correct its permissions, or remove it."
        ),
        "too-deep": Fault(
            _WARNING,
            "Folders below the depth limit were not searched.",
            "Give the deeper folder as a root of its own.",
        ),
        "deeper-than-hosts": Fault(
            _INFO,
            "Skills lie deeper below the root than hosts search.",
            "Move them up, or link them from the host's skills folder.",
        ),
        "nested-skill": Fault(
            _INFO,
            "Skills stand more than one folder below a host's skills folder; some hosts do not see them.",
            "Move each one directly below the skills folder.",
        ),
        "link-followed": Fault(
            _INFO,
            "A link leads to a skill outside the root; it was read from there.",
            "Nothing, if you made the link.",
        ),
        "link-loop": Fault(
            _WARNING, "A link leads back to a folder that contains it, or to itself.", "Remove the link."
        ),
        "link-repeated": Fault(
            _INFO, "A link leads to a folder that was already read; it counts once.", "Nothing."
        ),
        "link-leaves-root": Fault(
            _WARNING,
            "A link leads out of the root to something that is not a skill; it was not followed.",
            "Remove it, or give its target as a root.",
        ),
        "link-dangling": Fault(_WARNING, "A link leads nowhere.", "Remove it, or restore its target."),
        "not-a-file": Fault(
            _WARNING, "Something named like a skill file is no regular file.", "Remove or rename it."
        ),
        "skill-file-case": Fault(
            _WARNING,
            "The file is not spelled SKILL.md; hosts on case-sensitive disks do not see it.",
            "Rename it to SKILL.md.",
        ),
        "skill-file-second": Fault(
            _WARNING, "A folder holds several skill files; one was read.", "Keep only SKILL.md."
        ),
        "path-unsafe": Fault(
            _WARNING,
            "A folder's name has characters that an id cannot have; the id replaces them.",
            "Rename the folder.",
        ),
        "path-not-text": Fault(_ERROR, "A name is not UTF-8; it was not read.", "Rename the file or folder."),
        "plugin-version-old": Fault(
            _INFO, "A plugin has several versions in the cache; only the newest was read.", "Nothing."
        ),
        "plugin-disabled": Fault(_INFO, "A plugin is switched off in the host's settings.", "Nothing."),
        "marketplace-skipped": Fault(
            _INFO, "A marketplace checkout is not installed, so it was not read.", "Nothing."
        ),
        # bytes to text
        "file-too-large": Fault(
            _ERROR, "The file is larger than any skill; it was not read.", "Move the data to a bundled file."
        ),
        "file-empty": Fault(_ERROR, "The file has no text.", "Write the skill, or remove the file."),
        "not-text": Fault(_ERROR, "The file is not text.", "Replace it by Markdown in UTF-8."),
        "encoding-utf16": Fault(
            _WARNING, "The file is UTF-16; most hosts cannot read it.", "Save it as UTF-8."
        ),
        "encoding-invalid": Fault(
            _WARNING, "The file has bytes that are not UTF-8; they were replaced.", "Save it as UTF-8."
        ),
        "characters-hidden": Fault(
            _WARNING,
            "The text has invisible characters that can hide or reorder words.",
            "Remove them, and ask where they came from.",
        ),
        # frontmatter
        "frontmatter-missing": Fault(
            _WARNING,
            "The file has no frontmatter; name and description were taken from folder and text.",
            "Begin the file with ---, name, description, ---.",
        ),
        "frontmatter-empty": Fault(
            _ERROR, "Frontmatter and text are empty.", "Write the skill, or remove the file."
        ),
        "frontmatter-blank": Fault(
            _WARNING,
            "The frontmatter has no fields; name and description were taken from folder and text.",
            "Write name and description.",
        ),
        "frontmatter-late": Fault(
            _WARNING,
            "Something stands before the frontmatter; hosts may not see it.",
            "Make --- the first line of the file.",
        ),
        "frontmatter-unfenced": Fault(
            _WARNING,
            "The fields stand in the file without --- before them; hosts do not see them.",
            "Put --- before and after the fields.",
        ),
        "frontmatter-unclosed": Fault(
            _ERROR,
            "The frontmatter never closes; it was cut where the fields end.",
            "Write --- on its own line after the last field.",
        ),
        "frontmatter-quoted": Fault(
            _WARNING,
            "A value is not valid YAML without quotes; it was read as if it had them.",
            "Put the value in quotes.",
        ),
        "frontmatter-tab": Fault(
            _WARNING,
            "The frontmatter is indented with tabs; they were read as spaces.",
            "Indent with spaces.",
        ),
        "frontmatter-invalid": Fault(
            _ERROR,
            "The frontmatter is not valid YAML and cannot be repaired; simple fields were read line by line.",
            "Correct the YAML at the given place.",
        ),
        "frontmatter-restriction": Fault(
            _ERROR,
            "The frontmatter is broken and restricts the skill; the restriction was kept.",
            "Correct the YAML: hosts that cannot read it drop the restriction.",
        ),
        "frontmatter-not-fields": Fault(
            _ERROR, "The frontmatter is not a list of fields.", "Write one `field: value` per line."
        ),
        "frontmatter-too-large": Fault(
            _ERROR, "The frontmatter is too large or too deeply nested.", "Move text into the body."
        ),
        "frontmatter-aliases": Fault(
            _ERROR, "The frontmatter repeats itself by aliases beyond reason.", "Write the values out."
        ),
        "frontmatter-tag": Fault(
            _ERROR,
            "The frontmatter asks for an object to be built (a YAML tag); the value was dropped.",
            "Remove the tag, and ask where the skill came from.",
        ),
        "field-repeated": Fault(
            _WARNING, "A field is written twice; the last one counts.", "Keep one of them."
        ),
        # the Agent Skills format
        "name-missing": Fault(
            _WARNING, "The skill has no name; its folder's name counts.", "Write `name: <folder>`."
        ),
        "name-too-long": Fault(_WARNING, "The name has more than 64 characters.", "Shorten it."),
        "name-characters": Fault(
            _INFO,
            "The name is not lower-case letters, digits and single hyphens.",
            "Rename it; some hosts refuse such names.",
        ),
        "name-folder": Fault(_INFO, "Name and folder differ; some hosts refuse that.", "Make them the same."),
        "description-missing": Fault(
            _WARNING,
            "The skill has no description; its first prose counts.",
            "Say what it does and when to use it.",
        ),
        "description-too-long": Fault(
            _WARNING, "The description has more than 1,024 characters.", "Move detail into the body."
        ),
        "compatibility-too-long": Fault(
            _INFO, "The field `compatibility` has more than 500 characters.", "Shorten it."
        ),
        "metadata-not-text": Fault(
            _INFO,
            "`metadata` holds more than text values; it was kept as it is.",
            "Nothing, unless a host refuses it.",
        ),
        "body-too-long": Fault(
            _INFO, "The text has more than 500 lines.", "Move detail into bundled references."
        ),
        "body-missing": Fault(
            _WARNING, "The skill has no instructions.", "Write them below the frontmatter."
        ),
        "pipe-to-shell": Fault(
            _INFO,
            "The text shows a command that runs what it downloads; it is noted, not blocked.",
            "Read it before you let an agent follow it.",
        ),
        # copies
        "mirror": Fault(
            _INFO, "A copy of another skill: same name, same text; the other one was kept.", "Remove one."
        ),
        "shadowed": Fault(
            _WARNING,
            "A skill of the same name from a closer place takes precedence.",
            "Rename or remove one of them.",
        ),
        "name-shared": Fault(
            _INFO,
            "Several skills share a name with different texts; all were kept.",
            "Address them by id, or rename them.",
        ),
        "body-shared": Fault(
            _INFO, "Several skills have the same text under different names; all were kept.", "Keep one."
        ),
    }
)


def clip(text: str, limit: int = _MAX_QUOTE) -> str:
    """``text`` on one line, without control or invisible characters, at most ``limit`` characters."""
    line = " ".join(_UNPRINTABLE.sub(" ", text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def finding(code: str, path: str, message: str = "", *, line: int = 0, column: int = 0) -> Finding:
    """A finding of the table's kind ``code``; an empty message stands for the table's meaning."""
    fault = FAULTS[code]
    said = clip(message, _MAX_MESSAGE) or fault.meaning
    return Finding(code, clip(path, 4096), said, fault.remedy, fault.severity, line, column)


def findings_page() -> str:
    """The text of docs/findings.md."""
    rows = [f"| `{code}` | {f.severity} | {f.meaning} | {f.remedy} |" for code, f in FAULTS.items()]
    head = (
        "# Findings\n\nOne bad file never stops an index. Each fault becomes a finding with a stable code, "
        "a place and a remedy.\nAn *error* loses something, a *warning* may, *info* does not.\n\n"
        "| code | severity | what it means | what to do |\n| --- | --- | --- | --- |\n"
    )
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    import sys

    sys.stdout.write(findings_page())

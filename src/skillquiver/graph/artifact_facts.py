"""Named files in a skill's text, and whether the skill writes or reads them."""

from __future__ import annotations

import re
from enum import IntEnum

import msgspec

__all__ = ["Artifact", "Role", "read_artifacts"]


class Role(IntEnum):
    """What a skill does with a file."""

    READS = 1
    WRITES = 2


class Artifact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A named file, lower case without folders; ``start`` is its offset in the body."""

    name: str
    role: int
    start: int


_DATA = (
    "json|jsonl|ndjson|csv|tsv|md|mdx|yaml|yml|xlsx|xls|pdf|html|txt|parquet|feather|png|svg|jpg|docx|pptx|xml|toml|"
    "sql|db|sqlite|h5ad|h5|nii|bam|sam|vcf|bed|fasta|fastq|fa|wav|mp3|mp4|srt|vtt|geojson|shp|npy|npz|pkl|pt|onnx|"
    "gguf|safetensors|ipynb|log|ics|eml|mmd|dot|puml|bib|tex|epub|stl|step|dxf|obj|gltf|glb|pcap|har|sarif|cif|pdb|sdf"
)
"""Extensions of data and documents. Program sources are left out: a script is not handed on."""

_FILE = re.compile(rf"(?<![\w@])(?:[\w.{{}}<>$*~-]+/)*([A-Za-z_][\w-]{{2,60}}\.(?:{_DATA}))(?![\w/-]|\.\w)")
_WRITES = re.compile(
    r"(?:\b(?:writes?|saves?|creates?|generates?|produces?|outputs?|exports?|emits?|stores?|dumps?)\b[^.\n]{0,50}"
    r"|(?:--?o(?:ut(?:put)?)?(?:-\w+)?|--save(?:-\w+)?|--export)[ =\"']+\S{0,40}"
    r"|>>?\s*[\"']?\S{0,40}"
    r"|\.(?:to_\w+|save\w*|write\w*|dump)\([^()\n]{0,40})$",
    re.IGNORECASE,
)
_READS = re.compile(
    r"(?:\b(?:reads?|loads?|parses?|opens?|ingests?|consumes?|takes?|requires?|needs?|given|from|inputs?)\b[^.\n]{0,50}"
    r"|(?:\s-i|\s--[a-z][\w-]*)[ =\"']+(?:[^\s-]\S*\s){0,3}\S{0,40}"
    r"|\bcat [\"']?\S{0,40}"
    r"|\b(?:\w+\.)?(?:read\w*|load\w*|open)\([^()\n]{0,40})$",
    re.IGNORECASE,
)
_WRITE_MODE = re.compile(r"[\"']?\s*,\s*[\"'][wax]")
_REACH = 80
"""Characters before a file name in which the verb that governs it stands."""


def read_artifacts(body: str) -> tuple[Artifact, ...]:
    """Return each file that the text says is written or read, once per role, in order of place."""
    found: dict[tuple[str, int], Artifact] = {}
    for match in _FILE.finditer(body):
        role = _role(body, match)
        if role is not None:
            artifact = Artifact(match[1].lower(), role, match.start())
            found.setdefault((artifact.name, role), artifact)
    return tuple(found.values())


def _role(body: str, match: re.Match[str]) -> Role | None:
    before = body[max(0, match.start() - _REACH) : match.start()]
    before = before[before.rfind("\n") + 1 :]
    if _WRITE_MODE.match(body, match.end()):
        return Role.WRITES
    writes, reads = _WRITES.search(before), _READS.search(before)
    if writes and reads:
        return Role.WRITES if writes.start() >= reads.start() else Role.READS
    if writes:
        return Role.WRITES
    return Role.READS if reads else None

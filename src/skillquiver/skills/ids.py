"""Legal ids, root labels and references to skills. Nothing here touches the disk."""

from __future__ import annotations

import re
import unicodedata

from skillquiver.errors import UsageError
from skillquiver.skills.findings import clip

__all__ = ["MAX_REF", "check_label", "check_skill_ref", "clean_part"]

MAX_REF = 1024
"""Longest id or name that is accepted: no file system has longer relative paths in practice."""

_MAX_PART = 255
"""Longest file name on common file systems."""

_LABEL = re.compile(r"[^\W_][\w.+~-]{0,63}")
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\\\\]")
_DRIVE = re.compile(r"[A-Za-z]:(/|$)")


def check_skill_ref(text: str) -> str:
    """An id or bare name as the user gave it, cleaned (outer blanks, trailing ``/``, Unicode NFC).

    Raises ``UsageError`` for anything that could be a path out of the library: ``.`` and ``..`` parts,
    absolute paths, drive letters, backslashes, control characters, over-long or empty text.
    """
    if len(text) > MAX_REF:
        raise UsageError(f"a skill id has at most {MAX_REF} characters; this one has {len(text)}")
    if _FORBIDDEN.search(text):
        raise UsageError(
            f"a skill id has no control characters or backslashes: {clip(text)!r}; copy it from a search"
        )
    ref = unicodedata.normalize("NFC", text.strip())
    if ref.startswith(("/", "~")) or _DRIVE.match(ref):
        raise UsageError(f"{clip(ref)!r} is a path; give a skill id such as 'tools/pdf', or a skill's name")
    ref = ref.rstrip("/")
    parts = ref.split("/")
    if not ref or any(part.strip() in ("", ".", "..") for part in parts):
        raise UsageError(
            f"{clip(text)!r} is no skill id; write it like 'tools/pdf', without '..' or empty parts"
        )
    return ref


def check_label(text: str) -> str:
    """A root label: a letter or digit, then letters, digits, ``._+~-``; at most 64. Or ``UsageError``."""
    label = unicodedata.normalize("NFC", text)
    if not _LABEL.fullmatch(label) or ".." in label:
        raise UsageError(
            f"{clip(text)!r} is no root label: use letters, digits, . _ + ~ - (at most 64), as in tools=PATH"
        )
    return label


def clean_part(name: str) -> str:
    """A folder's name as one part of an id: NFC, with characters that no id may have replaced by ``_``."""
    part = unicodedata.normalize("NFC", _FORBIDDEN.sub("_", name)).strip()[:_MAX_PART]
    return part if part not in ("", ".", "..") else "_"

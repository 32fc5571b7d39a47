"""Bytes to text: byte-order marks, UTF-16, line ends, size bound, invalid bytes. Never raises."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from skillquiver.skills.findings import finding
from skillquiver.types import Finding

__all__ = ["Decoded", "decode"]

_SAMPLE = 4096
"""Bytes looked at to tell text from other data."""

_MAX_NOISE = 0.1
"""Share of control or replacement characters above which the file is not text."""

_NOISE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_LINE_ENDS = re.compile("\r\n?")
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """``text`` has only line feeds, no byte-order mark, no NUL; ``None`` if nothing can be read."""

    text: str | None
    findings: tuple[Finding, ...] = ()


def decode(data: bytes, path: str, *, max_bytes: int) -> Decoded:
    """Read ``data`` as UTF-8, or as UTF-16 if it says or shows so; other bytes become U+FFFD."""
    if len(data) > max_bytes:
        size = f"more than {max_bytes:,} bytes"
        return Decoded(None, (finding("file-too-large", path, size),))
    text, found = _to_text(data, path)
    sample = text[:_SAMPLE]
    noise = len(_NOISE.findall(sample))
    if noise > _MAX_NOISE * len(sample):
        return Decoded(
            None, (finding("not-text", path, f"{noise} of {len(sample)} characters are not text"),)
        )
    text = _LINE_ENDS.sub("\n", text).replace("\x00", "\ufffd") if "\r" in text or "\x00" in text else text
    if not text.strip("\ufeff\ufffd \n\t\f\v"):
        return Decoded(None, (finding("file-empty", path),))
    return Decoded(text, found)


def _to_text(data: bytes, path: str) -> tuple[str, tuple[Finding, ...]]:
    codec, start = _codec(data)
    body = data[start:]
    found: list[Finding] = []
    if codec != "utf-8":
        found.append(finding("encoding-utf16", path, f"the file is {codec.upper()}"))
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1 if codec == "utf-8" else 0
        found.append(finding("encoding-invalid", path, f"{error.reason} at byte {error.start}", line=line))
        text = body.decode(codec, "replace")
    if codec != "utf-8":  # an unpaired surrogate cannot be written as UTF-8 later
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text, tuple(found)


def _codec(data: bytes) -> tuple[str, int]:
    """The codec and the length of the byte-order mark. UTF-16 without a mark shows by its NULs."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8", 3
    for mark, codec in _UTF16:
        if data.startswith(mark):
            return codec, 2
    sample = data[:_SAMPLE]
    if len(sample) >= 8 and b"\x00" in sample:
        even, odd = sample[::2].count(0) / len(sample[::2]), sample[1::2].count(0) / len(sample[1::2])
        if odd > 0.7 and even < 0.1:
            return "utf-16-le", 0
        if even > 0.7 and odd < 0.1:
            return "utf-16-be", 0
    return "utf-8", 0

"""Token counts: one counter for the whole project.

The counter is tiktoken's ``cl100k_base`` with its vocabulary in this package, so that it needs no
network. Against ``o200k_base`` on public skills its total differs by less than 1 % (docs/decisions/0003).
"""

from __future__ import annotations

import base64
import gzip
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

__all__ = ["TOKENIZER", "count_tokens"]

TOKENIZER = "cl100k_base"
"""Name of the tokenizer every count in this project refers to."""

_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

_CHUNK = 100_000
"""Longest run handed to the tokenizer at once: its pattern is not linear on pathological text."""


def count_tokens(text: str) -> int:
    """Number of ``cl100k_base`` tokens in ``text``; special-token spellings count as plain text."""
    encoding = _encoding()
    if len(text) <= _CHUNK:
        return len(encoding.encode_ordinary(text))
    return sum(len(encoding.encode_ordinary(text[i : i + _CHUNK])) for i in range(0, len(text), _CHUNK))


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    """Build the encoding from the packaged vocabulary (about 0.2 s, once per process)."""
    import tiktoken  # only callers that count pay for it

    packed = files("skillquiver.skills").joinpath("data", "cl100k_base.tiktoken.gz").read_bytes()
    lines = (line.split() for line in gzip.decompress(packed).splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encoding = tiktoken.Encoding(TOKENIZER, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # the encoding has its own copy, and keeps this one for callers that decode: 16 MB
    return encoding

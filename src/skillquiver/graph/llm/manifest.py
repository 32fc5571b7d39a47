"""The manifest on disk: canonical JSON, so that it can be reviewed, committed and compared."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from skillquiver.errors import LibraryError
from skillquiver.graph.llm.completion import Manifest

__all__ = ["read_manifest", "write_manifest"]


def read_manifest(file: Path) -> Manifest:
    """Read ``file``; an absent one is an empty manifest. Raises ``LibraryError`` if it is damaged."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Manifest()
    try:
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LibraryError(f"{file} is no completion manifest ({error}); restore or delete it") from error


def write_manifest(file: Path, manifest: Manifest) -> None:
    """Replace ``file`` in one step. Keys and skills are sorted: equal manifests are equal bytes."""
    data = msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1) + b"\n"
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)

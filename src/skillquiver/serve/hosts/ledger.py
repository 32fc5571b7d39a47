"""What was written where: kept in the user's data folder, and gone when nothing of ours is left."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from skillquiver.serve.hosts.config_files import HostFileError, Replacement, Snapshot, read_file
from skillquiver.serve.hosts.edits import Applied

__all__ = ["FileRecord", "Ledger", "digest", "ledger_path", "ledger_replacement", "read_ledger"]

VERSION = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What we did to one file, in the order in which it was done.

    ``existed`` is whether it was there before us, ``blank`` its text if that held nothing, ``before`` and
    ``after`` the SHA-256 of its bytes before the first edit and after the last one.
    """

    applied: tuple[Applied, ...]
    existed: bool
    blank: str | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every file with something of ours, by absolute path, and every folder we made."""

    files: Mapping[str, FileRecord] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    version: int = VERSION


def ledger_path() -> Path:
    """Where the ledger is."""
    from platformdirs import user_data_path

    return user_data_path("skillquiver", appauthor=False) / "installs.json"


def read_ledger(path: Path) -> tuple[Ledger, Snapshot]:
    """Read the ledger; an empty one if there is none. Raises ``HostFileError`` for a damaged one."""
    snapshot = read_file(path)
    if snapshot.data is None:
        return Ledger(), snapshot
    try:
        ledger = msgspec.json.decode(snapshot.data, type=Ledger)
    except msgspec.MsgspecError as error:
        raise HostFileError(
            f"{path}, the record of what was installed, is damaged ({error}); move it away, and remove "
            "entries named skillquiver by hand"
        ) from error
    if ledger.version != VERSION:
        raise HostFileError(f"{path} has format {ledger.version}, this version reads {VERSION}")
    return ledger, snapshot


def ledger_replacement(ledger: Ledger, snapshot: Snapshot) -> Replacement:
    """The ledger as a file to write, or to remove if it holds nothing."""
    if not ledger.files:
        return Replacement(snapshot, None)
    return Replacement(snapshot, msgspec.json.format(msgspec.json.encode(ledger), indent=1) + b"\n")


def digest(data: bytes | None) -> str:
    """SHA-256 of a file's bytes, hexadecimal; empty for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()

"""Where the local socket is, and who may use it: one user, on one machine.

The socket is a file that only its owner may open, in a folder that only its owner may enter. Both ends
check that; where the system tells, they also check who is at the other end. A hook asks sooner than
``pathlib``, ``socket`` and ``typing`` are imported, so paths are strings and the C module is used here.
"""

from __future__ import annotations

import _socket
import os
import stat
import sys
from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SUPPORTED", "owner_only", "peer_is_owner", "runtime_folder", "socket_file"]

SUPPORTED = hasattr(_socket, "AF_UNIX") and hasattr(os, "getuid")
"""False on Windows, whose Python has no Unix sockets: hooks answer lexically there."""


def runtime_folder(environment: Mapping[str, str]) -> str:
    """Folder of the sockets: in ``XDG_RUNTIME_DIR``, else in the folder for temporary files."""
    given = environment.get("XDG_RUNTIME_DIR", "")
    if given.startswith("/"):
        return os.path.join(given, "skillquiver")
    return os.path.join(environment.get("TMPDIR") or "/tmp", f"skillquiver-{os.getuid()}")  # noqa: S108


def socket_file(library: str, environment: Mapping[str, str]) -> str:
    """The socket of the library at the absolute path; two may share a name, so that questions name theirs."""
    return os.path.join(runtime_folder(environment), f"{crc32(os.fsencode(library)):08x}.sock")


def owner_only(path: str) -> bool:
    """Whether ``path`` is there, no link, this user's, and closed to everybody else."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    closed = not stat.S_IMODE(found.st_mode) & 0o077
    return not stat.S_ISLNK(found.st_mode) and found.st_uid == os.getuid() and closed


def peer_is_owner(connection: _socket.socket) -> bool:
    """Whether the other end runs as this user; true where the system cannot tell, as files guard it, too."""
    uid = _peer_uid(connection)
    return uid is None or uid == os.getuid()


def _peer_uid(connection: _socket.socket) -> int | None:
    """The second of three integers of four bytes: process, user, group (``unix(7)``)."""
    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:  # Linux has it
        return None
    found = connection.getsockopt(_socket.SOL_SOCKET, option, 12)
    return int.from_bytes(found[4:8], sys.byteorder)

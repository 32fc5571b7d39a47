"""Bearer tokens: a file that holds their hashes and what each may read. The tokens themselves are nowhere."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from skillquiver.errors import UsageError

__all__ = [
    "EVERY_LIBRARY",
    "Token",
    "TokenFile",
    "add_token",
    "default_tokens_file",
    "find_token",
    "read_tokens",
    "remove_token",
]

EVERY_LIBRARY = "*"
"""The scope of a token that may read whatever the server serves."""

PREFIX = "qvr_"
"""Tells people and scanners of leaked secrets what the string is."""

BYTES = 32
"""256 random bits. Nobody can try them out, so that one round of SHA-256 is enough (decisions/0055)."""

LOCK_SECONDS = 10.0
"""Longest wait for another process that changes the file: it takes milliseconds."""


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One token: its ``name``, the SHA-256 of the secret, the libraries it may read, when it was made."""

    name: str
    sha256: str
    libraries: tuple[str, ...]
    created: str

    def may_read(self, library: str) -> bool:
        """Whether ``library`` is within its scope."""
        return EVERY_LIBRARY in self.libraries or library in self.libraries


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int = 1
    tokens: tuple[Token, ...] = ()


def default_tokens_file() -> Path:
    """Where tokens are kept unless said otherwise: the user's own configuration folder."""
    from platformdirs import user_config_path

    return user_config_path("skillquiver", appauthor=False) / "tokens.json"


def read_tokens(file: Path) -> tuple[Token, ...]:
    """Return the tokens in ``file``, none if there is no file.

    Raises ``UsageError`` if others than its owner may read or write it, or it is no file of tokens.
    """
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            data = stream.read()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"others may open {file}, which decides who is let in; run: chmod 600 {file}")
    try:
        document = msgspec.json.decode(data, type=_Document)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{file} is no file of tokens: {error}") from error
    if document.format != 1:
        raise UsageError(f"{file} has format {document.format}; this version reads format 1")
    return document.tokens


def add_token(file: Path, name: str, libraries: Sequence[str], *, created: str) -> str:
    """Make a token that may read ``libraries``, and return it: it is shown this once.

    Raises ``UsageError`` for a name that is taken or empty, and for a file that cannot be used.
    """
    if not name or not name.isprintable():
        raise UsageError("a token needs a printable name, by which it is listed and removed")
    if not libraries:
        raise UsageError("say which libraries the token may read")
    secret = PREFIX + secrets.token_urlsafe(BYTES)

    def added(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        if any(token.name == name for token in tokens):
            raise UsageError(f"there is a token {name!r} already; remove it first")
        scope = tuple(sorted(set(libraries)))
        return (*tokens, Token(name=name, sha256=_digest(secret), libraries=scope, created=created))

    _change(file, added)
    return secret


def remove_token(file: Path, name: str) -> None:
    """Remove a token; servers refuse it from the next request on. Raises ``UsageError`` if there is none."""

    def rest(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        if all(token.name != name for token in tokens):
            raise UsageError(f"no token {name!r} in {file}; `quiver token list` shows them")
        return tuple(token for token in tokens if token.name != name)

    _change(file, rest)


def find_token(tokens: Sequence[Token], secret: str) -> Token | None:
    """Return the token whose secret this is. Every hash is compared, in constant time."""
    digest, found = _digest(secret), None
    for token in tokens:
        if hmac.compare_digest(token.sha256.encode(), digest.encode()):
            found = token
    return found


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _change(file: Path, change: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
    """Replace the file by a changed one: readers see the old or the new, and only the owner sees either."""
    from filelock import FileLock, Timeout

    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(f"{file}.lock", timeout=LOCK_SECONDS):
            document = _Document(tokens=change(read_tokens(file)))
            _write(file, msgspec.json.format(msgspec.json.encode(document)) + b"\n")
    except Timeout as error:
        raise UsageError(f"another process is changing {file}; try again") from error
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error


def _write(file: Path, data: bytes) -> None:
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}.new")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


class TokenFile:
    """The tokens as they are now: the file is read again whenever it changed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._seen: tuple[int, ...] | None = None
        self._tokens: tuple[Token, ...] = ()

    def tokens(self) -> tuple[Token, ...]:
        """Return them. Raises ``UsageError``, as ``read_tokens``, each time until the file is mended."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = None
            self._tokens = read_tokens(self.file)
            self._seen = stamp
        return self._tokens

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = self.file.stat()
        except OSError:  # reading it says what is wrong
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode

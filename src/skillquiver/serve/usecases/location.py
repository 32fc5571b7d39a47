"""Where the library is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skillquiver.errors import UsageError

__all__ = ["LIBRARY_VARIABLE", "library_folder"]

LIBRARY_VARIABLE = "QUIVER_LIBRARY"


def library_folder(given: str, environment: Mapping[str, str]) -> Path:
    """Folder of the library: ``given``, else ``QUIVER_LIBRARY``, else the per-user data folder.

    Raises ``UsageError`` for the home folder of a user that does not exist.
    """
    chosen = given or environment.get(LIBRARY_VARIABLE, "")
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError as error:
            raise UsageError(f"{chosen!r}: no such user; give the folder without '~'") from error
    from platformdirs import user_data_path

    return user_data_path("skillquiver", appauthor=False) / "library"

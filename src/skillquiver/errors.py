"""The exception tree. Every message says what failed, where, and what to do.

::

    SkillquiverError
    ├── UsageError              the caller asked for something impossible (exit 2)
    │   ├── UnknownSkillError   no skill has this id or name
    │   ├── AmbiguousNameError  a bare name that several skills share
    │   └── ConflictError       wishes that cannot be fulfilled together
    ├── LlmError                no call to a language model can work (exit 1)
    └── LibraryError            the stored library cannot be used (exit 3)
        ├── LibraryMissingError nothing has been indexed there
        ├── LibraryLockedError  another process is writing
        └── EncoderError        the encoder's files are missing or damaged
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AmbiguousNameError",
    "ConflictError",
    "EncoderError",
    "LibraryError",
    "LibraryLockedError",
    "LibraryMissingError",
    "LlmError",
    "SkillquiverError",
    "UnknownSkillError",
    "UsageError",
]


class SkillquiverError(Exception):
    """Base of everything this package raises on purpose."""

    exit_code = 1


class UsageError(SkillquiverError):
    """The request itself is wrong: an illegal id, an empty budget, an unknown option value."""

    exit_code = 2


class UnknownSkillError(UsageError):
    """No skill has this id or name; ``suggestions`` lists the closest ids."""

    def __init__(self, wanted: str, suggestions: Sequence[str] = ()) -> None:
        self.wanted, self.suggestions = wanted, tuple(suggestions)
        hint = f"; did you mean {', '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"no skill called {wanted!r} in this library{hint}")


class AmbiguousNameError(UsageError):
    """A bare name that several skills share; ``candidates`` lists their ids."""

    def __init__(self, wanted: str, candidates: Sequence[str]) -> None:
        self.wanted, self.candidates = wanted, tuple(candidates)
        super().__init__(
            f"{wanted!r} names {len(self.candidates)} skills; use one of: {', '.join(candidates)}"
        )


class ConflictError(UsageError):
    """Each wish may be fulfilled, but not all of them together: skills in conflict, or too small a budget."""


class LlmError(SkillquiverError):
    """No call of this run can work: no key, a key or a model that is refused, a missing extra."""


class LibraryError(SkillquiverError):
    """The stored library cannot be used as it is."""

    exit_code = 3


class LibraryMissingError(LibraryError):
    """Nothing has been indexed at the place that was asked for."""


class LibraryLockedError(LibraryError):
    """Another process is writing this library; the message names it."""


class EncoderError(LibraryError):
    """The encoder's files are missing, damaged, or not the ones the vectors were made with."""

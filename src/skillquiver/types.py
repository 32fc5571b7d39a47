"""Words shared by every layer; nothing here names a higher one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NewType, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["Encoder", "Finding", "Severity", "SkillId", "Status"]

SkillId = NewType("SkillId", str)
"""``<root label>/<folder path under that root>``; see docs/data-model.md."""


class Severity(StrEnum):
    """How bad a finding is: an ``error`` loses something, a ``warning`` may, ``info`` does not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Status(StrEnum):
    """What a search is worth: a confident ``hit``, a ``weak`` guess, or ``none`` of the library."""

    HIT = "hit"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault in a library: what (``code``), where, and what to do about it.

    ``code`` is stable and documented in docs/findings.md. ``path`` is the file or folder as it was
    found; ``line`` and ``column`` count from 1 and are 0 where they have no meaning.
    """

    code: str
    path: str
    message: str
    remedy: str
    severity: Severity = Severity.WARNING
    line: int = 0
    column: int = 0


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into unit vectors. Implementations are registered under ``skillquiver.encoders``."""

    @property
    def name(self) -> str:
        """Identifies the model and its weights; vectors of two names never mix."""
        ...

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape ``(len(texts), dimension)``, rows of L2 norm 1, in input order."""
        ...

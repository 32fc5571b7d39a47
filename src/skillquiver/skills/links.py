"""Symbolic links: where one leads, without following it for ever."""

from __future__ import annotations

import errno
import os
from enum import Enum

__all__ = ["LinkKind", "judge_link"]


class LinkKind(Enum):
    """Where a link leads, seen from a root."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    DANGLING = "link-dangling"
    LOOP = "link-loop"

    @property
    def code(self) -> str:
        """The finding code of a link that leads nowhere."""
        return self.value


def judge_link(path: str, real_root: str) -> tuple[LinkKind, str]:
    """The kind of a link and its target: the real path, or the text of the link where there is none."""
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:
        kind = LinkKind.LOOP if error.errno == errno.ELOOP else LinkKind.DANGLING
        return kind, _text_of(path)
    inside = target == real_root or target.startswith(real_root.rstrip(os.sep) + os.sep)
    return (LinkKind.INSIDE if inside else LinkKind.OUTSIDE), target


def _text_of(path: str) -> str:
    try:
        return os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))  # noqa: PTH115, PTH118, PTH120
    except OSError:
        return "?"

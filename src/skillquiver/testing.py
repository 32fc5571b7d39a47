"""Public test doubles for people who extend Skillquiver."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillquiver.skills.records import Skill
from skillquiver.types import SkillId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["HashEncoder", "make_skill"]


def make_skill(name: str, description: str = "", body: str = "", **fields: Any) -> Skill:
    """Return a skill of root ``test``; any field of the record may be given."""
    content = f"{name}\n{description}\n{body}"
    values: dict[str, Any] = {
        "id": SkillId(f"test/{name}"),
        "name": name,
        "description": description or f"Does {name}.",
        "body": body,
        "path": f"/nowhere/{name}/SKILL.md",
        "root": "test",
        "content_hash": hashlib.sha256(content.encode()).hexdigest(),
        "body_hash": hashlib.sha256(body.strip().encode()).hexdigest(),
    }
    return Skill(**(values | fields))


class HashEncoder:
    """A bag-of-words encoder without a model: each word is hashed to one of ``dimension`` axes."""

    def __init__(self, dimension: int = 64) -> None:
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Identifies this double."""
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit rows; a text without words maps to the first axis."""
        import numpy as np

        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % self._dimension] += 1.0
            if not row.any():
                row[0] = 1.0
            row /= np.linalg.norm(row)
        return rows

"""Where the library is, and how it is opened for questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skillquiver.errors import AmbiguousNameError, UnknownSkillError
from skillquiver.index.encoders import open_encoder
from skillquiver.index.store import Store
from skillquiver.retrieve.ranker import Ranker
from skillquiver.retrieve.second_stage import SecondStage, packaged_second_stage
from skillquiver.serve.usecases.lexical import open_words, stale
from skillquiver.settings import RankSettings
from skillquiver.skills.ids import check_skill_ref
from skillquiver.skills.records import Skill
from skillquiver.types import Encoder

if TYPE_CHECKING:
    from skillquiver.index.dense import DenseIndex

__all__ = ["EncoderSource", "Library", "find_skill", "open_library"]

EncoderSource = Callable[[str], tuple[Encoder | None, str]]
"""Registered name → the open encoder, or ``None`` and why there is none yet."""


def _open_now(name: str) -> tuple[Encoder | None, str]:
    return open_encoder(name), ""


@dataclass(frozen=True, slots=True)
class Library:
    """An open library."""

    folder: Path
    store: Store
    ranker: Ranker
    degraded: str = ""
    """Why answers are lexical only; empty if they are not."""
    data_version: int = 0
    """``Store.data_version`` from before anything was read."""


@contextmanager
def open_library(
    folder: Path,
    *,
    lexical: bool = False,
    settings: RankSettings | None = None,
    encoders: EncoderSource = _open_now,
    second: Callable[[], tuple[SecondStage | None, str]] = packaged_second_stage,
) -> Iterator[Library]:
    """Open a library for searching; ``lexical`` leaves the dense channel, and its 0.5 s, out.

    ``encoders`` is where the encoder comes from: by default it is opened now. ``second`` gives the second
    stage, and why there is none.

    Raises ``LibraryMissingError`` if nothing was indexed there. Missing or outdated vectors are no error:
    the answers say that they are lexical only, and why.
    """
    with Store.opened(folder) as store:
        version = store.data_version
        index = open_words(folder)
        dense, degraded = (
            (None, "asked for lexical search") if lexical else _open_dense(store, folder, encoders)
        )
        chosen = settings or RankSettings()
        again, missing = second() if dense is not None and chosen.rerank_depth else (None, "")
        degraded = "; ".join(filter(None, (degraded, stale(store, index), missing)))
        ranker = Ranker(store, index, dense, settings=chosen, second=again, degraded=degraded)
        yield Library(folder, store, ranker, degraded, version)


def _open_dense(
    store: Store, folder: Path, encoders: EncoderSource
) -> tuple[tuple[DenseIndex, Encoder] | None, str]:
    from skillquiver.index.dense import DenseIndex  # a lexical search does without
    from skillquiver.index.vectors import library_encoder

    registered, name = library_encoder(store)
    if DenseIndex.generation_of(folder / "dense") != (store.generation, name):
        return None, "vectors are not ready: lexical only; run `quiver index` to complete them"
    encoder, why = encoders(registered)
    if encoder is None:
        return None, why
    index = DenseIndex.open(folder / "dense")
    if index is None:
        return None, "the vectors are damaged: lexical only; run `quiver index` to write them again"
    if encoder.name != name:
        return None, f"vectors were made with {name}: lexical only; run `quiver index` to renew them"
    return (index, encoder), ""


def find_skill(store: Store, reference: str) -> tuple[int, Skill]:
    """Return the skill with this id, or with this name if only one has it.

    Raises ``UsageError`` for a reference that is a path, ``UnknownSkillError``, ``AmbiguousNameError``.
    """
    wanted = check_skill_ref(reference)
    found = store.rows_named(wanted)
    if not found:
        raise UnknownSkillError(wanted, _close(store, wanted))
    if len(found) > 1:
        raise AmbiguousNameError(wanted, [skill_id for _, skill_id in found])
    row = found[0][0]
    return row, store.skills([row])[row]


def _close(store: Store, wanted: str) -> list[str]:
    """Ids whose last part, or whole, is spelled like ``wanted``."""
    from difflib import get_close_matches

    ids: dict[str, str] = {}
    for skill_id in store.all_ids():
        ids.setdefault(skill_id.rsplit("/", 1)[-1], skill_id)
    near = get_close_matches(wanted.rsplit("/", 1)[-1], ids, n=3, cutoff=0.75)
    return [ids[name] for name in near]

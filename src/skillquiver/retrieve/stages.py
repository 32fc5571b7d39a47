"""Second stages by query: the packaged model, another one, or those of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from skillquiver.errors import UsageError
from skillquiver.retrieve.second_stage import SecondStage, packaged_second_stage, read_second_stage
from skillquiver.retrieve.trained_on import QUERIES_SUFFIX, packaged_trained_on, query_hash, read_trained_on

__all__ = ["FOLDS_FILE", "FoldsFile", "Stages", "packaged_stages", "read_stages"]

FOLDS_FILE = "folds.json"
"""In a folder of fold models ``0.json``, ``1.json``, …: which of them ranks which query."""

FOLDS_FORMAT = 1
"""Version of that file; another one is refused."""


class FoldsFile(msgspec.Struct, frozen=True, kw_only=True):
    """``folds`` maps the hash of a query to the model that was trained without its gold skills."""

    folds: dict[str, int]
    format: int = FOLDS_FORMAT


@dataclass(frozen=True, kw_only=True)
class Stages:
    """Second stages, what each was trained on, and which of them ranks a query.

    ``trained_on`` has ``None`` for a model that does not say. A query that stands in no fold was trained
    on by no model, or by all: model 0 ranks it.
    """

    models: tuple[SecondStage | None, ...]
    trained_on: tuple[frozenset[str] | None, ...]
    folds: Mapping[str, int] = field(default_factory=dict)

    def of(self, query: str) -> int:
        """Number of the model that ranks ``query``."""
        return self.folds.get(query_hash(query), 0)

    def learned(self, query: str) -> bool | None:
        """Whether the model that ranks ``query`` was trained on it; ``None`` if that is not known."""
        known = self.trained_on[self.of(query)]
        return None if known is None else query_hash(query) in known


def packaged_stages() -> Stages:
    """The model that ships with the package."""
    return Stages(models=(packaged_second_stage()[0],), trained_on=(packaged_trained_on(),))


def read_stages(place: Path) -> Stages:
    """The model in a file, or the models in a folder that ``train_second_stage --folds`` wrote.

    Raises ``UsageError`` for a place with neither, or with one that cannot be used.
    """
    if not place.is_dir():
        model, learned = _model(place)
        return Stages(models=(model,), trained_on=(learned,))
    folds = _folds(place / FOLDS_FILE)
    found = [_model(place / f"{number}.json") for number in range(max(folds.values(), default=0) + 1)]
    return Stages(
        models=tuple(model for model, _ in found),
        trained_on=tuple(learned for _, learned in found),
        folds=folds,
    )


def _model(file: Path) -> tuple[SecondStage, frozenset[str] | None]:
    model, why = read_second_stage(file)
    if model is None:
        raise UsageError(f"{file}: {why}")
    try:
        return model, read_trained_on(file.with_suffix(QUERIES_SUFFIX))
    except ValueError as error:
        raise UsageError(str(error)) from error


def _folds(file: Path) -> Mapping[str, int]:
    try:
        found = msgspec.json.decode(file.read_bytes(), type=FoldsFile)
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise UsageError(f"{file}: says not which model ranks which query ({error})") from error
    if found.format != FOLDS_FORMAT or any(number < 0 for number in found.folds.values()):
        raise UsageError(f"{file}: format {found.format} is not {FOLDS_FORMAT}, or a fold is below 0")
    return found.folds

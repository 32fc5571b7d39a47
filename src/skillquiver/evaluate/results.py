"""What an experiment returns: tables, plots and the values behind them, ready to be written or compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["REPORT_SCHEMA", "Cell", "Interval", "Plot", "Report", "Section", "Series", "Table"]

REPORT_SCHEMA = 1
"""Version of the JSON report; it rises when a key changes its meaning or goes."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval, and the number of units it was computed from."""

    value: float
    low: float
    high: float
    n: int


Cell = str | int | float | Interval | None
"""What a table holds; ``None`` is not applicable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under named columns; the first names the row. ``caption`` says what is compared."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of {self.caption!r} has not as many cells as there are columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of one colour. ``x`` are numbers, or names for bars; ``low`` and ``high`` bound ``y``."""

    label: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def of(cls, label: str, x: Iterable[float | str], found: Iterable[Interval]) -> Series:
        """Points with their intervals, one for each ``x``."""
        shown = tuple(found)
        return cls(
            label=label,
            x=tuple(x),
            y=tuple(one.value for one in shown),
            low=tuple(one.low for one in shown),
            high=tuple(one.high for one in shown),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What a figure shows: ``kind`` is ``bars``, ``lines``, ``points`` (with intervals) or ``histogram``."""

    kind: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    diagonal: bool = False
    """Whether y = x is drawn, for calibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The outcome of one experiment.

    ``answer`` says in plain sentences, with the figures, what came out: the first line answers the question,
    each further one is a finding of its own. ``samples`` maps a system's measure
    (``second-stage hit@1``) to the value of every query, by query id: what two runs are compared by.
    ``clusters`` maps query ids to the unit they are resampled in, where that is another id.
    ``warnings`` say what makes the figures doubtful. ``seconds`` is what it took.
    """

    name: str
    title: str
    question: str
    source: str
    """The formula or protocol, and who published it."""
    answer: str
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    samples: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    command: str = ""
    seconds: float = 0.0

    @property
    def headline(self) -> str:
        """The line of ``answer`` that answers the question."""
        return self.answer.partition("\n")[0]

    @property
    def findings(self) -> tuple[str, ...]:
        """The other lines of ``answer``."""
        return tuple(self.answer.split("\n")[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything one run found. ``about`` has versions, settings and sizes; equal inputs, equal sections."""

    about: Mapping[str, Any]
    sections: Sequence[Section]
    schema: int = REPORT_SCHEMA

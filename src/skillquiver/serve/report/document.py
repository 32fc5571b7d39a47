"""Reports to JSON and back. What no JSON number can say, as NaN, is ``null`` or left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from skillquiver.errors import UsageError
from skillquiver.evaluate.results import REPORT_SCHEMA, Cell, Interval, Plot, Report, Section, Series, Table
from skillquiver.serve.render import to_json

__all__ = ["read_report", "report_data", "report_json", "report_of", "section_data", "sound"]


GREATEST = 1e100
"""Of a coordinate: plots have no scale for what is larger."""


def section_data(section: Section) -> dict[str, Any]:
    """A section as JSON values; intervals are objects with ``value``, ``low``, ``high`` and ``n``."""
    data: dict[str, Any] = msgspec.to_builtins(sound(section))
    return data


def report_data(report: Report) -> dict[str, Any]:
    """A report as JSON values."""
    return {
        "schema": report.schema,
        "about": dict(report.about),
        "sections": [section_data(section) for section in report.sections],
    }


def report_json(data: Mapping[str, Any]) -> str:
    """The bytes of ``report.json``: two spaces of indentation, keys in the order given, a newline."""
    return to_json(data) + "\n"


def report_of(data: object, *, origin: str) -> Report:
    """The report that ``report_data`` made ``data`` of. Raises ``UsageError`` for anything else."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != REPORT_SCHEMA:
        raise UsageError(
            f"{origin} is no report of schema {REPORT_SCHEMA} (it says {schema!r}); "
            "run `quiver eval report` again"
        )
    try:
        return msgspec.convert(data, Report)
    except msgspec.ValidationError as error:
        raise UsageError(f"{origin} is a damaged report: {error}; run `quiver eval report` again") from error


def read_report(file: Path) -> Report:
    """Read ``report.json``. Raises ``UsageError`` for a file that is none."""
    try:
        return report_of(msgspec.json.decode(file.read_bytes()), origin=str(file))
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"cannot read the report {file}: {error}") from error


def sound(section: Section) -> Section:
    """The section without NaN and infinity: such cells become ``None``, points and samples are left out."""
    return replace(
        section,
        tables=tuple(_sound_table(table) for table in section.tables),
        plots=tuple(_sound_plot(plot) for plot in section.plots),
        samples={
            name: {query: float(value) for query, value in values.items() if math.isfinite(value)}
            for name, values in section.samples.items()
        },
        seconds=float(section.seconds),
    )


def _sound_table(table: Table) -> Table:
    return replace(table, rows=tuple(tuple(map(_sound_cell, row)) for row in table.rows))


def _sound_cell(cell: Cell) -> Cell:
    match cell:
        case Interval() if not math.isfinite(cell.value):
            return None
        case Interval() if not (math.isfinite(cell.low) and math.isfinite(cell.high)):
            return float(cell.value)
        case Interval():
            return Interval(float(cell.value), float(cell.low), float(cell.high), int(cell.n))
        case float() if not math.isfinite(cell):
            return None
        case _:
            return cell


def _sound_plot(plot: Plot) -> Plot:
    """An axis has names or numbers: beside a name, a number is one, too."""
    series = [_sound_series(one) for one in plot.series]
    if any(isinstance(x, str) for one in series for x in one.x):
        series = [replace(one, x=tuple(map(str, one.x))) for one in series]
    return replace(plot, series=tuple(series))


def _sound_series(series: Series) -> Series:
    """The points that can be drawn; bounds that cannot fall on the point."""
    bounded = len(series.low) == len(series.y) == len(series.high)
    kept = [
        at
        for at, (x, y) in enumerate(zip(series.x, series.y, strict=False))
        if _drawable(y) and (isinstance(x, str) or _drawable(x))
    ]
    return replace(
        series,
        x=tuple(_coordinate(series.x[at]) for at in kept),
        y=tuple(float(series.y[at]) for at in kept),
        low=tuple(_bound(series.low[at], series.y[at]) for at in kept) if bounded else (),
        high=tuple(_bound(series.high[at], series.y[at]) for at in kept) if bounded else (),
    )


def _coordinate(x: float | str) -> float | str:
    return x if isinstance(x, str) else float(x)


def _bound(value: float, point: float) -> float:
    return float(value if _drawable(value) else point)


def _drawable(value: float) -> bool:
    return abs(value) <= GREATEST

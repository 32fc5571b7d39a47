"""The audit sheet, filled in by a reader: CSV in, verdicts out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skillquiver.errors import UsageError
from skillquiver.graph.relations import RelationType

__all__ = ["Verdict", "Verdicts", "read_sheet"]

_COLUMNS = ("claim", "source", "target", "strict", "loose")
"""What is read; the others are for the reader, and may be missing or be more."""

_WORDS = {
    **dict.fromkeys(("1", "y", "yes", "true", "right", "x"), True),
    **dict.fromkeys(("0", "n", "no", "false", "wrong"), False),
}
"""What a verdict may be, in any case; an empty cell is none."""

_CELL = 1_000_000
"""Characters of a cell: no description comes near, and the reader's default is less than some bodies."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader found. ``strict``: it is what he would have written; ``loose``: he lets it stand.

    ``None`` is no verdict. What is strictly right is loosely right.
    """

    strict: bool | None
    loose: bool | None


Verdicts = Mapping[tuple[str, str, str], Verdict]
"""(source, target, type) → what a reader found; rows without any verdict are left out."""


def read_sheet(text: str, *, origin: str) -> Verdicts:
    """Parse the sheet of `quiver graph audit`; commas, semicolons or tabs, as spreadsheets save it.

    Raises ``UsageError`` that names row and column of what cannot be read. Rows count as a spreadsheet does:
    the heading is row 1.
    """
    found: dict[tuple[str, str, str], Verdict] = {}
    for row, cells in _rows(text, origin):
        key = (cells["source"], cells["target"], _type(cells["claim"], f"{origin}, row {row}, column claim"))
        strict = _verdict(cells["strict"], f"{origin}, row {row}, column strict")
        loose = _verdict(cells["loose"], f"{origin}, row {row}, column loose")
        if strict and loose is False:
            raise UsageError(
                f"{origin}, row {row}, column loose: what is strictly right is loosely right as well"
            )
        verdict = Verdict(strict, True if strict else loose)
        if found.get(key, verdict) != verdict:
            raise UsageError(f"{origin}, row {row}, column source: this relation was judged otherwise above")
        if verdict != Verdict(None, None):
            found[key] = verdict
    return found


def _rows(text: str, origin: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    before = csv.field_size_limit(_CELL)  # of the process: it is put back
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in _COLUMNS if name not in names]
        if missing:
            raise UsageError(
                f"{origin}, row 1: no column {missing[0]!r}; "
                "a sheet of `quiver graph audit` has claim, source, target, strict and loose"
            )
        for row, cells in enumerate(reader, start=2):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                raise UsageError(
                    f"{origin}, row {row}, column {names[min(len(cells), len(names)) - 1]}: "
                    f"{len(cells)} cells under {len(names)} columns"
                )
            yield row, {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    except csv.Error as error:
        raise UsageError(f"{origin}, row {reader.line_num}: not CSV ({error})") from error
    finally:
        csv.field_size_limit(before)


def _type(claim: str, place: str) -> str:
    name = claim.partition(":")[0].strip()
    if name not in frozenset(RelationType):
        raise UsageError(f"{place}: {name!r} is no relation type; leave the column as it was written")
    return name


def _verdict(cell: str, place: str) -> bool | None:
    if not cell:
        return None
    if cell.lower() not in _WORDS:
        raise UsageError(f"{place}: {cell!r} is no verdict; write yes or no, or leave it empty")
    return _WORDS[cell.lower()]

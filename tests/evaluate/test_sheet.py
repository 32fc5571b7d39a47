"""The audit sheet as a reader sends it back."""

from __future__ import annotations

import csv
import io

import pytest

from skillquiver.errors import UsageError
from skillquiver.evaluate.sheet import Verdict, read_sheet
from skillquiver.graph.audit import sheet
from tests.evaluate.graph_subjects import relation, subject_of

HEAD = "number,claim,source,target,strict,loose"


def read(*rows: str) -> dict[tuple[str, str, str], Verdict]:
    return dict(read_sheet("\n".join([HEAD, *rows]), origin="sheet.csv"))


def test_a_sheet_that_was_written_and_filled_in_is_read_back() -> None:
    subject = subject_of("a b", relation("a", "requires", "b"))
    rows = list(csv.reader(io.StringIO(sheet(subject.graph.relations, subject.skills))))
    rows[1][rows[0].index("loose")] = "yes"
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows(rows)  # as a spreadsheet of another country saves it
    assert read_sheet(out.getvalue(), origin="x") == {
        ("test/a", "test/b", "requires"): Verdict(strict=None, loose=True)
    }


def test_what_is_strictly_right_is_loosely_right_and_empty_rows_are_no_verdict() -> None:
    found = read("1,requires: x,a,b,Yes,", "2,precedes,a,c,0,1", "3,verifies,a,d,,", "", ",,,,,")
    assert found == {
        ("a", "b", "requires"): Verdict(strict=True, loose=True),
        ("a", "c", "precedes"): Verdict(strict=False, loose=True),
    }


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1,needs: x,a,b,yes,", "sheet.csv, row 2, column claim: 'needs' is no relation type"),
        ("1,requires,a,b,maybe,", "sheet.csv, row 2, column strict: 'maybe' is no verdict"),
        ("1,requires,a,b,,2", "sheet.csv, row 2, column loose: '2' is no verdict"),
        ("1,requires,a,b,yes,no", "sheet.csv, row 2, column loose: what is strictly right"),
        ("1,requires,a,b", "sheet.csv, row 2, column target: 4 cells under 6 columns"),
        ("1,requires,a,b,,,,", "sheet.csv, row 2, column loose: 8 cells under 6 columns"),
        ('1,"requires"x,a,b,,', "sheet.csv, row 2: not CSV"),
    ],
)
def test_what_cannot_be_read_is_named_by_row_and_column(row: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read(row)


def test_two_verdicts_on_one_relation_must_agree() -> None:
    assert len(read("1,requires,a,b,yes,", "2,requires,a,b,yes,yes")) == 1
    with pytest.raises(UsageError, match="row 3, column source: this relation was judged otherwise above"):
        read("1,requires,a,b,yes,", "2,requires,a,b,no,")


def test_a_sheet_without_its_columns_is_refused() -> None:
    for text in ("", "claim,source,target,strict\n"):
        with pytest.raises(UsageError, match=r"row 1: no column '(claim|loose)'"):
            read_sheet(text, origin="sheet.csv")

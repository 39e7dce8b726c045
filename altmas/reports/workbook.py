"""A report's tables as a workbook, .xlsx: a sheet each, numbers as numbers, and text that stays text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from altmas.reports.sheets import Sheet, sheets
from altmas.reports.tables import rows_left
from altmas.words.language import sentence, speaking

if TYPE_CHECKING:
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

MOST_ROWS, LONGEST_CELL, LONGEST_NAME = 100_000, 32_000, 31
"""Of longer tables the first rows are written; a cell and a sheet's name have limits of the format itself."""

_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_IN_NAMES = re.compile(r"[\\/*?:\[\]\x00-\x1f\x7f]")


def workbook(facts: Mapping[str, Any]) -> bytes:
    """The file, from the facts of a report, in their language."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    taken: set[str] = set()
    with speaking(facts["language"]):
        for one in sheets(facts):
            name = sheet_name(one.name, taken)
            taken.add(name.lower())
            _write(book.create_sheet(name), one)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def sheet_name(wanted: str, taken: set[str]) -> str:
    """A name that a workbook takes, and that no other sheet has; `taken` are those in small letters.

    >>> sheet_name("by a/b: [c]", set()), sheet_name("Estimates", {"estimates"}), sheet_name("'", set())
    ('by a b c', 'Estimates 2', 'table')
    """
    text = " ".join(_IN_NAMES.sub(" ", wanted).split()).strip("' ") or "table"
    name, number = text[:LONGEST_NAME].strip(), 1
    while name.lower() in taken or name.lower() == "history":  # a name that Excel keeps for itself
        number += 1
        name = f"{text[: LONGEST_NAME - len(str(number)) - 1].strip()} {number}"
    return name


def _write(page: WriteOnlyWorksheet, sheet: Sheet) -> None:
    page.freeze_panes = "A2"
    for column, width in zip(_letters(), _widths(sheet), strict=False):
        page.column_dimensions[column].width = width
    page.append([_cell(page, head, bold=True) for head in sheet.columns])
    for row in sheet.rows[:MOST_ROWS]:
        page.append([_cell(page, value, share=share) for value, share in row])
    if len(sheet.rows) > MOST_ROWS:
        page.append([_cell(page, rows_left(len(sheet.rows) - MOST_ROWS))])


def _cell(page: WriteOnlyWorksheet, value: Any, *, share: bool = False, bold: bool = False) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    if isinstance(value, bool) or value is None or not isinstance(value, int | float):
        text = "" if value is None else sentence("yes" if value else "no") if isinstance(value, bool) else str(value)
        cell = WriteOnlyCell(page, _ILLEGAL.sub(" ", text)[:LONGEST_CELL])
        cell.data_type = "s"  # a text that begins with = is no formula
        cell.quotePrefix = text[:1] in ("=", "+", "-", "@")
    else:
        cell = WriteOnlyCell(page, value)
        cell.number_format = "0.0%" if share else "General"
    if bold:
        cell.font = Font(bold=True)
    return cell


def _widths(sheet: Sheet) -> Iterator[float]:
    for k, head in enumerate(sheet.columns):
        longest = max((len(str(row[k][0])) if isinstance(row[k][0], str) else 8 for row in sheet.rows[:200]), default=0)
        yield float(min(max(longest, len(head)) + 2, 60))


def _letters() -> Iterator[str]:
    """Names of columns: A, B, ..., Z, AA, ..."""
    from openpyxl.utils import get_column_letter

    return (get_column_letter(k) for k in range(1, 1000))

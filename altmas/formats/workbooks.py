"""Tables in workbooks (.xlsx): the first sheet that is shown and holds something, its first row the names."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.core import limits
from altmas.formats.columns import frame_of, sound, typed
from altmas.formats.files import refusing
from altmas.metrics.errors import InputError

ENDINGS = frozenset({".xlsx", ".xlsm"})

READABLE = "be a workbook that can be read"

_OLD = bytes.fromhex("D0CF11E0A1B11AE1")
"""How workbooks begin that are of the old kind, or locked."""

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_BYTES_AT_ONCE = 1 << 20
_LONGEST_TAG = 200

Cells = tuple[Any, ...]


def read_workbook(path: Path) -> tuple[pd.DataFrame, list[int], tuple[str, ...]]:
    """The table of a workbook, the row of each of its rows as a spreadsheet shows it, and notes; text stays text.

    Formulas are read as the values they last had, and refused where they never had any; so are cells merged with
    others, which would read as empty. Empty rows are left out; a column without a name is called by its letter, if it
    holds anything.
    """
    with path.open("rb") as file:
        if file.read(len(_OLD)) == _OLD:
            got = "one of the old kind, or one that a password locks"
            raise InputError(path.name, READABLE, got, "Save it as .xlsx, without a password.")
    with refusing(path.name, READABLE), zipfile.ZipFile(path) as packed:
        limits.fits(path.name, sum(one.file_size for one in packed.infolist()), path.stat().st_size)
    found = _sheet(path)
    if found is None:
        raise InputError(path.name, "hold a table", "no sheet with anything in it")
    (_, header), *body = found.rows
    width = max(len(cells) for _, cells in found.rows)
    limits.few_columns(path.name, width)
    limits.fits(path.name, 8 * width * len(found.rows), path.stat().st_size)
    columns: dict[str, Any] = {}
    for place in range(width):
        cells = [row[place] if place < len(row) else None for _, row in body]
        name = "" if place >= len(header) or header[place] is None else str(header[place]).strip()
        if not name and all(cell is None for cell in cells):
            continue
        name = sound(name or f"column {_letter(place)}", f"a name in {path.name}")
        if name in columns:
            raise InputError(f"columns of {path.name}", "have distinct names", f"{name!r} twice")
        columns[name] = typed(_days(cells), f"column {name!r} of {path.name}")
    return frame_of(columns, len(body)), [number for number, _ in body], found.notes(path.name)


@dataclass(frozen=True, eq=False)
class _Sheet:
    """The rows of a sheet that hold something, each with its number; and the names of others that do too."""

    name: str
    rows: list[tuple[int, Cells]]
    others: list[str]

    def notes(self, subject: str) -> tuple[str, ...]:
        if not self.others:
            return ()
        left = ", ".join(map(repr, self.others[:5]))
        return (f"{subject}: the sheet {self.name!r} is read, and of its others none: {left}",)


def _sheet(path: Path) -> _Sheet | None:
    """The first sheet that is shown and holds something."""
    from openpyxl import load_workbook

    with refusing(path.name, READABLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and drawings, which are not looked at
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            for i, sheet in enumerate(shown):
                if rows := _rows(sheet):
                    _not_merged(path, sheet, rows[0][0])
                    _has_values(path, sheet.title, rows)
                    others = [one.title for one in shown[i + 1 :] if _rows(one, most=1)]
                    return _Sheet(sheet.title, rows, others)
        finally:
            book.close()
    return None


MOST_ROWS = 1 << 20
"""More than this no spreadsheet has."""


def _rows(sheet: Any, most: int | None = None) -> list[tuple[int, Cells]]:
    """Rows that hold something, each with its number."""
    sheet.reset_dimensions()  # which a file may exaggerate
    found: list[tuple[int, Cells]] = []
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if any(cell is not None and str(cell).strip() for cell in cells):
            found.append((number, cells))
        if len(found) == most:
            break
        if number > MOST_ROWS:  # a row may claim any number, and all above it are made up
            raise InputError(f"sheet {sheet.title!r}", f"have at most {MOST_ROWS:,} rows", "more")
    return found


def _has_values(path: Path, title: str, rows: list[tuple[int, Cells]]) -> None:
    """Refuse formulas that no spreadsheet has worked out: their cells would read as empty."""
    from openpyxl import load_workbook

    gaps = {(number, place) for number, cells in rows for place, cell in enumerate(cells) if cell is None}
    if not gaps:
        return
    book = load_workbook(path, read_only=True)
    try:
        for number, cells in _rows(book[title]):
            for place, cell in enumerate(cells):
                if cell is not None and (number, place) in gaps:
                    got = f"a formula without one in {_letter(place)}{number}"
                    hint = "Open it in a spreadsheet, and save it there."
                    raise InputError(path.name, "have the values of its formulas", got, hint)
    finally:
        book.close()


def _not_merged(path: Path, sheet: Any, header: int) -> None:
    """Refuse cells merged below the header: all but one of them would read as empty."""
    kept = b""
    with zipfile.ZipFile(path) as packed, packed.open(sheet._worksheet_path) as file:  # there is no public name for it
        while block := file.read(_BYTES_AT_ONCE):
            for left, top, right, bottom in _MERGED.findall(kept + block):
                if int(bottom) > header:
                    got = f"merged ones, {left.decode()}{top.decode()}:{right.decode()}{bottom.decode()}"
                    raise InputError(f"cells of {path.name}", "stand alone", got, "Unmerge them, and fill each in.")
            kept = block[-_LONGEST_TAG:]


def _days(cells: list[Any]) -> list[Any]:
    """Dates without the midnight that a spreadsheet adds to each, where every time of a column is one."""
    times = [cell for cell in cells if isinstance(cell, datetime.datetime)]
    if not times or any(cell.time() != datetime.time() for cell in times):
        return cells
    return [cell.date() if isinstance(cell, datetime.datetime) else cell for cell in cells]


def _letter(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters

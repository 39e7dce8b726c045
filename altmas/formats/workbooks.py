"""Tables in workbooks (.xlsx): the first sheet that is shown and holds something, its first row the names."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.core import limits
from altmas.formats.columns import frame_of, sound, typed
from altmas.formats.files import refusing
from altmas.metrics.errors import InputError

ENDINGS = frozenset({".xlsx", ".xlsm"})


def read_workbook(path: Path) -> tuple[pd.DataFrame, list[int]]:
    """The table of a workbook, and the row of each of its rows as a spreadsheet shows it; text stays text.

    Formulas are read as the values they last had. Empty rows are left out; a column without a name is called by its
    letter, if it holds anything.
    """
    with refusing(path.name, "be a workbook that can be read"), zipfile.ZipFile(path) as packed:
        limits.fits(path.name, sum(one.file_size for one in packed.infolist()), path.stat().st_size)
    rows = _rows(path)
    if not rows:
        raise InputError(path.name, "hold a table", "no sheet with anything in it")
    (_, header), *body = rows
    width = max(len(cells) for _, cells in rows)
    limits.few_columns(path.name, width)
    limits.fits(path.name, 8 * width * len(rows), path.stat().st_size)
    columns: dict[str, Any] = {}
    for place in range(width):
        cells = [row[place] if place < len(row) else None for _, row in body]
        name = "" if place >= len(header) or header[place] is None else str(header[place]).strip()
        if not name and all(cell is None for cell in cells):
            continue
        name = sound(name or f"column {_letter(place)}", f"a name in {path.name}")
        if name in columns:
            raise InputError(f"columns of {path.name}", "have distinct names", f"{name!r} twice")
        columns[name] = typed(cells, f"column {name!r} of {path.name}")
    return frame_of(columns, len(body)), [number for number, _ in body]


def _rows(path: Path) -> list[tuple[int, tuple[Any, ...]]]:
    """The rows that hold something, each with its number, of the first sheet that has any."""
    from openpyxl import load_workbook

    with refusing(path.name, "be a workbook that can be read"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and drawings, which are not looked at
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            for sheet in book.worksheets:
                if sheet.sheet_state != "visible":
                    continue
                sheet.reset_dimensions()  # which a file may exaggerate
                found = [
                    (number, cells)
                    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1)
                    if any(cell is not None and cell != "" for cell in cells)
                ]
                if found:
                    return found
        finally:
            book.close()
    return []


def _letter(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters

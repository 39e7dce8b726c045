"""What comes back from the people who label: a table with ids and labels, or a Label Studio export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from altmas.formats.columns import texts
from altmas.formats.decoding import decode
from altmas.formats.files import existing, read_bytes
from altmas.formats.json_text import loads, objects
from altmas.formats.neutral import restore
from altmas.formats.tables import Numbered, from_records, read_numbered
from altmas.metrics.errors import InputError

# The names a column is known by; the first that is there is taken, as Label Studio's tables have an `id` of their own.
NAMES = {
    "id": ("altmas_id", "id"),
    "label": ("altmas_label", "label"),
    "annotator": ("annotator",),
    "at": ("at", "time", "updated_at", "created_at"),
    "note": ("note", "notes"),
}


@dataclass(frozen=True)
class Returned:
    """A row that came back: its number in the file, the id, the label ('' = not answered), who, when, and a note."""

    row: int
    id: str
    label: str
    annotator: str = ""
    at: str = ""
    note: str = ""


def read_returned(source: Any) -> list[Returned]:
    """The rows of a table with columns `id` and `label`, and perhaps `annotator`, `at` and `note`.

    Names of columns may differ in case and in blanks around them. A JSON file may be a Label Studio export. Text files
    that are not UTF-8 are read as Windows-1252: ids and labels must be known ones, so that no misreading passes. What
    neutralising did to cells of CSV and TSV is undone.

    >>> import pandas as pd
    >>> read_returned(pd.DataFrame({"ID": ["007"], " Label ": ["cat"]}))
    [Returned(row=1, id='007', label='cat', annotator='', at='', note='')]
    """
    subject = Path(source).name if isinstance(source, str | Path) else "the table"
    suffix = Path(source).suffix.lower() if isinstance(source, str | Path) else ""
    if suffix == ".json":
        from altmas.formats.label_studio_export import is_export, read_export

        value = loads(decode(read_bytes(existing(source)), subject, windows=True), subject)
        if is_export(value):
            return read_export(value)
        records = objects(value, subject)
        return _rows(Numbered(from_records(records, subject), range(1, len(records) + 1)), subject, False)
    return _rows(read_numbered(source, windows=True), subject, suffix in {".csv", ".tsv", ".tab", ".txt"})


def _rows(table: Numbered, subject: str, neutral: bool) -> list[Returned]:
    found = _columns([str(name) for name in table.frame.columns], subject)
    cells = {field: texts(table.frame[name]) for field, name in found.items()}
    if neutral:
        cells = {field: [restore(text) for text in column] for field, column in cells.items()}
    rows = []
    for i, number in enumerate(table.rows):
        fields = {field: column[i] for field, column in cells.items()}
        if any(text.strip() for text in fields.values()):
            rows.append(Returned(number, **fields))
    return rows


def _columns(names: list[str], subject: str) -> dict[str, str]:
    known: dict[str, str] = {}
    wanted = {alias for aliases in NAMES.values() for alias in aliases}
    for name in names:
        key = restore(name).strip().casefold()
        if key in wanted and known.setdefault(key, name) != name:
            raise InputError(f"columns of {subject}", f"name {key!r} once", f"{known[key]!r} and {name!r}")
    found = {field: next((known[a] for a in aliases if a in known), "") for field, aliases in NAMES.items()}
    lacking = [field for field in ("id", "label") if not found[field]]
    if lacking:
        raise InputError(subject, f"have a column {lacking[0]!r}", f"columns {names[:12]}")
    return {field: name for field, name in found.items() if name}

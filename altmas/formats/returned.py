"""What comes back from the people who label: a table with ids and labels, or a Label Studio export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from altmas.formats.columns import sound, texts
from altmas.formats.files import existing
from altmas.formats.json_text import Record, objects
from altmas.formats.label_studio import ID, LABEL
from altmas.formats.spreadsheets import restore
from altmas.formats.tables import Numbered, from_records, read_json, read_numbered
from altmas.metrics.errors import InputError

# The names a column is known by; the first that is there is taken, as Label Studio's tables have an `id` of their own.
NAMES = {
    "id": ("altmas_id", "id"),
    "label": ("altmas_label", "label"),
    "annotator": ("annotator",),
    "at": ("at", "time", "updated_at", "created_at"),
    "note": ("note", "notes"),
}

CONTROLS = (LABEL, "label", "choice")
"""Names of the control that took the label in a JSON-MIN export: ours first, then those of Label Studio's templates."""
_ANSWERS = ("annotations", "completions")


@dataclass(frozen=True)
class Returned:
    """A row that came back: its number in the file, the id, the label ('' = not answered), who, when, and a note."""

    row: int
    id: str
    label: str
    annotator: str = ""
    at: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class ReturnedColumns:
    """The same by column: a table of millions of rows need not become as many objects."""

    rows: Sequence[int]
    cells: Mapping[str, Sequence[str]]

    def row(self, i: int) -> Returned:
        """One row."""
        return Returned(self.rows[i], **{field: column[i] for field, column in self.cells.items()})

    def blank(self, i: int) -> bool:
        """Whether nothing is in any of its cells."""
        return not any(column[i].strip() for column in self.cells.values())


def read_returned(source: Any, id: str | None = None, label: str | None = None) -> list[Returned]:
    """The rows of a table with columns `id` and `label`, and perhaps `annotator`, `at` and `note`.

    >>> import pandas as pd
    >>> read_returned(pd.DataFrame({"ID": ["007"], " Label ": ["cat"]}))
    [Returned(row=1, id='007', label='cat', annotator='', at='', note='')]
    """
    found = returned_columns(source, id, label)
    return [found.row(i) for i in range(len(found.rows)) if not found.blank(i)]


def returned_columns(source: Any, id: str | None = None, label: str | None = None) -> ReturnedColumns:
    """As `read_returned`, by column, rows in which there is nothing among them.

    Names of columns may differ in case and in blanks around them, unless `id` and `label` name them. A JSON file may be
    a Label Studio export. Text files that are not UTF-8 are read as Windows-1252: ids and labels must be known ones, so
    that no misreading passes. What neutralising did to cells of CSV and TSV is undone.

    >>> import pandas as pd
    >>> returned_columns(pd.DataFrame({"case": ["007"], "label": ["cat"]}), id="case").cells
    {'id': ['007'], 'label': ['cat']}
    """
    named = {"id": id, "label": label}
    subject = Path(source).name if isinstance(source, str | Path) else "the table"
    suffix = Path(source).suffix.lower() if isinstance(source, str | Path) else ""
    if suffix == ".json":
        value = read_json(existing(source), windows=True)
        if is_export(value):
            return _by_column(read_export(value))
        records = objects(value, subject)
        frame = from_records(records, subject, Path(source).stat().st_size)
        return _cells(Numbered(frame, range(1, len(records) + 1)), subject, False, named)
    return _cells(read_numbered(source, windows=True), subject, suffix in {".csv", ".tsv", ".tab", ".txt"}, named)


def _by_column(rows: list[Returned]) -> ReturnedColumns:
    cells = {field: [getattr(one, field) for one in rows] for field in NAMES}
    return ReturnedColumns([one.row for one in rows], cells)


def _cells(table: Numbered, subject: str, neutral: bool, named: Mapping[str, str | None]) -> ReturnedColumns:
    found = _columns([str(name) for name in table.frame.columns], subject, named)
    cells = {field: texts(table.frame[name]) for field, name in found.items()}
    if neutral:
        cells = {field: [restore(text) for text in column] for field, column in cells.items()}
    return ReturnedColumns(table.rows, cells)


def _columns(names: list[str], subject: str, named: Mapping[str, str | None]) -> dict[str, str]:
    for field, name in named.items():
        if name is not None and name not in names:
            hint = f"Name another with {field}=...."
            raise InputError(subject, f"have a column {name!r} of {field}s", f"columns {names[:12]}", hint)
    known: dict[str, str] = {}
    wanted = {alias for aliases in NAMES.values() for alias in aliases}
    for name in names:
        key = restore(name).strip().casefold()
        if key in wanted and known.setdefault(key, name) != name:
            raise InputError(f"columns of {subject}", f"name {key!r} once", f"{known[key]!r} and {name!r}")
    found = {
        field: named.get(field) or next((known[a] for a in aliases if a in known), "")
        for field, aliases in NAMES.items()
    }
    lacking = [field for field in ("id", "label") if not found[field]]
    if lacking:
        hint = "Name them with id=... and label=...." if len(lacking) > 1 else f"Name another with {lacking[0]}=...."
        raise InputError(subject, f"have a column {lacking[0]!r}", f"columns {names[:12]}", hint)
    return {field: name for field, name in found.items() if name}


def is_export(value: Any) -> bool:
    """Whether a JSON value is a Label Studio export, full or flat.

    >>> is_export([{"id": 1, "data": {}, "annotations": []}]), is_export([{"id": "a", "label": "cat"}])
    (True, False)
    """
    if not isinstance(value, list):
        return False
    return any(isinstance(task, dict) and (ID in task or ("data" in task and _full(task))) for task in value)


def read_export(source: Path | str | list[Any]) -> list[Returned]:
    """The answers in an export; the row of an answer is the place of its task in the list, from 1.

    A cancelled annotation is a `skip`; one without a result is no answer; the choice `unsure` stays that. Several
    choices at once are refused.

    >>> read_export([{"data": {"altmas_id": "a"}, "annotations": [{"completed_by": {"email": "mk@home"}, "result": [
    ...     {"type": "choices", "value": {"choices": ["cat"]}}], "updated_at": "2026-11-16T14:02:11Z"}]}])
    [Returned(row=1, id='a', label='cat', annotator='mk@home', at='2026-11-16T14:02:11Z', note='')]
    """
    if isinstance(source, list):
        subject, value = "the export", source
    else:
        path = existing(source)
        subject, value = path.name, read_json(path)
    answers = []
    for number, task in enumerate(objects(value, subject), 1):
        what = f"task {number:,} of {subject}"
        answers += list(_answers(number, task, what)) if _full(task) else _flat(number, task, what)
    return answers


def _full(task: Record) -> bool:
    return any(isinstance(task.get(key), list) for key in _ANSWERS)


def _answers(number: int, task: Record, what: str) -> Iterator[Returned]:
    item = _id(task.get("data"), what)
    for given in next(task[key] for key in _ANSWERS if isinstance(task.get(key), list)):
        if not isinstance(given, dict):
            raise InputError(f"annotations of {what}", "be objects", type(given).__name__)
        label = "skip" if given.get("was_cancelled") else _choice(given.get("result"), what)
        if label:
            at = _text(given.get("updated_at") or given.get("created_at"))
            yield Returned(number, item, label, _who(given.get("completed_by")), at, _note(given.get("result")))


def _flat(number: int, task: Record, what: str) -> list[Returned]:
    """JSON-MIN: the choice itself under its control's name, a list of regions, or several choices in an object."""
    item = _id(task, what)
    control = next((name for name in CONTROLS if name in task), None)
    given = task.get(control) if control else None
    several = given.get("choices") if isinstance(given, dict) else given
    label = _one(several if isinstance(several, list) else [several], what)
    if not label:
        return []
    at = _text(task.get("updated_at") or task.get("created_at"))
    return [Returned(number, item, label, _who(task.get("annotator")), at)]


def _id(data: Any, what: str) -> str:
    if not isinstance(data, dict) or isinstance(data.get(ID), dict | list | None):
        raise InputError(what, f"hold its item's id as {ID!r}", sorted(data)[:12] if isinstance(data, dict) else data)
    return _text(data[ID])


def _choice(result: Any, what: str) -> str:
    """The one choice among the regions of a result, '' if there is none."""
    found: list[Any] = []
    for region in _regions(result):
        if region.get("type") == "choices" and region.get("from_name", LABEL) in _controls(result):
            value = region.get("value")
            found += value["choices"] if isinstance(value, dict) and isinstance(value.get("choices"), list) else [value]
    return _one(found, what)


def _controls(result: Any) -> set[str]:
    """Whose choices count: ours if the interface has it, else any."""
    names = {str(r.get("from_name", LABEL)) for r in _regions(result) if r.get("type") == "choices"}
    return {LABEL} if LABEL in names else names


def _one(choices: list[Any], what: str) -> str:
    present = [choice for choice in choices if choice is not None and choice != ""]
    if len(present) > 1:
        raise InputError(what, "have one choice", f"{present[:12]}")
    if present and isinstance(present[0], dict | list):
        raise InputError(what, "have one choice, as text", f"{present[0]}"[:80])
    label = _text(present[0]) if present else ""
    return "unsure" if label.strip().lower() == "unsure" else label


def _note(result: Any) -> str:
    """What was typed into text areas, if the interface has any."""
    typed: list[str] = []
    for region in _regions(result):
        value = region.get("value")
        if region.get("type") == "textarea" and isinstance(value, dict):
            text = value.get("text")
            typed += [_text(t) for t in text] if isinstance(text, list) else [_text(text)]
    return "\n".join(typed)


def _regions(result: Any) -> list[Record]:
    return [region for region in result if isinstance(region, dict)] if isinstance(result, list) else []


def _who(given: Any) -> str:
    """A person's address, else the number Label Studio gave them."""
    if isinstance(given, dict):
        return _text(given.get("email") or given.get("id"))
    return _text(given)


def _text(value: Any) -> str:
    return "" if value is None else sound(str(value), "text in the export")

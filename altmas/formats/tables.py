"""Tables from files and from pandas, polars and pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.core import limits
from altmas.core.doing import doing
from altmas.formats import workbooks
from altmas.formats.archives import read_npz, table_of_arrays
from altmas.formats.arrow import from_arrow, read_parquet
from altmas.formats.columns import as_objects, frame_of, parsed, sound, typed
from altmas.formats.delimited import parse
from altmas.formats.files import existing, read_text, refuse_suffix, refusing
from altmas.formats.json_text import Record, lines, loads, objects
from altmas.metrics.errors import InputError

TABLE_KINDS = "CSV, TSV, xlsx, Parquet, JSONL, JSON or npz"
_TSV = {".tsv", ".tab"}
ENDINGS = workbooks.ENDINGS | _TSV | {".csv", ".txt", ".parquet", ".pq", ".npz", ".jsonl", ".ndjson", ".json"}
"""Endings of the names of files that tables are read from."""


@dataclass(frozen=True, eq=False)
class Numbered:
    """A table, and the number by which a person finds each of its rows.

    In CSV, TSV and workbooks that is the row a spreadsheet shows: the header is row 1, a newline within quotes begins
    no row, empty lines count. In JSONL it is the line; elsewhere rows are counted from 1.
    """

    frame: pd.DataFrame
    rows: Sequence[int]
    notes: tuple[str, ...] = ()
    """What is worth knowing of how the file was read."""


def read_table(source: Any, *, text: bool = True) -> pd.DataFrame:
    """A table from a file, by the ending of its name, or from a pandas, polars or pyarrow table.

    Cells of CSV and TSV stay the text they were: `007`, `NA`, `1e5` and an empty cell too. With `text=False`, columns
    in which every cell is a number become numbers. Typed formats keep their types, 64-bit numbers exactly; nested
    values become JSON text. Nothing is ever unpickled.

    >>> read_table(pd.DataFrame({"id": ["007"], "n": [2**62 + 1]}))
        id                    n
    0  007  4611686018427387905
    """
    return read_numbered(source, text=text).frame


def read_numbered(source: Any, *, text: bool = True, windows: bool = False) -> Numbered:
    """As `read_table`, with each row's number; `windows=True` also takes Windows-1252 text (see `decode`)."""
    if isinstance(source, Numbered):
        return source
    if isinstance(source, pd.DataFrame):
        return _counted(_from_pandas(source))
    if hasattr(source, "__arrow_c_stream__"):
        import pyarrow as pa

        with refusing("the table", "be readable"):
            return _counted(from_arrow(pa.table(source), "the table"))
    if not isinstance(source, str | Path):
        raise InputError("a table", "be a file or a pandas, polars or pyarrow table", type(source).__name__)
    path = existing(source)
    with doing(f"reading {path.name}"):
        return _from_file(path, text, windows)


def _from_file(path: Path, text: bool, windows: bool) -> Numbered:
    suffix = path.suffix.lower()
    if suffix in {".csv", ".txt"} | _TSV:
        return _delimited(path, text, windows, "\t" if suffix in _TSV else None)
    if suffix in workbooks.ENDINGS:
        return Numbered(*workbooks.read_workbook(path))
    if suffix in {".parquet", ".pq"}:
        return _counted(read_parquet(path))
    if suffix == ".npz":
        return _counted(table_of_arrays(read_npz(path), path.name))
    if suffix in {".jsonl", ".ndjson"}:
        rows, records = lines(read_text(path, windows=windows), path.name)
        return Numbered(from_records(records, path.name, path.stat().st_size), rows)
    if suffix == ".json":
        value = read_json(path, windows=windows)
        return _counted(from_records(objects(value, path.name), path.name, path.stat().st_size))
    raise refuse_suffix(path, TABLE_KINDS)


def read_json(path: Path, *, windows: bool = False) -> Any:
    """The value of a JSON file."""
    return loads(read_text(path, windows=windows, most=limits.MAX_JSON_BYTES), path.name)


def from_records(records: Sequence[Record], subject: str, packed: int | None = None) -> pd.DataFrame:
    """A table from objects, which take `packed` bytes on disk; what one of them lacks is missing there.

    >>> from_records([{"id": 1, "a": "x"}, {"id": 2}], "a.json")
       id     a
    0   1     x
    1   2  None
    """
    if not records:
        raise InputError(subject, "hold at least one object", "none")
    names = list(dict.fromkeys(name for record in records for name in record))
    limits.few_columns(subject, len(names))
    limits.fits(subject, 8 * len(records) * len(names), packed, "Objects of one table have the same keys.")
    columns = {
        sound(name, f"a key in {subject}"): typed([r.get(name) for r in records], f"column {name!r} of {subject}")
        for name in names
    }
    return frame_of(columns, len(records))


def _delimited(path: Path, text: bool, windows: bool, delimiter: str | None) -> Numbered:
    content = read_text(path, windows=windows)
    found = parse(content, path.name, delimiter if delimiter is None or delimiter in content else None)
    named = zip(found.header, found.columns, strict=True)
    columns = {name: as_objects(column) if text else parsed(column) for name, column in named}
    return Numbered(frame_of(columns, len(found.rows)), found.rows)


def _from_pandas(table: pd.DataFrame) -> pd.DataFrame:
    if table.columns.nlevels > 1:
        raise InputError("columns of the table", "have one name each", f"{table.columns.nlevels} levels of names")
    if any(name is not None for name in table.index.names):  # an index with a name is a column
        with refusing("index of the table", "have names of its own"):
            table = table.reset_index()
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise InputError("columns of the table", "have distinct names", f"{twice!r} twice")
    columns = {name: _kept(table.iloc[:, i], name) for i, name in enumerate(names)}
    return frame_of(columns, len(table))


def _kept(column: Any, name: str) -> Any:
    kind = column.dtype
    if getattr(kind, "kind", "O") in "iufb" and not str(kind).endswith("[pyarrow]"):
        return column.array
    return typed(column.tolist(), f"column {name!r}")


def _counted(frame: pd.DataFrame) -> Numbered:
    return Numbered(frame, range(1, len(frame) + 1))
